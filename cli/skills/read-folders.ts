import { lstat, readdir, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { type FrontMatterFields, readFrontMatter, splitSkillFile } from '../../domain/skills/front-matter.js'
import { collidingPaths, pathFault } from '../../domain/skill-file-path.js'
import {
  fileOf,
  MOST_FILE_BYTES,
  MOST_FILES,
  type SkillFileBytes,
  textOfFile,
} from '../../domain/skills/skill-files.js'
import { counted } from '../../runtime/counted.js'
import { MARKER, SKILL_FILE } from './directory-state.js'

/** A folder with a SKILL.md. */
export interface FoundFolder {
  readonly path: string
  readonly name: string
  /** Folders within it that are skills of their own. */
  readonly inner: readonly string[]
}

/** A skill's folder as it stands on a disk. */
export interface ReadFolder {
  readonly frontMatter: string
  readonly fields: FrontMatterFields
  readonly content: string
  readonly files: readonly SkillFileBytes[]
}

/** Names that are never part of a skill. */
const LEFT_OUT: ReadonlySet<string> = new Set(['.git', 'node_modules', MARKER])

/** Finds the folders with a SKILL.md below a directory, or the directory itself, by path. Links are not followed. */
export async function findFolders(directory: string): Promise<FoundFolder[]> {
  const found: FoundFolder[] = []
  const walk = async (path: string): Promise<string[]> => {
    const entries = (await readdir(path, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
    const inner: string[] = []
    for (const entry of entries)
      if (entry.isDirectory() && !LEFT_OUT.has(entry.name)) inner.push(...(await walk(join(path, entry.name))))
    if (!entries.some(({ name }) => name === SKILL_FILE)) return inner
    found.push({ path, name: basename(resolve(path)), inner })
    return [path]
  }
  await walk(directory)
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Reads a skill's folder, or returns a sentence that says why it is none that can be imported. */
export async function readFolder({ path, inner }: FoundFolder): Promise<ReadFolder | string> {
  const paths = await listFiles(path, inner)
  if (typeof paths === 'string') return paths
  if (paths.length > MOST_FILES)
    return `it has ${paths.length} files beside ${SKILL_FILE}; at most ${MOST_FILES} can be imported.`
  const fault = paths.map((one) => [one, pathFault(one)] as const).find(([, why]) => why !== null)
  if (fault) return `${fault[0]} ${fault[1]}.`
  const collision = collidingPaths(paths)
  if (collision) return `some file systems cannot hold ${collision.join(' beside ')}.`
  const files: SkillFileBytes[] = []
  for (const one of paths) {
    const { mode } = await lstat(join(path, one))
    files.push(fileOf(one, await readFile(join(path, one)), (mode & 0o100) !== 0))
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    if (bytes > MOST_FILE_BYTES) return `its files have more than ${counted(MOST_FILE_BYTES, 'byte')}.`
  }
  const parts = readSkillFile(await readFile(join(path, SKILL_FILE)))
  return typeof parts === 'string' ? parts : { ...parts, files }
}

function readSkillFile(bytes: Buffer): Omit<ReadFolder, 'files'> | string {
  const text = textOfFile(bytes)
  if (text === null) return `its ${SKILL_FILE} is no text in UTF-8.`
  const { frontMatter, content } = splitSkillFile(text)
  if (/^---[ \t]*[\r\n]/.test(content) && !frontMatter.includes('---'))
    return `its front matter has no end: a line of three hyphens is missing.`
  const fields = readFrontMatter(frontMatter)
  if (typeof fields === 'string') return `its front matter cannot be read. ${fields}`
  return content.trim() === '' ? `its ${SKILL_FILE} has no content.` : { frontMatter, fields, content }
}

/** Returns the paths of the files of a folder but SKILL.md; a sentence when one is no file. */
async function listFiles(folder: string, inner: readonly string[]): Promise<string[] | string> {
  const paths: string[] = []
  const walk = async (prefix: string): Promise<string | null> => {
    for (const entry of await readdir(join(folder, prefix), { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`
      if (LEFT_OUT.has(entry.name) || path === SKILL_FILE || inner.includes(join(folder, path))) continue
      if (entry.isSymbolicLink()) return `${path} is a symbolic link, and none is followed.`
      if (!entry.isDirectory() && !entry.isFile()) return `${path} is no file.`
      const fault = entry.isDirectory() ? await walk(`${path}/`) : null
      if (fault !== null) return fault
      if (entry.isFile()) paths.push(path)
    }
    return null
  }
  const link = (await lstat(join(folder, SKILL_FILE))).isFile() ? null : `its ${SKILL_FILE} is no file.`
  return link ?? (await walk('')) ?? paths.sort()
}
