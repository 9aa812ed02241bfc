import type { FindingCode } from '../report.js'
import type { Reading } from '../text/reading.js'
import { rangeOf, rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/* Guesses at code in languages other than the shell's, by patterns. */

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

/** Finds what is downloaded (or decoded) into a variable that is run later: `code = urlopen(…).read(); exec(code)`. */
function* keptAndRun({ text }: Reading, calls: string): Iterable<Match> {
  const source = new RegExp(calls, 'i')
  let kept = 0
  for (const { 0: whole, 1: name = '', 2: value = '', index } of text.matchAll(ASSIGNED)) {
    if (kept >= MOST_KEPT) return
    if (!value.includes('(') || !source.test(value)) continue
    kept++
    const from = index + whole.length
    const run = new RegExp(
      String.raw`\b(?:exec|eval|Function|os\.system|popen|system|execSync|iex|Invoke-Expression|instance_eval|loadstring|shell_exec|passthru|Create|subprocess\.\w{3,12}|runInThisContext|runInNewContext)\s?\(\s?\$?${name}\b|\b(?:iex|invoke-expression)\s{1,3}["']?\$${name}\b`,
      'i',
    ).exec(text.slice(from, from + KEPT_AHEAD))
    if (run) yield { start: index, end: from + run.index + run[0].length }
  }
}

function* inCalls(reading: Reading, pattern: RegExp): Iterable<Match> {
  for (const found of reading.text.matchAll(pattern))
    // A call: `exec(…`, or a cmdlet before its argument. Prose has the words without them.
    if (/^[\w.\]:]+\s?\(|^(?:iex|invoke-expression|eval|exec)\s/i.test(found[0])) yield rangeOf(found)
}

const NETWORK_CALL =
  /\b(?:requests\.(?:post|put|get|request)|httpx\.\w+|urlopen|urllib\d?\.request|fetch\(|axios(?:\.\w+)?\(|https?\.request|\.sendall?\(|Net::HTTP\.post\w*|WebClient|UploadString|UploadFile|UploadData|XMLHttpRequest|navigator\.sendBeacon|new Image\(\)|smtplib|http\.Post|HttpClient|\.post\()/gi
const READS_PRIVATE = new RegExp(
  String.raw`(?:open|read\w*|readFileSync|read_text|expanduser|Get-Content|gc|cat|join|Path|home\(\)|homedir\(\))\W{0,6}[^\n]{0,60}(?:\.ssh|id_rsa|id_ed25519|\.aws|\.env\b|\.netrc|\.npmrc|/etc/passwd|/etc/shadow|credentials|\.kube|wallet|Login Data|\.git-credentials|\.gnupg)|JSON\.stringify\(process\.env\b|\bprocess\.env\s*[,)}]|\bos\.environ\s*[,)}]|dict\(os\.environ|os\.environ\.(?:items|copy)|ENV\.to_h|System\.getenv\(\)|\bgetenv\(\)|keychain|keyring\.get`,
  'i',
)
const REACH = 260

function* sendsInCode({ text }: Reading): Iterable<Match> {
  for (const found of text.matchAll(NETWORK_CALL)) {
    const around = text.slice(Math.max(0, found.index - REACH), found.index + found[0].length + REACH)
    if (
      READS_PRIVATE.test(around) ||
      (!/headers?\s*[=:]/.test(around) && /document\.cookie|localStorage\b(?!\.setItem)/.test(around))
    )
      yield rangeOf(found)
  }
}

const START_FILES =
  /\bopen\(\s*(?:os\.path\.expanduser\()?["'][^"'\n]{0,80}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab|rc\.local|sudoers)["'][^\n]{0,40}["'][aw]\+?["']|\b(?:appendFileSync|writeFileSync|appendFile)\([^)\n]{0,100}(?:authorized_keys|\.bashrc|\.zshrc|\.profile|crontab)/g
const HOME_CALL =
  /\b(?:rmtree|rmSync|rm_rf|rimraf|RemoveAll|rmdirSync|fs\.rm)\b[^\n]{0,30}?(?:expanduser|homedir\(|Path\.home|UserHomeDir|ENV\[.HOME|environ\[.HOME|process\.env\.HOME\b\s*[,)])/g
/** Goes through all of a home, and deletes. */
const HOME_WALK =
  /(?:Path\.home\(\)|expanduser\(["']~\/?["']\)(?:\))?|homedir\(\)\)?)\.?(?:iterdir|glob|rglob|readdirSync|walk)?[^]{0,12}(?:iterdir|\*|in |\))[^]{0,120}?\b(?:rmtree|unlink|rmSync|rm_rf|os\.remove|RemoveAll)\(/g

function ruleOf(code: FindingCode, says: string, find: Rule['find']): Rule {
  return { code, severity: 'critical', says, find }
}

export const CODE_PATTERN_RULES: readonly Rule[] = [
  ruleOf('shell_piped_download', 'runs what it downloads, unread', function* (reading) {
    yield* inCalls(reading, DOWNLOADED_CODE)
    yield* keptAndRun(reading, FETCHES)
    yield* rangesOf(reading, CALLED_BACK)
  }),
  ruleOf('shell_encoded_execution', 'runs something that is encoded', function* (reading) {
    yield* inCalls(reading, DECODED_CODE)
    yield* keptAndRun(reading, DECODES)
  }),
  ruleOf('exfiltration', 'sends private files, keys or the environment to another machine', sendsInCode),
  ruleOf('shell_persistence', 'writes into a file that programs read when they start', (reading) =>
    rangesOf(reading, START_FILES),
  ),
  ruleOf('shell_recursive_delete', 'deletes a home with all that is in it', (reading) =>
    rangesOf(reading, HOME_CALL, HOME_WALK),
  ),
]
