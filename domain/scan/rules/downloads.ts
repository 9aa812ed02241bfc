import { lineOf, type Simple } from '../shell/command.js'
import { flowOf, type Run } from '../shell/flow.js'
import { isInData } from '../shell/invocations.js'
import type { Severity } from '../report.js'
import type { Reading } from '../text/reading.js'
import { addressIn, addressOf, isDubious, judgeInstaller } from './hosts.js'
import { rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Runs what is downloaded without anybody having read it: piped, substituted, or saved and started. */
const pipedDownload: Rule = {
  code: 'shell_piped_download',
  severity: 'critical',
  says: 'runs what it downloads, unread',
  *find(reading: Reading): Iterable<Match> {
    for (const run of flowOf(reading).runs)
      if (run.mark.kind === 'download') yield { ...matchOf(run), severity: judgeDownload(reading, run) }
    yield* rangesOf(reading, REMOTE_LOADERS)
  },
}

/** Runs what is decoded first, so that nobody sees what it is. */
const encodedExecution: Rule = {
  code: 'shell_encoded_execution',
  severity: 'critical',
  says: 'runs something that is encoded',
  *find(reading: Reading): Iterable<Match> {
    for (const run of flowOf(reading).runs) if (run.mark.kind === 'decoded') yield matchOf(run)
    yield* rangesOf(reading, ENCODED_POWERSHELL)
    if (OPAQUE.test(reading.text)) yield* rangesOf(reading, UNMIXED, MIXES)
  },
}

/** A cipher that the reader is to undo by himself, beside something that nobody can read. */
const UNMIXED =
  /\bxor\b[^\n]{0,60}\bkey\b|\bbytes\(\(?[^\n]{0,40}(?:\s\^\s|\bpow\(|inv\w*\s?\*)[^\n]{0,60}\bfor\b|\bchr\([^\n]{0,30}\s\^\s/gi
/** A loop that mixes each of what it goes through with a key, before it and behind it: in JavaScript and Python. */
const MIXES =
  /\bfor \(?(?:(?:const|let|var) )?(?:\w{1,20}, ?)?(\w{1,20}) (?:in|of) [^\n]{1,100}(?:\n[^\n]{0,100})?[^\w\n]\1 \^ \w{0,12}key\b|\b(\w{1,20}) \^ \w{0,12}key\b[^\n]{0,40} for (?:\w{1,20}, ?)?\2 in /gi
const OPAQUE = /\S{100}|\d{1,3}(?:,\s?\d{1,3}){40}/

/** Programs of Windows that load and run what an address names. */
const REMOTE_LOADERS =
  /\b(?:mshta|regsvr32|rundll32|wmic|cscript|wscript|installutil|msiexec(?=[^\n|]{0,40}\s[/-](?:i|p|a|package|update)\s{0,2}["']?(?:https?:|\\\\)))(?:\.exe)?\b[^\n|]{0,80}?(?:https?:\/\/|javascript:|\\\\\d{1,3}\.)/gi
const ENCODED_POWERSHELL =
  /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n|]{0,120}\s[-/\u2014](?:e|en|enc|enco|encodedcommand|ec)\s+["']?(?:[A-Za-z0-9+/]{16,}|\$)/gi

function matchOf({ mark: { source }, command }: Run): Match {
  const start = Math.min(source.start, command.start)
  return {
    start,
    end: Math.max(source.end, command.end, start + 1),
    isData: isInData(source.pipeline) || isInData(command.pipeline),
  }
}

/**
 * A tool that is installed from where its makers say is for a person to judge, and so is a file that lies still before it is run. All else
 * is an attack, or as bad as one.
 */
function judgeDownload(reading: Reading, { mark: { source }, command, isSaved }: Run): Severity {
  const line = lineOf(source)
  const address = addressOf(line) ?? addressIn(line.slice(line.indexOf(' ')))
  if (reading.origin || isHidden(source) || isHidden(command)) return 'critical'
  const installer = address && judgeInstaller(reading, address)
  if (installer) return installer
  if (!isSaved || (address && isDubious(address))) return 'critical'
  return /\/tmp\/|\/dev\/shm|\/\.\w|%temp%|\$env:temp/i.test(`${line} ${lineOf(command)}`) || command.before !== '\n'
    ? 'critical'
    : 'warn'
}

/** Returns whether nobody sees what a command does: it writes into nothing, and goes on behind. */
function isHidden({ redirects, isInBackground }: Simple): boolean {
  return isInBackground && redirects.some(({ target }) => target === '/dev/null')
}

export const DOWNLOAD_RULES: readonly Rule[] = [pipedDownload, encodedExecution]
