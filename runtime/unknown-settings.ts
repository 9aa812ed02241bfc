import { closest, distance } from 'fastest-levenshtein'
import type { Environment } from './config.js'
import { CLIENT_SETTINGS, SETTINGS } from './settings.js'

/** Prefixes that belong to cairn alone; `DATABASE_`, `REDIS_`, `TLS_` or `LOG_` may belong to any other program. */
const OWN_PREFIXES =
  /^(CAIRN|EMBEDDINGS|ENRICHMENT|FORGE|GATEWAY|INDEXING|LLM|METRICS|RATE_LIMIT|RERANK|SUMMARY|TENANT)_/
/** Variables of the tests and their services, and the password with which `deploy/` makes the database's login. */
const OTHERS_VARIABLES = /^CAIRN_(?:(?:TEST|SERVICES)_|PASSWORD$)/

const KNOWN_NAMES = [...Object.keys(SETTINGS), ...Object.keys(CLIENT_SETTINGS)]

interface UnknownSetting {
  readonly name: string
  /** The setting that was probably meant; null when none is similar. */
  readonly suggestion: string | null
}

/**
 * Returns the variables that look like settings but are unknown: they have a prefix of cairn's own, or are one or two
 * edits away from a setting.
 */
export function unknownSettings(env: Environment): UnknownSetting[] {
  return Object.keys(env)
    .filter((name) => env[name] && !KNOWN_NAMES.includes(name) && !OTHERS_VARIABLES.test(name))
    .filter((name) => OWN_PREFIXES.test(name) || isNearSetting(name))
    .sort()
    .map((name) => ({ name, suggestion: suggestionFor(name) }))
}

function isNearSetting(name: string): boolean {
  return name.length > 6 && distance(name, closest(name, KNOWN_NAMES)) <= 2
}

function suggestionFor(name: string): string | null {
  const bare = name.replace(/^CAIRN_/, '')
  if (KNOWN_NAMES.includes(bare)) return bare
  const nearest = closest(name, KNOWN_NAMES)
  return distance(name, nearest) < name.length / 3 ? nearest : null
}
