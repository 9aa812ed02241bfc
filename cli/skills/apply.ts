import { randomUUID } from 'node:crypto'
import { mkdir, rename, rmdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ReadSkillFile } from './catalogue.js'
import { digestOf, type InstallableFile } from './installable-file.js'
import { type DirectoryEntry, isSameFile, MARKER, type Marker, SKILL_FILE } from './directory-state.js'
import { skillFile } from '../../domain/skills/skill-file.js'
import { describeFileError, isFileError } from './file-errors.js'
import { type HeldDirectory, readOwnFile, requirePrivate, withDirectory } from './held-directory.js'
import { madeOf, type Plan, type Refusal, type SkillWrite } from './plan.js'
import { STAGING, UnreversedError, withStaging } from './staging.js'

/** A rename, and the one that reverses it. */
interface Move {
  /** A name in the staging directory, or of what is removed in the target. */
  readonly from: string
  /** Names of the directories down to the file, the skill's first; null for a whole directory. */
  readonly folder: readonly string[] | null
  readonly to: string
  readonly isRemoval: boolean
  /** Name of a copy of the file that the rename replaces; null when it replaces nothing. */
  readonly backup: string | null
}

/** The moves that change one name of a target: all are made, or none. */
interface Change {
  readonly name: string
  readonly moves: readonly Move[]
}

/** The directories of a target that are held open while its plan is applied. */
interface Held {
  readonly target: HeldDirectory
  readonly staging: HeldDirectory
}

/** Says how a plan is applied. */
export interface ApplyOptions {
  readonly readFile: ReadSkillFile
  /** False writes no markers: the directory belongs to nobody. */
  readonly marks: boolean
}

/**
 * Makes the changes of a plan in a directory, of which this process holds the lock, with the files that `options.readFile` returns. Returns what it
 * could not change, which is as it was. Throws CommandError, which says where the files are that were replaced, when they cannot be put back.
 * Everything is written and flushed before the first rename, so that a full disk changes nothing; a rename that fails is followed by the reversal of those of its skill, or of all when the disk is at fault.
 * A reader sees each SKILL.md as it was or as it is to be. Directories are held open where something is
 * read, written or renamed in them: what is put into their place meanwhile, a link for example, is not written through.
 */
export async function applyPlan(directory: string, plan: Plan, options: ApplyOptions): Promise<readonly Refusal[]> {
  const { writes, removals } = plan
  const faults: Refusal[] = []
  if (writes.length + removals.length === 0) return faults
  await requirePrivate(directory)
  await withStaging(directory, async ({ target, staging }) => {
    const held = { target, staging }
    const changes: Change[] = []
    const stage = async (name: string, makeMoves: () => Promise<Move[]>) => {
      const moves = await attempt({ held, directory, name, faults }, makeMoves)
      if (moves !== null) changes.push({ name, moves })
    }
    for (const write of writes) await stage(write.folder, () => stageWrite(held, write, options))
    for (const name of removals)
      changes.push({
        name,
        moves: [{ from: name, folder: null, to: `removed-${name}`, isRemoval: true, backup: null }],
      })
    await staging.flush()
    await makeChanges({ held, directory, faults }, changes)
    const failed = new Set(faults.map(({ name }) => name))
    for (const { folder } of writes)
      if (!failed.has(folder)) await withDirectory(join(target.path, folder), (opened) => opened.flush())
    await target.flush()
  })
  return faults
}

interface Attempt {
  readonly held: Held
  readonly directory: string
  readonly name: string
  readonly faults: Refusal[]
}

/** Returns what work on one skill returns; null where the file system does not allow it, which is said among the faults. Throws what is no fault of that skill. */
async function attempt<T>({ held, directory, name, faults }: Attempt, work: () => Promise<T>): Promise<T | null> {
  try {
    return await work()
  } catch (error) {
    if (!isFileError(error) || OF_THE_DISK.has(error.code!)) throw error
    const reason = describeFileError(error)
      .replaceAll(held.staging.path, join(directory, STAGING))
      .replaceAll(held.target.path, directory)
    faults.push({ name, reason })
    return null
  }
}

/** Codes of errors that every other skill would meet too. */
const OF_THE_DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM'])

/**
 * Writes a skill's files into the staging directory and returns the renames that put them into their places: of a whole
 * directory for a new skill; of its files, SKILL.md and then of the marker for another.
 */
async function stageWrite({ target, staging }: Held, write: SkillWrite, options: ApplyOptions): Promise<Move[]> {
  const { readFile, marks } = options
  if (write.present !== null) return stageFiles({ target, staging }, write, write.present, readFile)
  const name = `new-${write.folder}`
  await mkdir(join(staging.path, name))
  await withDirectory(join(staging.path, name), async (staged) => {
    const { files, texts } = filesOf(write)
    for (const file of files) await writeStaged(staged.path, file, await readFile(write.skill, file))
    for (const { name, text } of marks ? texts : texts.slice(0, 1)) await writeFlushed(join(staged.path, name), text)
    await staged.flush()
  })
  return [{ from: name, folder: null, to: write.folder, isRemoval: false, backup: null }]
}

async function writeStaged(folder: string, file: InstallableFile, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, file.path)), { recursive: true })
  await writeFlushed(join(folder, file.path), bytes, file.executable)
}

async function stageFiles(
  { target, staging }: Held,
  write: SkillWrite,
  present: DirectoryEntry,
  readFile: ReadSkillFile,
): Promise<Move[]> {
  const { files, texts } = filesOf(write)
  const moves: Move[] = []
  const add = async (path: string, bytes: Uint8Array | string, isExecutable = false) => {
    const [folder, to] = placeOf(write.folder, path)
    const from = randomUUID()
    await writeFlushed(join(staging.path, from), bytes, isExecutable)
    moves.push({ from, folder, to, isRemoval: false, backup: await backUp({ target, staging }, folder, to) })
  }
  // First, since a file may become a folder, or a folder a file.
  for (const { path } of present.marker?.files ?? [])
    if (present.files.has(path) && !files.some((file) => file.path === path)) {
      const [folder, from] = placeOf(write.folder, path)
      moves.push({ from, folder, to: `removed-${randomUUID()}`, isRemoval: true, backup: null })
    }
  for (const file of files)
    if (!isSameFile(present.files.get(file.path), file))
      await add(file.path, await readFile(write.skill, file), file.executable)
  const [skillText, marker] = texts
  if (present.digest !== digestOf(skillText!.text)) await add(skillText!.name, skillText!.text)
  await add(marker!.name, marker!.text)
  return moves
}

function placeOf(folder: string, path: string): [folders: readonly string[], name: string] {
  const segments = path.split('/')
  return [[folder, ...segments.slice(0, -1)], segments.at(-1)!]
}

/** Creates what is missing of the directories below a target. */
async function makeFolders(directory: HeldDirectory, [first, ...others]: readonly string[]): Promise<void> {
  if (first === undefined) return
  await mkdir(join(directory.path, first)).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
  await withDirectory(join(directory.path, first), (opened) => makeFolders(opened, others))
}

/** Copies a file that is replaced into the staging directory; returns the copy's name, null when there is no such file. */
async function backUp({ target, staging }: Held, folder: readonly string[], name: string): Promise<string | null> {
  const found = await withFolder(target, folder, (opened) => readOwnFile(join(opened.path, name))).catch(
    (error: NodeJS.ErrnoException) => {
      if (NO_FILE.has(error.code!)) return null
      throw error
    },
  )
  if (found === null) return null
  const backup = `${randomUUID()}.replaced`
  await writeFlushed(join(staging.path, backup), found.bytes, found.isExecutable)
  return backup
}

const NO_FILE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR'])

/** Works in a directory below another, each of which is held open meanwhile. */
async function withFolder<T>(
  directory: HeldDirectory,
  [first, ...others]: readonly string[],
  work: (opened: HeldDirectory) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work(directory)
  return withDirectory(join(directory.path, first), (opened) => withFolder(opened, others, work))
}

/** Returns the files of a skill that come from the service, and the two that are made here: SKILL.md and the marker. */
function filesOf({ skill, content }: SkillWrite) {
  const text = skillFile(skill, content)
  const { doc_id, content_hash, files } = skill
  const marker: Marker = { doc_id, content_hash, digest: digestOf(text), made_of: madeOf(skill), files }
  const texts = [
    { name: SKILL_FILE, text },
    { name: MARKER, text: `${JSON.stringify(marker)}\n` },
  ]
  return { files, texts }
}

async function writeFlushed(path: string, content: string | Uint8Array, isExecutable = false): Promise<void> {
  await writeFile(path, content, { flag: 'wx', flush: true, mode: isExecutable ? 0o777 : 0o666 })
}

/** Makes all moves of each change or none. An error of the disk reverses every change. */
async function makeChanges(
  { held, directory, faults }: Omit<Attempt, 'name'>,
  changes: readonly Change[],
): Promise<void> {
  const made: Move[] = []
  try {
    for (const { name, moves } of changes) {
      const own = await attempt({ held, directory, name, faults }, () => makeMoves(held, moves))
      made.push(...(own ?? []))
    }
  } catch (error) {
    await reverseMoves(held, made)
    throw error
  }
}

async function makeMoves(held: Held, moves: readonly Move[]): Promise<readonly Move[]> {
  const made: Move[] = []
  try {
    for (const move of moves) {
      await makeMove(held, move)
      made.push(move)
      if (move.folder !== null && move.isRemoval) await removeEmptyFolders(held.target, move.folder)
    }
    return made
  } catch (error) {
    await reverseMoves(held, made)
    throw error
  }
}

async function makeMove(held: Held, move: Move): Promise<void> {
  const { folder, isRemoval } = move
  try {
    if (folder !== null && !isRemoval) await makeFolders(held.target, folder)
    await inFolder(held, move, (from, to) => rename(join(from, move.from), join(to, move.to)))
  } catch (error) {
    // Its folders may stand where a file is to be put back.
    if (folder !== null && !isRemoval) await removeEmptyFolders(held.target, folder).catch(() => undefined)
    throw error
  }
}

/** Reverses as many moves as it can. Throws UnreversedError when it cannot reverse all of them: what they replaced is in the staging directory alone. */
async function reverseMoves(held: Held, made: readonly Move[]): Promise<void> {
  const failures: NodeJS.ErrnoException[] = []
  for (const move of made.toReversed())
    await reverseMove(held, move).catch((error: NodeJS.ErrnoException) => failures.push(error))
  if (failures.length > 0) throw new UnreversedError(failures[0]!)
}

async function reverseMove(held: Held, move: Move): Promise<void> {
  const { folder, isRemoval, backup } = move
  if (folder !== null && isRemoval) await makeFolders(held.target, folder)
  await inFolder(held, move, (from, to) =>
    backup === null ? rename(join(to, move.to), join(from, move.from)) : rename(join(from, backup), join(to, move.to)),
  )
  if (folder !== null && !isRemoval && backup === null) await removeEmptyFolders(held.target, folder)
}

/** Removes the directories below a skill's own down to one that a file was taken from, as far as they are empty now. */
async function removeEmptyFolders(target: HeldDirectory, folder: readonly string[]): Promise<void> {
  for (let depth = folder.length - 1; depth > 0; depth--) {
    const isRemoved = await withFolder(target, folder.slice(0, depth), ({ path }) =>
      rmdir(join(path, folder[depth]!)).then(
        () => true,
        () => false,
      ),
    )
    if (!isRemoved) return
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
  if (isRemoval) await withFolder(target, folder ?? [], (opened) => work(opened.path, staging.path))
  else if (folder === null) await work(staging.path, target.path)
  else await withFolder(target, folder, (opened) => work(staging.path, opened.path))
}
