import { randomUUID } from 'node:crypto'
import { lstat, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ReadSkillFile } from './catalogue.js'
import { digestOf, type InstallableFile } from './installable-file.js'
import { type DirectoryEntry, isSameFile, MARKER, type Marker, SKILL_FILE } from './directory-state.js'
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
  /** Names of the directories down to the file, the skill's first; null for a whole directory. */
  readonly folder: readonly string[] | null
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

/** Says how a plan is applied. */
export interface ApplyOptions {
  readonly readFile: ReadSkillFile
  /** False writes no markers: the directory belongs to nobody. */
  readonly marks: boolean
}

/**
 * Makes the changes of a plan in a directory, of which this process holds the lock, with the files that `options.readFile` returns. Everything is written and flushed
 * before the first rename, so that a full disk changes nothing; a rename that fails is followed by the reversal of all
 * that were made. A reader sees each SKILL.md as it was or as it is to be. Directories are held open where something is
 * read, written or renamed in them: what is put into their place meanwhile, a link for example, is not written through.
 */
export async function applyPlan(directory: string, { writes, removals }: Plan, options: ApplyOptions): Promise<void> {
  if (writes.length + removals.length === 0) return
  await requirePrivate(directory)
  await withDirectory(directory, async (target) => {
    await mkdir(join(target.path, STAGING), { mode: 0o700 })
    try {
      await withDirectory(join(target.path, STAGING), async (staging) => {
        const moves: Move[] = []
        for (const write of writes) moves.push(...(await stageWrite({ target, staging }, write, options)))
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
    await makeFolders(target, folder)
    const from = randomUUID()
    await writeFlushed(join(staging.path, from), bytes, isExecutable)
    moves.push({ from, folder, to, isRemoval: false, backup: await backUp({ target, staging }, folder, to) })
  }
  for (const file of files)
    if (!isSameFile(present.files.get(file.path), file))
      await add(file.path, await readFile(write.skill, file), file.executable)
  const [skillText, marker] = texts
  if (present.digest !== digestOf(skillText!.text)) await add(skillText!.name, skillText!.text)
  for (const { path } of present.marker?.files ?? [])
    if (present.files.has(path) && !files.some((file) => file.path === path)) {
      const [folder, from] = placeOf(write.folder, path)
      moves.push({ from, folder, to: `removed-${randomUUID()}`, isRemoval: true, backup: null })
    }
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
  return withFolder(target, folder, async (opened) => {
    const found = await readOwnFile(join(opened.path, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (found === null) return null
    const backup = `${randomUUID()}.replaced`
    await writeFlushed(join(staging.path, backup), found.bytes, found.isExecutable)
    return backup
  })
}

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
  if (isRemoval) await withFolder(target, folder ?? [], (opened) => work(opened.path, staging.path))
  else if (folder === null) await work(staging.path, target.path)
  else await withFolder(target, folder, (opened) => work(staging.path, opened.path))
}
