import { isIP } from 'node:net'
import { withoutSuffixes } from '../affixes.js'
import type { Language } from '../language.js'
import { isCommonWord } from './common-words.js'
import type { FoundName, FoundNameType } from './found-name.js'

/**
 * Returns the identifier in a token between white space, without the surrounding punctuation, or null. Each pattern is
 * anchored and without nested repetition, and the token is short: linear in any text.
 */
export function identifierIn(token: string, language: Language | null = null): FoundName | null {
  if (!MAY_BE_IDENTIFIER.test(token)) return null
  const name = withoutSuffixes(stripPunctuation(token), [language])
  if (name.length < 2) return null
  const type = typeOf(name, language)
  return type && { name, type }
}

/** A fast test for what most words lack: digits, symbols inside, capitals after the first letter. */
const MAY_BE_IDENTIFIER = /[\d_@#/\\]|\p{L}[-.=:(]\S|\p{L}\p{Lu}/u

const OPENING = /^[("'\u201c\u2018\u00ab`[{<]+/u
const CLOSING = /(?<![)"'\u201d\u2019\u00bb`\]}>.,;:!?\u2026])[)"'\u201d\u2019\u00bb`\]}>.,;:!?\u2026]+$/u

function stripPunctuation(token: string): string {
  const name = token
    .replace(OPENING, '')
    .replace(CLOSING, '')
    .replace(/['\u2019]s$/u, '')
    .replace(/\(\)?$/, '')
  return /^[\p{L}\p{N}_]{2,64}=/u.test(name) ? name.slice(0, name.indexOf('=')) : name
}

function typeOf(name: string, language: Language | null): FoundNameType | null {
  if (name.includes('://')) return URL_SHAPE.test(name) && !HAS_USER.test(name) ? 'url' : null
  if (name.includes('@')) return EMAIL.test(name) ? 'email' : HANDLE.test(name) ? 'handle' : null
  if (isIP(name.replace(/:\d{1,5}$/, '')) > 0 || (name.includes('::') && isIP(name) > 0)) return 'ip'
  if (/[\\/]/.test(name)) return isPath(name) ? 'path' : null
  if (/\d/.test(name)) return typeWithDigits(name)
  if (HANDLE.test(name)) return 'handle'
  if (HOST.test(name)) return FILE.test(name) ? 'path' : 'host'
  if (SNAKE.test(name) || (CAMEL.test(name) && !LEGAL_FORMS.has(name)) || isKebab(name, language)) return 'identifier'
  if (ERROR_NAME.test(name) && !isCommonWord(name)) return 'identifier'
  return null
}

const URL_SHAPE = /^[a-z][a-z0-9+.-]{1,15}:\/\/[^\s/]{2}/i
const HAS_USER = /:\/\/[^/]*@/
const EMAIL = /^[\p{L}\p{N}_.+%-]{1,64}@[\p{L}\p{N}.-]{1,190}\.\p{L}{2,24}$/u
const HANDLE = /^[@#][\p{L}][\p{L}\p{N}_-]{1,63}$/u
const HOST = /^[a-z0-9][a-z0-9-]{1,62}(?:\.[a-z0-9-]{1,63}){0,8}\.[a-z]{2,24}(?::\d{1,5})?$/
const FILE =
  /\.(?:bash|c|cc|cfg|conf|cpp|cs|css|csv|env|go|gradle|h|html?|ini|ipynb|java|js|json|jsx|kt|lock|log|lua|md|mjs|php|pl|png|proto|py|rb|rs|scala|sh|sql|svg|swift|tf|toml|tsx?|txt|vue|xml|ya?ml|zip)$/
const SNAKE = /^-{0,2}[\p{L}\p{N}]+(?:_[\p{L}\p{N}]+)+$/u
/** Matches a capital after a small letter: `camelCase`, `PostgreSQL`, `GitHub`. */
const CAMEL = /^\p{L}*\p{Ll}\p{Lu}\p{L}*$/u
/** Legal forms of companies that have a capital inside. */
const LEGAL_FORMS = new Set(['GmbH', 'mbH', 'KGaA', 'ApS'])
const ERROR_NAME = /^E[A-Z]{4,20}$/

const KEBAB = /^\p{Ll}{2,30}(?:-\p{Ll}{2,30}){1,4}$/u
const SYSTEM_SUFFIX =
  /-(?:agent|api|app|backend|broker|bucket|bus|cache|cli|client|cluster|consumer|cron|daemon|db|frontend|gateway|job|lambda|pipeline|pod|prod|producer|proxy|queue|repo|replica|runner|scheduler|server|service|stack|staging|stream|svc|table|topic|ui|web|worker)$/

/**
 * Returns true for `billing-api`, `auth-service`, `kube-proxy`; false for `well-known`, and for `est-ce` in a language whose words the
 * dictionary does not have.
 */
function isKebab(name: string, language: Language | null): boolean {
  if (!KEBAB.test(name)) return false
  if (SYSTEM_SUFFIX.test(name)) return true
  return (language ?? 'en') === 'en' && name.split('-').some((part) => !isCommonWord(part))
}

function isPath(name: string): boolean {
  if (!/^[\p{L}\p{N}\\/_.~@+:-]+$/u.test(name) || !/\p{L}{2}/u.test(name)) return false
  const segments = name.split(/[\\/]/).filter(Boolean)
  if (segments.length < 2) return false
  return /^(?:[~./\\]|[A-Za-z]:\\)/.test(name) || segments.length > 2 || /\.[A-Za-z0-9]{1,8}$/.test(name)
}

function typeWithDigits(name: string): FoundNameType | null {
  if (UUID.test(name) || TICKET.test(name) || NUMBERED.test(name)) return 'identifier'
  if (HASH.test(name) && /[a-f]/.test(name)) return 'commit'
  if (VERSION.test(name) && !DATE.test(name)) return 'version'
  if (HOST.test(name)) return FILE.test(name) ? 'path' : 'host'
  if (HANDLE.test(name)) return 'handle'
  if (SNAKE.test(name) && /\p{L}/u.test(name)) return 'identifier'
  return JOINED.test(name) || CODE.test(name) ? 'identifier' : null
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
/** Matches `OPS-1423`. */
const TICKET = /^[A-Z][A-Z0-9]{1,9}-\d{1,7}$/
/** Matches `#123`. */
const NUMBERED = /^#\d{1,7}$/
const HASH = /^(?=.{0,39}\d)[0-9a-f]{7,40}$/
const VERSION = /^(?:v\d{1,5}(?:\.\d{1,5}){0,3}|\d{1,5}(?:\.\d{1,5}){2,3})(?:[-+][0-9A-Za-z.-]{1,40})?$/
const DATE = /^(?:19|20)\d\d\.\d{1,2}\.\d{1,2}$|^\d{1,2}\.\d{1,2}\.(?:19|20)?\d\d$/
/** Matches `us-east-1`, `web-03`, `gpt-4o`: letters in one part and digits in another. */
const JOINED = /^(?=\D{0,40}\d)\p{L}[\p{L}\p{N}]{0,30}(?:-[\p{L}\p{N}]{1,30}){1,6}$/u
/** Matches `40P01`, `E1205`, `S3`: capitals and digits. */
const CODE = /^(?=\d{0,11}[A-Z])(?=[A-Z]{0,11}\d)[A-Z0-9]{2,12}$/

/** Matches "port 6432", "exit code 137", "HTTP 503": a number that is a name together with the word before it. */
const NUMBERED_WORD =
  /\b(port|exit code|error(?: code)?|status(?: code)?|HTTP|SQLSTATE|PR|issue|ticket|build|invoice|order) #?(\d[\dA-Za-z]{0,11})\b/gi

export function numberedNames(text: string): FoundName[] {
  return [...text.matchAll(NUMBERED_WORD)].map(([, word, number]) => ({
    name: `${word} ${number}`,
    type: word!.toLowerCase() === 'port' ? 'port' : 'identifier',
  }))
}

/**
 * Finds text in backquotes and short quoted terms, but not quoted speech, which follows a comma or a colon or ends like
 * a sentence.
 */
const BACKQUOTED = /`([^`\n]{2,80})`/g
const QUOTED = /(?<![,:]\s{0,2})(?:"([^"\n]{2,60})"|\u201c([^\u201d\n]{2,60})\u201d|\u00ab([^\u00bb\n]{2,60})\u00bb)/gu

export function quotedTerms(text: string, longestWords: number): FoundName[] {
  const found = [...text.matchAll(BACKQUOTED), ...text.matchAll(QUOTED)].map((match) =>
    (match[1] ?? match[2] ?? match[3])!.trim(),
  )
  return found
    .filter((term) => /\p{L}/u.test(term) && !/[.,;:!?\u2026]$/u.test(term) && term.split(/\s+/).length <= longestWords)
    .map((name) => ({ name, type: 'term' }))
}
