import type { InstallableSkill, Listing } from './catalogue.js'
import { type DirectoryEntry, type DirectoryState, digestOf, isIntact, MARKER, SKILL_FILE } from './directory-state.js'
import { frontMatter, skillFile } from '../../domain/skills/skill-file.js'
import type { SkillTarget } from './targets.js'

/** A skill to write. */
export interface SkillWrite {
  readonly skill: InstallableSkill
  /** Null when the content in the present SKILL.md is the right one and only its front matter changes. */
  readonly content: string | null
  /** The present entry; null for none. */
  readonly present: DirectoryEntry | null
}

/** One slug under which several skills are active. */
interface Collision {
  readonly slug: string
  readonly winner: string
  readonly losers: readonly string[]
}

export interface Refusal {
  /** A slug, or a name in the directory. */
  readonly name: string
  readonly reason: string
}

/** The changes that one directory needs, and those that it is not given. */
export interface Plan {
  readonly writes: readonly SkillWrite[]
  /** Names of directories to remove. */
  readonly removals: readonly string[]
  /** Names that would be removed, if they were not more than half of the directory. */
  readonly heldBack: readonly string[]
  readonly refusals: readonly Refusal[]
  readonly collisions: readonly Collision[]
  /** Skills whose content was left out as known, and is not in this directory. */
  readonly contentless: readonly string[]
  readonly unchanged: number
}

interface PlanOptions {
  readonly mode: SkillTarget['mode']
  /** Removes even more than half of a directory. */
  readonly force: boolean
}

const SLUG = /^[a-z0-9][a-z0-9._-]{0,99}$/
/** Directories smaller than this may be emptied at once. */
const GUARDED_SIZE = 4

/** Compares a listing with what a directory holds. Nothing is removed unless the listing is complete. */
export function planChanges(listing: Listing, state: DirectoryState, { mode, force }: PlanOptions): Plan {
  const { winners, collisions, refusals } = chooseSkills(listing.items)
  const namesByLowerCase = new Map([...state.keys()].map((name) => [name.toLowerCase(), name]))
  const writes: SkillWrite[] = []
  const contentless: string[] = []
  let unchanged = 0
  for (const skill of winners) {
    const refusal = refusalOf(skill.slug, state.get(skill.slug) ?? namesByLowerCase.get(skill.slug), mode)
    if (refusal !== null) {
      refusals.push({ name: skill.slug, reason: refusal })
      continue
    }
    const change = changeOf(skill, state.get(skill.slug) ?? null)
    if (change === 'none') unchanged++
    else if (change === 'contentless') contentless.push(skill.slug)
    else writes.push(change)
  }
  const skills = [...state].filter(([, entry]) => isOurs(entry, mode)).map(([name]) => name)
  const listed = new Set(listing.items.map(({ slug }) => slug))
  const extra = listing.isComplete ? skills.filter((name) => !listed.has(name.toLowerCase())) : []
  const isHeld = skills.length >= GUARDED_SIZE && extra.length > skills.length / 2 && !force
  return {
    writes,
    removals: isHeld ? [] : extra,
    heldBack: isHeld ? extra : [],
    refusals,
    collisions,
    contentless,
    unchanged,
  }
}

/** Sources by their precedence; any other comes last. */
const PRECEDENCE = ['manual', 'imported', 'agent', 'forge']

/** Returns one skill for each slug, sorted by it. */
function chooseSkills(items: readonly InstallableSkill[]) {
  const refusals: Refusal[] = []
  const bySlug = new Map<string, InstallableSkill[]>()
  for (const skill of items) {
    if (SLUG.test(skill.slug)) bySlug.set(skill.slug, [...(bySlug.get(skill.slug) ?? []), skill])
    else
      refusals.push({
        name: skill.slug,
        reason: `${skill.doc_id} is not written: its slug is not one, but a path or other text.`,
      })
  }
  const winners: InstallableSkill[] = []
  const collisions: Collision[] = []
  for (const slug of [...bySlug.keys()].sort()) {
    const [winner, ...losers] = bySlug.get(slug)!.sort(byPrecedence)
    winners.push(winner!)
    if (losers.length > 0) collisions.push({ slug, winner: winner!.doc_id, losers: losers.map(({ doc_id }) => doc_id) })
  }
  return { winners, collisions, refusals }
}

function byPrecedence(a: InstallableSkill, b: InstallableSkill): number {
  const rank = ({ source }: InstallableSkill) =>
    PRECEDENCE.includes(source) ? PRECEDENCE.indexOf(source) : PRECEDENCE.length
  return rank(a) - rank(b) || (a.doc_id < b.doc_id ? -1 : 1)
}

/** Returns true for an entry that may be changed and removed. Whatever else stands in the directory is left alone. */
function isOurs(entry: DirectoryEntry, mode: SkillTarget['mode']): boolean {
  if (mode === 'additive') return entry.isMarked
  return entry.kind === 'link' || entry.skillFile !== 'none' || entry.isMarked
}

/**
 * Returns why nothing may be written under a slug, given what stands there, or else a name that some file systems take
 * for the same; null when it may.
 */
function refusalOf(
  slug: string,
  present: DirectoryEntry | string | undefined,
  mode: SkillTarget['mode'],
): string | null {
  if (present === undefined) return null
  if (typeof present === 'string')
    return `${present} stands there. It differs from ${slug} only by upper and lower case: rename or remove it.`
  if (present.kind === 'link') return 'it is a symbolic link, and nothing is written through one: remove it.'
  if (present.kind === 'other') return 'a file stands where its directory belongs: remove it.'
  if (present.skillFile === 'link')
    return `its ${SKILL_FILE} is a symbolic link, and nothing is written through one: remove it.`
  if (present.skillFile === 'other') return `its ${SKILL_FILE} is not a file: remove it.`
  if (mode === 'additive' && !present.isMarked)
    return `the directory has no ${MARKER}, so it is somebody else's: rename or remove it.`
  return null
}

function changeOf(skill: InstallableSkill, present: DirectoryEntry | null): SkillWrite | 'none' | 'contentless' {
  const { content } = skill
  const hasContent = present !== null && isIntact(present) && present.marker.content_hash === skill.content_hash
  const isMarkedSo = hasContent && present.marker.doc_id === skill.doc_id
  if (content !== undefined)
    return isMarkedSo && digestOf(skillFile(skill, content)) === present.digest ? 'none' : { skill, content, present }
  if (!hasContent) return 'contentless'
  return isMarkedSo && present.frontMatter === frontMatter(skill) ? 'none' : { skill, content: null, present }
}

/**
 * Returns the contents that every directory holds as they were written, by `doc_id`: the service need not send them.
 */
export function knownContents(states: readonly DirectoryState[]): Map<string, string> {
  const [first, ...others] = states.map(contentsOf)
  return new Map([...(first ?? [])].filter(([docId, hash]) => others.every((other) => other.get(docId) === hash)))
}

function contentsOf(state: DirectoryState): Map<string, string> {
  const intact = [...state.values()].filter(isIntact)
  return new Map(intact.map(({ marker }) => [marker.doc_id, marker.content_hash]))
}
