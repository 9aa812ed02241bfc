import { expand } from '../shell/variables.js'
import {
  flowsIntoInterpreter,
  INTERPRETERS,
  type Invocation,
  invocationsIn,
  isInData,
  programIndex,
  runsArgument,
  runsInput,
} from '../shell/invocations.js'
import { programName } from '../shell/program-name.js'
import type { Pipeline, Simple } from '../shell/command.js'
import type { Reading } from '../text/reading.js'
import { rangeOf, rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget fetch aria2c http https lwp-request lynx w3m iwr irm invoke-webrequest invoke-restmethod certutil bitsadmin start-bitstransfer nc ncat ftp tftp scp gsutil wget2 curlie xh elinks links axel'.split(
    ' ',
  ),
)
const DECODERS: ReadonlySet<string> = new Set(
  'base64 base32 xxd openssl uudecode rev tr gunzip zcat gzip certutil basenc gbase64 b64decode ascii85 uuencode'.split(
    ' ',
  ),
)

/** Runs what is downloaded without anybody having read it: piped, substituted, or saved and started. */
const pipedDownload: Rule = {
  code: 'shell_piped_download',
  severity: 'critical',
  says: 'runs what it downloads, unread',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const [i, command] of pipeline.commands.entries())
        if (namesSource(reading, command, DOWNLOADERS) && isRun(pipeline, i, reading)) yield spanOf(pipeline, command)
    yield* inCode(reading, DOWNLOADED_CODE)
    yield* keptAndRun(reading, KEEPS_DOWNLOAD)
    yield* savedAndRun(reading)
    yield* rangesOf(reading, REMOTE_LOADERS, CALLED_BACK)
  },
}

/** Runs what is decoded first, so that nobody sees what it is. */
const encodedExecution: Rule = {
  code: 'shell_encoded_execution',
  severity: 'critical',
  says: 'runs something that is encoded',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const [i, command] of pipeline.commands.entries())
        if (decodes(command) && isRun(pipeline, i, reading)) yield spanOf(pipeline, command)
    yield* inCode(reading, DECODED_CODE)
    yield* keptAndRun(reading, KEEPS_DECODED)
    yield* rangesOf(reading, ENCODED_POWERSHELL)
  },
}

/** Programs of Windows that load and run what an address names. */
const REMOTE_LOADERS =
  /\b(?:mshta|regsvr32|rundll32|wmic|cscript|wscript|installutil|msiexec)(?:\.exe)?\b[^\n|]{0,80}?(?:https?:\/\/|javascript:|\\\\\d{1,3}\.)/gi
const ENCODED_POWERSHELL =
  /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n|]{0,120}\s[-/\u2014](?:e|en|enc|enco|encodedcommand|ec)\s+["']?(?:[A-Za-z0-9+/]{16,}|\$)/gi
const RUNNERS = String.raw`\b(?:exec|eval|Function|compile|os\.system|os\.popen|popen|system|execSync|execFileSync|spawnSync|spawn|runInThisContext|runInNewContext|instance_eval|loadstring|assert|iex|Invoke-Expression|subprocess\.\w{3,12}|shell_exec|passthru|ScriptBlock\]?::Create|importlib|run)\b`
const FETCHES = String.raw`(?:requests\.(?:get|post)|urlopen|urllib\d?\.|\bfetch\(|axios|https?\.get\(|Net::HTTP|URI\.open|open-uri|file_get_contents\(\s*["']https?:|DownloadString|DownloadData|Net\.WebClient|\birm\b|\biwr\b|Invoke-WebRequest|Invoke-RestMethod|httpx\.get|LWP::Simple)`
const DECODES = String.raw`(?:b64decode|base64_decode|\batob\(|FromBase64String|fromhex|unhexlify|["']base64["']|codecs\.decode|fromCharCode|str_rot13|gzinflate|gzuncompress|decode64|Base64\.(?:decode|strict_decode)|zlib\.decompress|bytes\(\[|decode_base64|a85decode|b32decode|\[::-1\]|map\(chr|unescape\(|\bpack\(|reverse\(\)\.join)`
const CALLED_BACK = new RegExp(String.raw`${FETCHES}[^\n]{0,160}?\.then\(\s?(?:eval|Function|exec)\b`, 'gi')
const DOWNLOADED_CODE = new RegExp(`${RUNNERS}[ (]{1,4}[^\\n]{0,160}?${FETCHES}`, 'gi')
const DECODED_CODE = new RegExp(`${RUNNERS}[ (]{1,4}[^\\n]{0,160}?${DECODES}`, 'gi')

/** Bounds how far behind an assignment its variable is looked for. */
const KEPT_AHEAD = 1_200
const MOST_KEPT = 20
const ASSIGNED = /(?<![\w.$])\$?([A-Za-z_]\w{1,40})\s{0,3}:?=\s{0,3}(?:await\s)?["'`]?([^\n]{0,200})/g
const KEEPS_DOWNLOAD = keeps(FETCHES, DOWNLOADERS)
const KEEPS_DECODED = keeps(DECODES, DECODERS)

/** Returns a pattern of values that come from calls of a library, or from a command that is substituted. */
function keeps(calls: string, programs: ReadonlySet<string>): RegExp {
  return new RegExp(String.raw`${calls}|(?:\$\(|\x60)[^\n]{0,80}\b(?:${[...programs].join('|')})\s`, 'i')
}

/** Finds what is downloaded (or decoded) into a variable that is run later: `code = urlopen(…).read(); exec(code)`. */
function* keptAndRun(reading: Reading, source: RegExp): Iterable<Match> {
  const { text } = reading
  let kept = 0
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(ASSIGNED)) {
    if (kept >= MOST_KEPT) return
    if (!/[(`]/.test(value) || !source.test(value)) continue
    kept++
    const from = index + whole.length
    const run = runOf(name).exec(text.slice(from, from + KEPT_AHEAD))
    if (run) yield { start: index, end: from + run.index + run[0].length }
  }
}

/** Returns a pattern of what runs a variable: `exec(code)`, `sh -c "$code"`, `echo "$code" | sh`. */
function runOf(name: string): RegExp {
  const variable = String.raw`\$\{?${name}\b`
  return new RegExp(
    [
      String.raw`\b(?:exec|eval|Function|os\.system|popen|system|execSync|iex|Invoke-Expression|instance_eval|loadstring|shell_exec|passthru|Create|subprocess\.\w{3,12}|runInThisContext|runInNewContext)\s?\(\s?\$?${name}\b`,
      String.raw`\b(?:eval|iex|invoke-expression|(?:ba|z|da)?sh -c|python3? -c|node -e)\s{1,3}["']?${variable}`,
      String.raw`${variable}\}?["']?\s{0,3}\|\s{0,3}(?:sudo\s)?(?:(?:ba|z|da)?sh|iex)\b`,
      String.raw`(?:ba|z|da)?sh\s{0,3}<<<\s{0,3}["']?${variable}`,
    ].join('|'),
    'i',
  )
}

function* inCode(reading: Reading, pattern: RegExp): Iterable<Match> {
  for (const found of reading.text.matchAll(pattern)) {
    // A call: `exec(…`, or a cmdlet before its argument. Prose has the words without them.
    if (!/^[\w.\]:]+\s?\(|^(?:iex|invoke-expression|eval|exec)\s/i.test(found[0])) continue
    yield rangeOf(found)
  }
}

/** Returns whether a command obtains something with one of the programs: from an address, a variable, or a file. */
function namesSource(reading: Reading, command: Simple, programs: ReadonlySet<string>): boolean {
  if (invocationsIn(command, programs).some((invocation) => hasSource(invocation))) return true
  const first = command.words[programIndex(command)]?.text ?? ''
  const [spelled = ''] = expand(reading, first.includes('$') ? first : `$${first}`).split(' ')
  return programs.has(programName(spelled)) && command.words.length > 1
}

function hasSource({ name, args }: Invocation): boolean {
  if (name === 'certutil') return args.some(({ text }) => /^[-/]urlcache$/i.test(text))
  if (name === 'nc' || name === 'ncat') return args.some(({ text }) => /^\d{2,5}$/.test(text))
  return args.some(({ text }) =>
    /:\/\/|\$|[\w-]\.[a-z]{2,}(?:[/:]|$)|^localhost|^\d+(?:\.\d+){3}|^[<{[]\w|\$\(\)|^(?:url|-)$/i.test(text),
  )
}

function decodes(command: Simple): boolean {
  const line = () => command.words.map(({ text }) => text).join(' ')
  if (/\b(?:b64decode|base64\.decode|decode64|FromBase64|unhexlify|fromhex|MIME::Base64|atob)\b/i.test(line()))
    return true
  return invocationsIn(command, DECODERS).some(({ name, args, isFirst }) => {
    const flags = args.map(({ text }) => text).join(' ')
    if (name === 'tr')
      return (
        isFirst &&
        /[a-z]-[a-z]\S{0,20}\s\S{0,20}[a-z]-[a-z]/i.test(flags) &&
        !/upper|lower|A-Z a-z$|a-z A-Z$/.test(flags)
      )
    if (name === 'rev') return isFirst
    if (/^(?:gunzip|zcat|gzip)$/.test(name)) return false
    if (name === 'xxd') return /(?:^|\s)-\w*r/.test(flags)
    if (name === 'openssl') return /\b(?:enc|base64)\b/.test(flags) && /(?:^|\s)-d\b/.test(flags)
    if (name === 'uudecode' || name === 'b64decode') return true
    return /(?:^|\s)(?:-[A-Za-z]*[dD]\b|--decode|--d\b|-decode)/.test(flags)
  })
}

/** Returns whether what a command of a pipeline writes is run: further along, or by what its output is substituted into. */
function isRun(pipeline: Pipeline, at: number, reading: Reading): boolean {
  const rest = pipeline.commands.slice(at + 1)
  if (rest.some((command) => runsInput(command) || runsExpanded(reading, command))) return true
  const { parent } = pipeline
  if (parent?.kind === 'heredoc') return false
  if (parent?.kind !== 'substitution') return false
  for (let above: Pipeline['parent'] = parent; above !== null; above = above.command.pipeline.parent)
    if (runsArgument(above.command)) return true
  // `echo $(curl …) | sh`
  return flowsIntoInterpreter(parent.command)
}

function runsExpanded(reading: Reading, command: Simple): boolean {
  const first = command.words[programIndex(command)]?.text ?? ''
  return first.includes('$') && INTERPRETERS.has(programName(expand(reading, first)))
}

function spanOf(pipeline: Pipeline, command: Simple): Match {
  const last = pipeline.commands.at(-1)!
  return { start: command.start, end: Math.max(command.start + 1, last.end), isData: isInData(pipeline) }
}

const CHECKS =
  /\b(?:sha\d{3}sum|shasum|gpg|cosign|minisign|sigstore|b3sum|less|more|vim|nano|diff|md5sum|Get-FileHash|dgst|signify|shellcheck|view)\b/i
const PIPELINES_AHEAD = 12

/** Finds what is downloaded (or decoded) into a file that one of the next commands runs, with nothing between that checks it. */
function* savedAndRun(reading: Reading): Iterable<Match> {
  const { pipelines } = reading
  for (const [i, pipeline] of pipelines.entries()) {
    const command = pipeline.commands.find((one) => namesSource(reading, one, DOWNLOADERS) || decodes(one))
    if (!command) continue
    const file = savedFile(pipeline)
    if (file === null) continue
    for (let k = i + 1; k < pipelines.length && k <= i + PIPELINES_AHEAD; k++) {
      const next = pipelines[k]!
      const line = next.commands.map(({ words }) => words.map(({ text }) => text).join(' ')).join(' ')
      if (CHECKS.test(line) || /\b(?:read|review|inspect|check|verify)\b/i.test(line)) break
      if (!runsFile(next, file)) continue
      const text = reading.text.slice(command.start, command.end)
      const isGrave =
        /\/tmp\/|\/dev\/shm|\/\.\w|%temp%|\$env:temp|http:\/\/|\/\/\d+(?:\.\d+){3}|paste|decode|-d\b/i.test(
          `${text} ${file}`,
        ) || next.commands[0]!.before !== '\n'
      yield {
        start: command.start,
        end: Math.max(command.end, next.commands.at(-1)!.end),
        severity: isGrave ? 'critical' : 'warn',
        isData: isInData(pipeline),
      }
      break
    }
  }
}

function savedFile({ commands }: Pipeline): string | null {
  for (const { words, redirects } of commands) {
    const redirected = redirects.find(({ operator }) => operator === '>' || operator === '>>')
    if (redirected) return baseOf(redirected.target)
    const texts = words.map(({ text }) => text)
    if (words.some(({ name }) => name === 'certutil') && texts.some((text) => /^-decode$/i.test(text)))
      return baseOf(texts.at(-1)!)
    const output = texts.findIndex((text) =>
      /^(?:-[a-zA-Z]*[oO]|--output|--output-document|-OutFile|-Destination)$/.test(text),
    )
    const isRemoteName =
      /^-[a-zA-Z]*O$/.test(texts[output] ?? '') &&
      /curl/.test(texts.join(' ')) &&
      !/^-/.test(texts[output] ?? '') === false &&
      texts.some((text) => /^curl/.test(programName(text)))
    if (output !== -1 && !isRemoteName && texts[output + 1] !== undefined && texts[output + 1] !== '-')
      return baseOf(texts[output + 1]!)
    const url = texts.find((text) => /:\/\//.test(text))
    if (
      url !== undefined &&
      (isRemoteName || texts.some((text) => /^(?:wget|aria2c|certutil)$/.test(programName(text))))
    )
      return baseOf(url.split(/[?#]/, 1)[0]!)
  }
  return null
}

function baseOf(path: string): string | null {
  const base = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  return base.length >= 1 && base.length <= 80 ? base : null
}

function runsFile({ commands }: Pipeline, file: string): boolean {
  return commands.some((command) => {
    const at = programIndex(command)
    const words = command.words.slice(at)
    const first = words[0]?.text ?? ''
    const named = words.findIndex(
      ({ text }) => text === file || text.endsWith(`/${file}`) || text.endsWith(`\\${file}`),
    )
    if (named === 0) return true
    if (named === -1) return false
    const name = first === '.' ? '.' : (words[0]?.name ?? '')
    return (
      INTERPRETERS.has(name) ||
      /^python3?(?:\.\d+)?$|^(?:start|start-process|rundll32|regsvr32|msiexec|installer|mshta|wscript|cscript|&)$/.test(
        name,
      ) ||
      INTERPRETERS.has(words[1]?.name ?? '')
    )
  })
}

export const DOWNLOAD_RULES: readonly Rule[] = [pipedDownload, encodedExecution]
