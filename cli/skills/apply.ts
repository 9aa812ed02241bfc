import { randomUUID } from 'node:crypto'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { digestOf, MARKER, type Marker, SKILL_FILE } from './directory-state.js'
import { skillFile } from '../../domain/skills/skill-file.js'
import { type HeldDirectory, readOwnFile, withDirectory } from './held-directory.js'
import { madeOf, type Plan, type SkillWrite } from './plan.js'

/** Hidden directory in a target for what is not in its place yet, or not any more. */
const STAGING = '.cairn-sync'

/** Removes what a run that was killed left behind. */
export async function removeLeftovers(directory: string): Promise<void> {
  await rm(join(directory, STAGING), { recursive: true, force: true })
}

/** A rename, and the one that reverses it. */
interface Move {
  /** A name in the staging directory, or of what is removed in the target. */
  readonly from: string
  /** The skill's directory that the file belongs to; null for a whole directory. */
  readonly folder: string | null
  readonly to: string
  readonly isRemoval: boolean
  /** Name of a copy of the file that the rename replaces; null when it replaces nothing. */
  readonly backup: string | null
}

/** The directories of a target that are held open while its plan is applied. */
interface Held {
  readonly target: HeldDirectory
  readonly staging: HeldDirectory
}

/**
 * Makes the changes of a plan in a directory, of which this process holds the lock. Everything is written and flushed
 * before the first rename, so that a full disk changes nothing; a rename that fails is followed by the reversal of all
 * that were made. A reader sees each SKILL.md as it was or as it is to be. Directories are held open where something is
 * read, written or renamed in them: what is put into their place meanwhile, a link for example, is not written through.
 */
export async function applyPlan(directory: string, { writes, removals }: Plan): Promise<void> {
  if (writes.length + removals.length === 0) return
  await requirePrivate(directory)
  await withDirectory(directory, async (target) => {
    await mkdir(join(target.path, STAGING), { mode: 0o700 })
    try {
      await withDirectory(join(target.path, STAGING), async (staging) => {
        const moves: Move[] = []
        for (const write of writes) moves.push(...(await stageWrite({ target, staging }, write)))
        for (const name of removals)
          moves.push({ from: name, folder: null, to: `removed-${name}`, isRemoval: true, backup: null })
        await staging.flush()
        await makeMoves({ target, staging }, moves)
      })
      for (const { folder } of writes) await withDirectory(join(target.path, folder), (opened) => opened.flush())
      await target.flush()
    } finally {
      await removeLeftovers(target.path)
    }
  })
}

/** Throws for a directory in which everybody on the machine may put links and rename what is written. */
async function requirePrivate(directory: string): Promise<void> {
  const { mode } = await lstat(directory)
  if ((mode & 0o002) === 0 || process.platform === 'win32') return
  throw Object.assign(new Error('everybody may write there'), { code: 'EVERYBODY', syscall: 'open', path: directory })
}

/**
 * Writes a skill's files into the staging directory and returns the renames that put them into their places: of a whole
 * directory for a new skill; of SKILL.md and then of the marker for another.
 */
async function stageWrite({ target, staging }: Held, write: SkillWrite): Promise<Move[]> {
  if (write.present !== null)
    return withDirectory(join(target.path, write.folder), (opened) => stageFiles(staging, opened, write))
  const name = `new-${write.folder}`
  await mkdir(join(staging.path, name))
  await withDirectory(join(staging.path, name), async (staged) => {
    for (const file of filesOf(write)) await writeFlushed(join(staged.path, file.name), file.text)
    await staged.flush()
  })
  return [{ from: name, folder: null, to: write.folder, isRemoval: false, backup: null }]
}

async function stageFiles(staging: HeldDirectory, opened: HeldDirectory, write: SkillWrite): Promise<Move[]> {
  const moves: Move[] = []
  for (const { name, text, isThere } of filesOf(write)) {
    const from = randomUUID()
    const backup = isThere ? `${from}.replaced` : null
    await writeFlushed(join(staging.path, from), text)
    if (backup !== null) await writeFlushed(join(staging.path, backup), await readOwnFile(join(opened.path, name)))
    moves.push({ from, folder: write.folder, to: name, isRemoval: false, backup })
  }
  return moves
}

function filesOf({ skill, content, present }: SkillWrite) {
  const text = skillFile(skill, content)
  const { doc_id, content_hash } = skill
  const marker: Marker = { doc_id, content_hash, digest: digestOf(text), made_of: madeOf(skill) }
  return [
    ...(present?.digest === marker.digest ? [] : [{ name: SKILL_FILE, text, isThere: present?.skillFile === 'file' }]),
    { name: MARKER, text: `${JSON.stringify(marker)}\n`, isThere: present?.isMarked ?? false },
  ]
}

async function writeFlushed(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx', flush: true })
}

async function makeMoves(held: Held, moves: readonly Move[]): Promise<void> {
  const made: Move[] = []
  try {
    for (const move of moves) {
      await inFolder(held, move, (from, to) => rename(join(from, move.from), join(to, move.to)))
      made.push(move)
    }
  } catch (error) {
    for (const move of made.reverse())
      await inFolder(held, move, (from, to) =>
        move.backup === null
          ? rename(join(to, move.to), join(from, move.from))
          : rename(join(from, move.backup), join(to, move.to)),
      )
    throw error
  }
}

/** Works with the two directories of a move, which are what they were when they were opened. */
async function inFolder(
  { target, staging }: Held,
  { folder, isRemoval }: Move,
  work: (from: string, to: string) => Promise<void>,
): Promise<void> {
  await target.requireInPlace()
  await staging.requireInPlace()
  if (isRemoval) await work(target.path, staging.path)
  else if (folder === null) await work(staging.path, target.path)
  else await withDirectory(join(target.path, folder), (opened) => work(staging.path, opened.path))
}
