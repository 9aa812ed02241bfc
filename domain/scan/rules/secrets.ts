import { RE2JS } from 're2js'
import type { PersonalDataSpan } from '../../personal-data/finding.js'
import { lowerCase } from '../text/lower-case.js'
import { GITLEAKS_RULES, type GitleaksRule } from './gitleaks.gen.js'

interface Found {
  readonly at: number
  /** A name for the secret: "a key (github-pat)". */
  readonly what: string
}

const BEFORE = 120
const AFTER = 1_400
const MOST_WINDOWS = 40

const compiled = new Map<string, RE2JS>()

/** Finds keys that their issuers made recognisable, by gitleaks' rules: each runs only around its own keywords, in linear time. */
export function findIssuedKeys(text: string): Found[] {
  const lower = lowerCase(text)
  const found: Found[] = []
  for (const rule of GITLEAKS_RULES)
    for (const window of windowsOf(rule, lower)) {
      const match = matchIn(rule, text.slice(window.start, window.end))
      if (match !== null && entropyOf(match.token) >= Math.max(rule.entropy, 2.5)) {
        found.push({ at: window.start + match.at, what: `a key (${rule.id})` })
        break
      }
    }
  for (const { 0: token, index } of text.matchAll(PREFIXED))
    if (!isPlaceholder(token) && /\d/.test(token) && /[a-z]/i.test(token) && entropyOf(token) >= 3.4)
      found.push({ at: index, what: 'a key with the prefix of an issuer' })
  return found
}

/** Prefixes of issuers before something long and random. Issuers change the length of their keys; the prefix stays. */
const PREFIXED =
  /(?<![\w-])(?:AKIA|ASIA|gh[pousr]_|github_pat_|glpat-|xox[abeoprs]-|[sr]k_(?:live|test|prod)_|sk-(?:ant|proj|or|svcacct|admin)-|sk-|AIza|hf_|npm_|SG\.|ya29\.|do[opr]_v1_|shp(?:at|ca|pa|ss)_|pypi-|dckr_pat_|whsec_|lin_api_|pk\.eyJ|gsk_|xai-|r8_|tvly-|nvapi-|figd_|sbp_|vercel_|PMAK-|rubygems_)[\w-]{16,255}/g

function windowsOf(rule: GitleaksRule, lower: string): { start: number; end: number }[] {
  const windows: { start: number; end: number }[] = []
  for (const keyword of rule.keywords) {
    for (let at = lower.indexOf(keyword); at !== -1;) {
      const window = { start: Math.max(0, at - BEFORE), end: Math.min(lower.length, at + AFTER) }
      windows.push(window)
      // The windows of a text that is full of a keyword cover it once.
      at = lower.indexOf(
        keyword,
        Math.max(at + 1, windows.length > MOST_WINDOWS ? window.end - BEFORE : at + keyword.length),
      )
    }
  }
  return windows
}

function matchIn(rule: GitleaksRule, text: string): { readonly token: string; readonly at: number } | null {
  let pattern = compiled.get(rule.id)
  if (!pattern) compiled.set(rule.id, (pattern = RE2JS.compile(rule.pattern)))
  const matcher = pattern.matcher(text)
  while (matcher.find()) {
    const token = (matcher.groupCount() > 0 ? matcher.group(1) : null) ?? matcher.group() ?? ''
    if (!isPlaceholder(token)) return { token, at: matcher.start() }
  }
  return null
}

const PLACEHOLDER =
  /x{4,}|\*{3,}|\.{3,}|\u2026|[<>{}]|example|sample|dummy|placeholder|your[-_]?|change[-_]?me|changeit|fake|redacted|not[-_]?(?:a[-_]?)?real|0{7,}|1234567|abcdefgh|abc[-_]?123|xyz[-_]?789|abcd[-_]?1234|efgh[-_]?5678|insert|replace|_here|deadbeef|lorem|mock|invalid|sanitized|censored|removed|testtest|foobar|#{3,}|my[-_]?(?:secret|token|key|password)|4eC39HqLyjWDarjtT1zdp7dc|todo|demo|some[-_]?(?:secret|token|key|password)|(?:secret|token|password|key)[-_]?(?:value|goes)|supersecret|top[-_]?secret|s3cr3t|p[a@]ssw[o0]rd|correct.?horse/i

/** Returns whether a value stands for a secret and is none: `sk-XXXX`, `<your token>`, documented examples, runs of one character. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value) || /(.)\1{7,}/.test(value) || isKnownToken(value)
}

/** The token of every manual of JSON Web Tokens is about John Doe. */
function isKnownToken(value: string): boolean {
  const payload = /^eyJ[\w-]+\.(eyJ[\w-]+)/.exec(value.slice(0, 2_000))?.[1]
  return (
    payload !== undefined &&
    /1234567890|John Doe|example|test|"sub":"(?:user|123|alice|bob)/i.test(
      Buffer.from(payload, 'base64url').toString('utf8'),
    )
  )
}

/** Returns Shannon's entropy in bits for each character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const sign of text) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Passwords and keys that a command is given: `curl -u name:value`, `--password value`, `sshpass -p value`. */
const ARGUMENT =
  /(?:\s(?:-u|--user)[ =]"?'?[\w.@-]{1,40}:|\s--(?:password|passwd|token|secret|api-key|pass)\s{1,3}["']?|\bsshpass\s-p\s?["']?)([^\s"'$<>{}:@\\`]{7,64})/g

/** A password that prose names: "password `value`". */
const NAMED =
  /(?:passwor[dt]|passphrase|kennwort|mot de passe|contraseña|senha|пароль|密码|密碼|パスワード|كلمة المرور|şifre|parola|wachtwoord|hasło)\s{0,2}(?:is|ist|est|es|é|è|lautet|:|=|为|是|は)?\s{0,2}[`"'\u201c\u300c]([^\s`"'$<>{}]{8,64})[`"'\u201d\u300d]/giu

/** Finds passwords among the arguments of commands, and those that prose names. */
export function findArguments(text: string): Found[] {
  return [...text.matchAll(ARGUMENT), ...text.matchAll(NAMED)]
    .filter(
      ({ 1: value = '' }) =>
        !isPlaceholder(value) &&
        !CODE.test(value) &&
        !COMMON.test(value) &&
        /\d/.test(value) &&
        /[a-z]/i.test(value) &&
        entropyOf(value) >= 2.8,
    )
    .map(({ index }) => ({ at: index, what: 'a password' }))
}

const COMMON =
  /^(?:postgres\w*|root\w*|admin\w*|secret\w*|test\w*|guest\w*|letmein|hunter2|qwerty\w*|minio\w*|mysecret\w*|rabbitmq|mysql\w*|redis\w*|user\w*|pass\w*|local\w*|dev\w*|none|null|abc\w{0,6}|\d{1,6}|elastic\w*|grafana|neo4j|toor|docker|django\w*|ci\w{0,4}|foo|bar|baz|wrong\w*)$/i
const CODE =
  /[()[\]]|^(?:process|os|env|config|settings|self|this|ctx|req|args|params|options|secrets|vault|data|var|local)\b[.[]|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[$%@!&]\w|^--|^(?:String|string|str|bytes|int|bool)\b|^[a-z]+[A-Z][A-Za-z]+$|^[a-z]+(?:_[a-z]+)+$|^\/|^[\w-]+\/[\w-]+:|^\\/

/** Says what a span that domain/personal-data found as a secret is; null where it only looks like one. */
export function judgeSecret(text: string, span: PersonalDataSpan): string | null {
  const value = text.slice(span.start, span.end)
  switch (span.kind) {
    case 'private_key':
      return isKeyBody(value) ? 'a private key' : null
    case 'access_token':
      return !isPlaceholder(value) && !isLogin(value) && entropyOf(value) >= 3.2 && /\d/.test(value)
        ? 'an access token'
        : null
    case 'api_key':
      if (isPlaceholder(value) || CODE.test(value) || entropyOf(value) < 3 || isHash(text, span)) return null
      return /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value) || /^[a-z-]+\d{0,2}$/i.test(value)
        ? null
        : 'an API key'
    case 'password':
      if (isPlaceholder(value) || CODE.test(value) || COMMON.test(value) || value.length < 7) return null
      return /\d/.test(value) && /\p{L}/u.test(value) && entropyOf(value) >= 2.5 ? 'a password' : null
    default:
      return null
  }
}

/** Returns whether a token is the base64 of a name and a password that anybody would guess. */
function isLogin(value: string): boolean {
  const [, password] =
    /^[\x20-\x7e]{1,40}:([\x20-\x7e]{1,40})$/.exec(Buffer.from(value, 'base64').toString('latin1')) ?? []
  return password !== undefined && (COMMON.test(password) || isPlaceholder(password))
}

/** Returns whether a private key has a body: base64 that is not cut short by dots. */
function isKeyBody(value: string): boolean {
  const body = value.replace(/-----[^-\n]{0,60}-----/g, '').replace(/\\n|\s/g, '')
  return (
    (body.match(/[A-Za-z0-9+/]/g)?.length ?? 0) >= 48 &&
    !/\.\.\.|\u2026|<|x{8,}|\*{3}/i.test(body) &&
    entropyOf(body.slice(0, 400)) > 3.5
  )
}

/** Digests of files and commits are long and random, and no secret. */
function isHash(text: string, { start }: PersonalDataSpan): boolean {
  return /(?:sha\d{1,3}|md5|integrity|checksum|digest|commit|etag|hash|fingerprint|revision|cache[ _-]?key|idempotency|page[ _-]?token|next[ _-]?token|csrf|key[ _-]?id)\W{0,6}(?:[a-z]{0,12}\W{0,4}){0,2}$/i.test(
    text.slice(Math.max(0, start - 48), start),
  )
}
