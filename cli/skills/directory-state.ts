import { lstat, readFile, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pathFault } from '../../domain/skill-file-path.js'
import { digestOf, HASH, type InstallableFile, isFile } from './installable-file.js'
import { describeFileError, isFileError } from './file-errors.js'
import { isExecutable, readOwnFile } from './held-directory.js'
import type { NotedFiles } from './noted-files.js'

/** File by which a directory is known to be the service's; written beside SKILL.md. */
export const MARKER = '.cairn-skill.json'
export const SKILL_FILE = 'SKILL.md'

/** The marker of a directory: which skill stands beside it. */
export interface Marker {
  readonly doc_id: string
  readonly content_hash: string
  /** Digest of SKILL.md as it was written. */
  readonly digest: string
  /** Digest of what it was made of beside the content. */
  readonly made_of: string
  /** Files beside SKILL.md that were written. */
  readonly files: readonly InstallableFile[]
}

/** One name in a target directory. */
export interface DirectoryEntry {
  readonly kind: 'directory' | 'link' | 'other'
  readonly skillFile: 'none' | 'file' | 'link' | 'other'
  /** True also where nobody can tell. */
  readonly isMarked: boolean
  /** Null when there is none, or it cannot be read. */
  readonly marker: Marker | null
  /** Digest of SKILL.md; null when there is none, or it is larger than any skill. */
  readonly digest: string | null
  /** Holds the marker's files that are there, by path, as they are now. */
  readonly files: ReadonlyMap<string, PresentFile>
  /** Says why the rest could not be read. */
  readonly fault?: string
}

type PresentFile = Pick<InstallableFile, 'hash' | 'executable'>

/** The entries of a target directory by their names, without hidden ones. */
export type DirectoryState = ReadonlyMap<string, DirectoryEntry>

/** Bytes of the largest file that may be a skill: 40,000 of content, and its front matter. */
const MAX_SKILL_FILE = 1 << 20

/**
 * Reads a target directory; one that does not exist has no entries. Symbolic links are reported and never followed. Files that `notes` knows are not read
 * again, and others are noted.
 */
export async function readDirectoryState(directory: string, notes?: NotedFiles): Promise<DirectoryState> {
  const state = new Map<string, DirectoryEntry>()
  const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  for (const name of names.filter((text) => !text.startsWith('.')).sort())
    state.set(name, await readEntry(join(directory, name), notes))
  return state
}

const NO_SKILL = { skillFile: 'none', isMarked: false, marker: null, digest: null, files: new Map() } as const

async function readEntry(path: string, notes: NotedFiles | undefined): Promise<DirectoryEntry> {
  const kind = await kindOf(path)
  if (kind !== 'directory') return { ...NO_SKILL, kind: kind === 'link' ? 'link' : 'other' }
  try {
    return await readSkill(path, notes)
  } catch (error) {
    if (!isFileError(error)) throw error
    const marker = await kindOf(join(path, MARKER)).catch(() => null)
    return { ...NO_SKILL, kind, isMarked: marker === 'file' || marker === null, fault: describeFileError(error) }
  }
}

async function readSkill(path: string, notes: NotedFiles | undefined): Promise<DirectoryEntry> {
  const skillFile = await kindOf(join(path, SKILL_FILE))
  const markerFile = await kindOf(join(path, MARKER))
  const text = skillFile === 'file' ? await readSmall(join(path, SKILL_FILE)) : null
  const markerText = markerFile === 'file' ? await readSmall(join(path, MARKER)) : null
  const marker = markerText === null ? null : parseMarker(markerText)
  return {
    kind: 'directory',
    skillFile: skillFile === 'directory' ? 'other' : skillFile,
    isMarked: markerFile === 'file',
    marker,
    files: await readFiles(path, marker?.files ?? [], notes),
    digest: text === null ? null : digestOf(text),
  }
}

async function kindOf(path: string): Promise<'none' | 'file' | 'directory' | 'link' | 'other'> {
  try {
    const stats = await lstat(path)
    if (stats.isSymbolicLink()) return 'link'
    return stats.isDirectory() ? 'directory' : stats.isFile() ? 'file' : 'other'
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code!)) return 'none'
    throw error
  }
}

async function readSmall(path: string): Promise<string | null> {
  return (await lstat(path)).size > MAX_SKILL_FILE ? null : readFile(path, 'utf8')
}

function parseMarker(text: string): Marker | null {
  try {
    const { doc_id, content_hash, digest, made_of, files } = (JSON.parse(text) ?? {}) as Partial<Marker>
    // The service refuses a listing that knows anything else than a hash.
    const hashes = [content_hash, digest, made_of]
    const isWhole = typeof doc_id === 'string' && hashes.every((value) => HASH.test(String(value)))
    if (!isWhole || !Array.isArray(files) || !files.every(isFile)) return null
    if (files.some(({ path }) => pathFault(path) !== null)) return null
    return { doc_id, content_hash: content_hash!, digest: digest!, made_of: made_of!, files }
  } catch {
    return null
  }
}

/** Reads those of some files that are there, without following a link. */
async function readFiles(
  folder: string,
  files: readonly InstallableFile[],
  notes: NotedFiles | undefined,
): Promise<ReadonlyMap<string, PresentFile>> {
  const found = new Map<string, PresentFile>()
  for (const { path } of files) {
    const segments = path.split('/')
    const folders = segments.slice(0, -1).map((_, i) => join(folder, ...segments.slice(0, i + 1)))
    const kinds = await Promise.all(folders.map(kindOf))
    if (kinds.some((kind) => kind !== 'directory') || (await kindOf(join(folder, path))) !== 'file') continue
    found.set(path, await readPresent(join(folder, path), `${basename(folder)}/${path}`, notes))
  }
  return found
}

async function readPresent(path: string, name: string, notes: NotedFiles | undefined): Promise<PresentFile> {
  const now = Date.now()
  const present = await lstat(path, { bigint: true })
  const known = notes?.hashOf(name, present)
  if (known != null) return { hash: known, executable: isExecutable(present) }
  const { bytes, stats } = await readOwnFile(path)
  const hash = digestOf(bytes)
  notes?.add(name, { stats, hash, now })
  return { hash, executable: isExecutable(stats) }
}

export function isSameFile(present: PresentFile | undefined, { hash, executable }: PresentFile): boolean {
  return present?.hash === hash && present.executable === executable
}

/** Returns true when SKILL.md is as it was written, so that its content is the one that the marker's hash stands for. */
export function isIntact(entry: DirectoryEntry): entry is DirectoryEntry & { readonly marker: Marker } {
  return entry.marker !== null && entry.marker.digest === entry.digest
}
