import { isSlug, isSourcePrefix } from '../domain/skills/skill.js'

export const SKILL_SCHEME = 'skill://'
export const SKILL_FILE = 'SKILL.md'
/** Matches every file of every skill. */
export const SKILL_FILES_TEMPLATE = `${SKILL_SCHEME}{+path}`

/** The URI of the longest path that a skill's file may have is shorter. */
const LONGEST_URI = 2_000
/** Stands before a `doc_id` that is itself the prefix of a source, whose folder would be among those of that source's skills. No slug is like it. */
const APART = '-'

/** A place that a URI names: a skill, and a path below the root of all skills. */
interface SkillPlace {
  readonly docId: string
  readonly segments: readonly string[]
}

/**
 * Returns the path of a skill's folder: its `doc_id`, and its name in the Agent Skills format where that is not the last segment already, since the protocol wants
 * the folder to have that name.
 */
export function skillPathOf(docId: string, name: string): readonly string[] {
  const segments = docId.split('/')
  const path = isSourcePrefix(docId) ? [APART, ...segments] : segments
  return path.at(-1) === name ? path : [...path, name]
}

export function skillUri(...path: readonly string[]): string {
  return SKILL_SCHEME + path.map(encodeURIComponent).join('/')
}

/** Returns the place that a URI names; null where no skill can be. */
export function readSkillUri(uri: string): SkillPlace | null {
  if (uri.length > LONGEST_URI || !uri.startsWith(SKILL_SCHEME)) return null
  const segments = uri.slice(SKILL_SCHEME.length).split('/').map(decoded)
  if (segments.some((segment) => !segment || segment.includes('/'))) return null
  const docId = docIdOf(segments as string[])
  return docId.split('/').every(isSlug) ? { docId, segments: segments as string[] } : null
}

function docIdOf([first = '', second = '']: readonly string[]): string {
  if (first === APART) return second
  return isSourcePrefix(first) ? `${first}/${second}` : first
}

function decoded(segment: string): string | null {
  try {
    return decodeURIComponent(segment)
  } catch {
    return null
  }
}
