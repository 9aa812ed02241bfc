import type { Reading } from '../text/reading.js'
import { isDeviceName, pathFault } from '../../skill-file-path.js'
import { normalised } from '../../personal-data/words.js'
import { decodePercent } from '../../personal-data/decode-percent.js'
import { rangesOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/**
 * Returns what is wrong with the path of a support file, as it is written and as whoever decodes it reads it: that it is none of a skill's folder, or a file that a person
 * should not miss; null where nothing is.
 */
export function faultOfPath(path: string): string | null {
  const plain = normalised(decodePercent(path)).replaceAll('\u2024', '.').replaceAll('\u2025', '..')
  if (/^[~$%]/.test(plain)) return 'begins in a home or with a variable'
  const fault = pathFault(path) ?? pathFault(plain)
  if (fault !== null) return fault
  const parts = plain.split('/')
  if (parts.some((part) => /^\.(?:ssh|bashrc|zshrc|profile|env|npmrc|vscode|claude|cursor|github|config)$/i.test(part)))
    return 'is a file that programs read by themselves'
  return null
}

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/

/** Returns what is wrong with a slug, which becomes the name of a folder. */
export function faultOfSlug(slug: string): string | null {
  if (!SLUG.test(slug)) return 'is not made of lower case letters, digits, dots, hyphens and underscores'
  if (slug.includes('..')) return 'has two dots in a row'
  return isDeviceName(slug) ? 'is a name that not every system allows' : null
}

const SENSITIVE_END = String.raw`(?:etc[/\\](?:passwd|shadow|cron|sudoers|ssh|hosts|ld\.so|rc\.|systemd|profile)|\.ssh|\.aws|\.bashrc|\.zshrc|\.profile|\.gnupg|\.git[/\\]|authorized_keys|windows[/\\]|system32|root[/\\]|proc[/\\]|boot\.ini|\.kube|\.npmrc|\.env\b|var[/\\](?:spool|www))`
const ESCAPES: readonly RegExp[] = [
  new RegExp(String.raw`(?:\.\.[/\\]){2,20}[^\s"'\`]{0,80}?${SENSITIVE_END}`, 'gi'),
  /(?:(?:%2e|\.){2}(?:%2f|%5c|%252f)|(?:%2e){2}[/\\]|%252e%252e%252f|\.\.;\/){2,20}[^\s"'`]{0,80}/gi,
  /(?:>|\btee\b|-o|-C|-d|--output|--directory)\s{0,2}["']?(?:\.\.\/){3,20}[^\s"'`]{0,80}/g,
  /\.\.\\\.\.\\\.\.\\[^\s"'`]{0,80}/g,
]

/** A path that climbs out of the folder it is given for. */
const pathEscape: Rule = {
  code: 'path_escape',
  severity: 'critical',
  says: 'names a path that leaves its folder',
  *find(reading: Reading): Iterable<Match> {
    yield* rangesOf(reading, ...ESCAPES)
  },
}

export const PATH_RULES: readonly Rule[] = [pathEscape]
