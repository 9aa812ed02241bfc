import { pathFault } from '../../domain/skill-file-path.js'
import { digestOf } from './installable-file.js'
import type { InstallableSkill, Listing } from './catalogue.js'
import {
  type DirectoryEntry,
  type DirectoryState,
  isIntact,
  isSameFile,
  MARKER,
  SKILL_FILE,
} from './directory-state.js'
import { folderNameOf } from '../../domain/skills/folder-name.js'
import type { SkillTarget } from './targets.js'

/** A skill to write. */
export interface SkillWrite {
  readonly skill: InstallableSkill
  /** Name of its directory. */
  readonly folder: string
  readonly content: string
  /** The present entry; null for none. */
  readonly present: DirectoryEntry | null
}

/** One name under which several skills would be written. */
interface Collision {
  readonly folder: string
  readonly winner: string
  readonly losers: readonly string[]
}

export interface Refusal {
  /** A slug, or a name in the directory. */
  readonly name: string
  readonly reason: string
}

/** A skill whose slug is no name of the format. */
interface Renaming {
  readonly doc_id: string
  readonly folder: string
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
  readonly renamings: readonly Renaming[]
  /** `doc_id`s of skills to write whose content was left out as known. */
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
  const renamings: Renaming[] = []
  let unchanged = 0
  for (const { folder, skill } of winners) {
    const refusal = pathRefusalOf(skill) ?? refusalOf(folder, state.get(folder) ?? namesByLowerCase.get(folder), mode)
    if (refusal !== null) {
      refusals.push({ name: folder, reason: refusal })
      continue
    }
    if (folder !== skill.slug) renamings.push({ doc_id: skill.doc_id, folder })
    const present = state.get(folder) ?? null
    if (isWritten(skill, present)) unchanged++
    else if (skill.content === undefined) contentless.push(skill.doc_id)
    else writes.push({ skill, folder, content: skill.content, present })
  }
  const skills = [...state].filter(([, entry]) => isOurs(entry, mode)).map(([name]) => name)
  const listed = new Set(listing.items.map(({ slug }) => folderNameOf(slug)))
  const extra = listing.isComplete ? skills.filter((name) => !listed.has(name.toLowerCase())) : []
  refusals.push(...faultsOf(state, mode).filter(({ name }) => !refusals.some((refusal) => refusal.name === name)))
  const isHeld = skills.length >= GUARDED_SIZE && extra.length > skills.length / 2 && !force
  return {
    writes,
    removals: isHeld ? [] : extra,
    heldBack: isHeld ? extra : [],
    refusals,
    collisions,
    renamings,
    contentless,
    unchanged,
  }
}

/** Returns what could not be read. In an additive directory a folder without a marker is somebody else's, who may hide it. */
function faultsOf(state: DirectoryState, mode: SkillTarget['mode']): Refusal[] {
  return [...state].flatMap(([name, { fault, isMarked }]) =>
    fault !== undefined && (mode === 'owned' || isMarked) ? [{ name, reason: fault }] : [],
  )
}

/** Sources by their precedence; any other comes last. */
const PRECEDENCE = ['manual', 'imported', 'agent', 'forge']

/** Returns one skill for each name of a directory, sorted by it. */
function chooseSkills(items: readonly InstallableSkill[]) {
  const refusals: Refusal[] = []
  const byFolder = new Map<string, InstallableSkill[]>()
  for (const skill of items) {
    const folder = folderNameOf(skill.slug)
    if (SLUG.test(skill.slug)) byFolder.set(folder, [...(byFolder.get(folder) ?? []), skill])
    else
      refusals.push({
        name: skill.slug,
        reason: `${skill.doc_id} is not written: its slug is not one, but a path or other text.`,
      })
  }
  const winners: { readonly folder: string; readonly skill: InstallableSkill }[] = []
  const collisions: Collision[] = []
  for (const folder of [...byFolder.keys()].sort()) {
    const [winner, ...losers] = byFolder.get(folder)!.sort((a, b) => byPrecedence(a, b, folder))
    winners.push({ folder, skill: winner! })
    const left = losers.map(({ doc_id }) => doc_id)
    if (left.length > 0) collisions.push({ folder, winner: winner!.doc_id, losers: left })
  }
  return { winners, collisions, refusals }
}

/** Compares by the source first: nobody takes a person's directory by a slug that is its name. */
function byPrecedence(a: InstallableSkill, b: InstallableSkill, folder: string): number {
  const rank = ({ source }: InstallableSkill) =>
    PRECEDENCE.includes(source) ? PRECEDENCE.indexOf(source) : PRECEDENCE.length
  const isMapped = ({ slug }: InstallableSkill) => Number(slug !== folder)
  return rank(a) - rank(b) || isMapped(a) - isMapped(b) || (a.doc_id < b.doc_id ? -1 : 1)
}

/** Returns true for an entry that may be changed and removed. Whatever else stands in the directory is left alone. */
function isOurs(entry: DirectoryEntry, mode: SkillTarget['mode']): boolean {
  if (entry.fault !== undefined) return false
  if (mode === 'additive') return entry.isMarked
  return entry.kind === 'link' || entry.skillFile !== 'none' || entry.isMarked
}

/** Returns why the files of a skill cannot be written; null when they can. The service may have stored one before it refused such a path. */
function pathRefusalOf({ files }: InstallableSkill): string | null {
  for (const { path } of files) {
    const fault = pathFault(path)
    if (fault !== null) return `its file ${path} ${fault}: write the skill with all of its files, and other paths.`
  }
  return null
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
  if (present.fault !== undefined) return present.fault
  if (present.kind === 'link') return 'it is a symbolic link, and nothing is written through one: remove it.'
  if (present.kind === 'other') return 'a file stands where its directory belongs: remove it.'
  if (present.skillFile === 'link')
    return `its ${SKILL_FILE} is a symbolic link, and nothing is written through one: remove it.`
  if (present.skillFile === 'other') return `its ${SKILL_FILE} is not a file: remove it.`
  if (mode === 'additive' && !present.isMarked)
    return `the directory has no ${MARKER}, so it is somebody else's: rename or remove it.`
  return null
}

/** Returns true when a skill stands in its directory as it would be written. */
function isWritten(skill: InstallableSkill, present: DirectoryEntry | null): boolean {
  if (present === null || !isIntact(present)) return false
  const { doc_id, content_hash, made_of } = present.marker
  const isMade = doc_id === skill.doc_id && content_hash === skill.content_hash && made_of === madeOf(skill)
  return isMade && skill.files.every((file) => isSameFile(present.files.get(file.path), file))
}

/** Another format of SKILL.md writes every file again. */
const FORMAT = 3

/** Returns a digest of what a skill's files are made of, beside its content. */
export function madeOf({ slug, name, description, version, front_matter, files }: InstallableSkill): string {
  const paths = files.map(({ path, hash, executable }) => [path, hash, executable])
  return digestOf(JSON.stringify([FORMAT, slug, name, description, version, front_matter, paths]))
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
