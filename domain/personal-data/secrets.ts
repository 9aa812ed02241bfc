import type { Finder, PersonalDataKind, PersonalDataSpan } from './finding.js'
import { normalised, UNDELIMITED_SCRIPTS } from './words.js'

const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g
const PRIVATE_KEY_END = /-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g

/** Finds private keys up to the end of the block, or of the text when the block is cut off. */
function* findPrivateKeys(text: string): Finder {
  for (let from = 0; from < text.length;) {
    PRIVATE_KEY.lastIndex = from
    const begin = PRIVATE_KEY.exec(text)
    if (!begin) return
    PRIVATE_KEY_END.lastIndex = PRIVATE_KEY.lastIndex
    from = PRIVATE_KEY_END.exec(text) ? PRIVATE_KEY_END.lastIndex : text.length
    yield { kind: 'private_key', start: begin.index, end: from }
  }
}

const WORD = '[A-Za-z0-9_-]'

/** Matches JSON Web Tokens (RFC 7519) and HTTP credentials (RFC 6750, RFC 7617). */
const TOKENS = [
  new RegExp(String.raw`(?<!${WORD})eyJ${WORD}{8,4000}\.eyJ${WORD}{8,8000}(?:\.${WORD}{0,2000})?`, 'g'),
  /\b(?:Bearer|Basic) +([A-Za-z0-9._~+/-]{16,4000}=*)/gi,
]

/** Prefixes by which issuers make their keys recognisable, from their documentation. */
const ISSUED = [
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}',
  'gh[pousr]_[A-Za-z0-9]{36,255}',
  'github_pat_[A-Za-z0-9_]{60,255}',
  'gl(?:pat|dt|rt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}',
  'xox[abeoprs]-[A-Za-z0-9-]{10,255}',
  'xapp-[A-Za-z0-9-]{10,255}',
  '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}',
  'whsec_[A-Za-z0-9+/]{20,255}',
  'sk-[A-Za-z0-9_-]{20,255}',
  'AIza[A-Za-z0-9_-]{35}',
  'GOCSPX-[A-Za-z0-9_-]{20,40}',
  String.raw`ya29\.[A-Za-z0-9_-]{20,2000}`,
  'npm_[A-Za-z0-9]{36}',
  'pypi-[A-Za-z0-9_-]{50,2000}',
  String.raw`SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}`,
  'hf_[A-Za-z0-9]{30,64}',
  'do[opr]_v1_[a-f0-9]{64}',
  'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}',
  'SK[0-9a-f]{32}',
  'key-[0-9a-f]{32}',
  '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}',
  'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}',
  'dapi[a-f0-9]{32}',
  'ATATT3[A-Za-z0-9_=-]{100,300}',
  'hv[sb]\\.[A-Za-z0-9_-]{20,300}',
  'gl(?:c|sa)_[A-Za-z0-9+/=_]{32,400}',
  'PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
  'NRAK-[A-Z0-9]{27}',
  'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  'cairn_[A-Za-z0-9]{1,64}_[A-Za-z0-9]{22,128}',
]
const ISSUED_KEY = new RegExp(String.raw`(?<!${WORD})(?:${ISSUED.join('|')})(?![A-Za-z0-9_])`, 'g')

/** Matches the password in `scheme://user:password@host`. */
const URL_PASSWORD = /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{0,64}:)[^\s/:@]{1,128}(?=@[\p{L}\p{N}[])/giu

/** Names of secrets, as patterns in ordinary spelling. */
const PASSWORD_NAME = anyPart(`
  password, passwd, passphrase, passwort, pwd, passcode, kennwort, mot de passe, contraseña, senha, palavra-passe, wachtwoord, hasło,
  lösenord, adgangskode, passord, salasana, heslo, şifre, пароль, סיסמה, mật khẩu, كلمة المرور, كلمة السر, पासवर्ड, 密码, 密碼, 口令,
  パスワード, 暗証番号, 비밀번호, 암호, รหัสผ่าน, (?<![a-z])pw
`)
const KEY_NAME = anyPart(`
  api[ _-]?key, secret(?:[ _-]?(?:access[ _-]?)?key)?, (?:access|auth|refresh|bearer|api|session)[ _-]?token, client[ _-]?secret,
  account[ _-]?key, token, api[ -]?schlüssel, zugangsschlüssel, clé (?:d')?api, clave (?:de )?api, chave (?:de )?api, chiave api, ключ api,
  токен, api[ -]?キー, トークン, api ?密钥, 密钥, 令牌, 토큰
`)
/** Everything that the names match contains one of these, which are much faster to search for. */
const STEMS = `
  pass, pwd, pw, kennwort, contraseña, senha, wachtwoord, hasło, lösenord, adgangskode, salasana, heslo, şifre, пароль, סיסמה, mật khẩu,
  كلمة, पासवर्ड, 密, 口令, パスワード, 暗証番号, 비밀번호, 암호, รหัสผ่าน, key, token, secret, schlüssel, clé, clave, chave, chiave, ключ, токен,
  キー, トークン, 令牌, 토큰
`
  .trim()
  .split(/,\s+/)
  .map(normalised)

function anyPart(list: string): string {
  return normalised(list.trim().replace(/,\s+/g, '|'))
}

const ASSIGNMENT = String.raw`["']?(?:\s{0,3}(?::=|=>|=|:|\u2192)|\s(?:is|was|ist|war|lautet|est|es|e|er|jest)(?=\s)|\s?(?:是|为|為|は|는|은|가|\u2014))\s{0,3}`
/** Quoted, or up to a space. Another kind of script is the sentence around it. */
const VALUE = String.raw`("[^"\n]{1,256}"|'[^'\n]{1,256}'|(?:(?![${UNDELIMITED_SCRIPTS}])[^\s"',;\u3002]){1,256}|(?:(?=[${UNDELIMITED_SCRIPTS}])[^\s"',;\u3002]){1,256})`
const ASSIGNED_KEY = new RegExp(`(?:${KEY_NAME})${ASSIGNMENT}${VALUE}`, 'giu')
const ASSIGNED_PASSWORD = new RegExp(`(?:${PASSWORD_NAME})${ASSIGNMENT}${VALUE}`, 'giu')

/** Placeholders for a value: `<password>`, `${TOKEN}`, `os.environ[…]`, `***`, "required". */
const PLACEHOLDER_VALUE =
  /^(?:[<[{$%*.]|x{3,}|process\.env|os\.environ|env[.([]|null$|none$|nil$|true$|false$|undefined$|string$|str$|required|optional|changed|reset|rotated|expired|invalid|wrong|incorrect|missing|empty|unknown|hidden|redacted|stored|kept|encrypted|hashed|in$|not$|the$|a$|an$|to$|for$|now$|same$|too$|weak$|strong$|erforderlich|notwendig|abgelaufen|falsch|geandert|vergessen|fehlt|requis|obligatoire|expire|oublie|obligatori[ao]|requerid[ao]|caducad[ao]|olvidad[ao]|olvido|necessari[ao]|scadut[ao]|verplicht|vereist|wymagane|обязател|забыт|неверн|必填|必須|필수|错误|忘记|已过期)/i

/** Rare in prose, and part of every token. */
const LONG_TOKEN = /\S{16}/

function namesSecret(text: string): boolean {
  const lower = text.toLowerCase()
  return STEMS.some((stem) => lower.includes(stem))
}

/** Excludes paths: `pwd` names a directory too. */
const PATH = /^[~/]/

export function* findSecrets(text: string): Finder {
  yield* findPrivateKeys(text)
  yield
  if (LONG_TOKEN.test(text)) {
    for (const pattern of TOKENS) yield* findAll(text, 'access_token', pattern)
    yield* findAll(text, 'api_key', ISSUED_KEY)
  }
  if (text.includes('://')) yield* findAll(text, 'password', URL_PASSWORD)
  if (!namesSecret(text)) return
  for (const [kind, pattern, isValue] of [
    ['api_key', ASSIGNED_KEY, isKeyValue],
    ['password', ASSIGNED_PASSWORD, isPasswordValue],
  ] as const) {
    for (const match of text.matchAll(pattern))
      yield isValue(unquote(match[1]!), match[0]) ? spanOf(kind, match) : undefined
    yield
  }
}

function* findAll(text: string, kind: PersonalDataKind, pattern: RegExp): Finder {
  for (const match of text.matchAll(pattern)) yield spanOf(kind, match)
  yield
}

/** Returns the span of the pattern's group, which is at the match's end, else of the whole match. */
function spanOf(kind: PersonalDataKind, match: RegExpExecArray): PersonalDataSpan {
  const value = match[1] ?? match[0]
  const quotes = value === unquote(value) ? 0 : 1
  const end = match.index + match[0].length - quotes
  return { kind, start: end - (value.length - 2 * quotes), end }
}

function unquote(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
}

/** Returns the kind of secret that a field of this name and value contains, or null. */
export function secretKindOf(name: string, value: string): PersonalDataKind | null {
  if (SECRET_NAMES.password.test(name)) return isPasswordValue(value, `=${value}`) ? 'password' : null
  if (SECRET_NAMES.key.test(name)) return isKeyValue(value) ? 'api_key' : null
  return null
}

const SECRET_NAMES = {
  password: new RegExp(`(?:${PASSWORD_NAME})$`, 'iu'),
  key: new RegExp(`(?:^|[_-]|[a-z](?=[A-Z]))(?:${KEY_NAME})$`, 'iu'),
}

/** Returns whether the value is long, without spaces, and mixes letters and digits. */
function isKeyValue(value: string): boolean {
  return value.length >= 12 && /^[A-Za-z0-9+/=_.~-]+$/.test(value) && /\d/.test(value) && /[A-Za-z]/.test(value)
}

/**
 * Returns whether the value may be a password: anything that is assigned; in prose ("the password is …") only what is
 * not a word.
 */
function isPasswordValue(value: string, assignment: string): boolean {
  if (value.length < 4 || PLACEHOLDER_VALUE.test(value) || PATH.test(value)) return false
  return /[:=]/.test(assignment.slice(0, -value.length)) || /[^\p{L}.,!?-]/u.test(value)
}
