import type { Severity } from '../report.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { addressIn, ANYBODYS_HOST, isDubious } from './hosts.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Something to run from somebody's releases or from a file host, by its address. */
const BINARY =
  /https?:\/\/[^\s)"'`<>]{4,300}?(?:\.(?:zip|rar|7z|exe|msi|dmg|pkg|scr|iso)(?=[\s)"'`<>?#]|$)|\/releases\/download\/[^\s)"'`<>]{3,200})|https?:\/\/(?:[\w-]+\.)*(?:mediafire\.com|mega\.nz|gofile\.io|dropbox\.com|anonfiles\.com|drive\.google\.com)\/[^\s)"'`<>]{3,200}/gi
const PASSWORD =
  /\b(?:pass(?:word|code|phrase|wd)?|pwd)\b\W{0,12}(?:is\b|:|=|`|"|')\W{0,6}[\w!@#$%^&*-]{2,40}|\b(?:extract|unzip|unpack|open)\w*\s(?:it\s|the\s\w+\s)?(?:using|with)\s?(?:the\s)?(?:pass(?:word|code)?)?\W{0,4}[\w!@#$-]{2,40}[`"')]/i
const STARTED =
  /\b(?:run|execute|launch|start|open|double-click)\s(?:the\s|it\b|this\s|\w{1,40}\.(?:exe|msi|dmg|pkg)|\S{0,40}executable)|\bexecutable\b|\.exe\b/i
const NEEDED =
  /\b(?:requires?|needs?|must have|depends on)\b[^.\n]{0,80}\b(?:to (?:function|work|operate|run)|installed|running)\b|\bwithout\b[^.\n]{0,80}\b(?:will not|won['’]t|cannot|can['’]t|does not|doesn['’]t|unable)\b|\b(?:before (?:using|proceeding|continuing)|ensure\b[^.\n]{0,40}\bis (?:running|active|installed))\b/i
const BESIDE = 400

/** An archive or a program of somebody's that the reader is told to open: with a password against scanners, or as the condition of all else. */
const bait: Rule = {
  code: 'lure',
  severity: 'critical',
  says: 'has its reader download and start a program that it says nothing works without, or an archive locked against scanners',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(BINARY)) {
      const span = rangeOf(found)
      const severity = judgeBait(reading.text, span)
      if (severity !== null) yield { ...lineFrom(reading, span), severity }
    }
  },
}

function judgeBait(text: string, { start, end }: Span): Severity | null {
  const after = text.slice(end, end + BESIDE / 2)
  const beside = text.slice(Math.max(0, start - BESIDE), end + BESIDE)
  if (PASSWORD.test(after.replace(/\n#[^]*/, ''))) return 'critical'
  if (!STARTED.test(after)) return null
  return NEEDED.test(beside) ? 'critical' : null
}

/** Goes to a page to fetch a command, which the reader is to run in a terminal. */
const PASTED =
  /\b(?:visit|open|go to|see|from|follow|use)\b[^\n]{0,60}?(?:\[([^\]\n]{1,60})\]\((https?:\/\/[^\s)]{4,300})\)|(https?:\/\/[^\s)"'`<>]{4,300}))[^\n]{0,120}?\b(?:run|execute|copy|paste|enter)\b[^\n]{0,80}?\b(?:command|code|script|instructions?|snippet|line)s?\b[^\n]{0,80}?\b(?:terminal|shell|console|powershell|command (?:prompt|line))\b/gi

const paste: Rule = {
  code: 'lure',
  severity: 'critical',
  says: 'has its reader paste a command from a page of somebody else into a terminal',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(PASTED)) {
      const address = addressIn(found[2] ?? found[3] ?? '')
      if (!address) continue
      const isVague = /^(?:this (?:page|link|site|snippet)|here|link)$/i.test(found[1] ?? '')
      if (isDubious(address) || isVague || ANYBODYS_HOST.test(address.host))
        yield { ...rangeOf(found), severity: isDubious(address) ? 'critical' : 'warn' }
    }
  },
}

/** Returns the line of a match up to its end: it says what is to be done with the address. */
function lineFrom({ text }: Reading, { start, end }: Span): Span {
  const line = text.lastIndexOf('\n', start) + 1
  const close = text.indexOf('\n', end)
  return { start: Math.max(line, start - 120), end: Math.min(close === -1 ? text.length : close, end + 200) }
}

export const LURE_RULES: readonly Rule[] = [bait, paste]
