import { createHash } from 'node:crypto'

/** A file that stands beside SKILL.md in a skill's folder. */
export interface SkillFile {
  /** Path within the folder, its segments separated by `/`. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** `sha256:` and the hex digest of the bytes. */
  readonly hash: string
  readonly isExecutable: boolean
}

/** A file with its bytes. */
export interface SkillFileBytes extends SkillFile {
  readonly bytes: Buffer
}

/** The rest of a skill's folder: what it has beside the content of SKILL.md. */
export interface SkillFolder {
  /** The text before the content in SKILL.md as it was imported, its fences included; null where the service writes one. */
  readonly frontMatter: string | null
  /** Sorted by path. */
  readonly files: readonly SkillFile[]
  /** Digest of both; null when there is neither. */
  readonly folderHash: string | null
}

export const MOST_FILES = 200
export const MOST_FILE_BYTES = 10 * 1024 * 1024
const LONGEST_PATH_BYTES = 400

/** The folder of a skill that is its content alone. */
export const NO_FOLDER: SkillFolder = { frontMatter: null, files: [], folderHash: null }

export function fileOf(path: string, bytes: Buffer, isExecutable: boolean): SkillFileBytes {
  const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
  return { path, size: bytes.length, hash, isExecutable, bytes }
}

/** Returns a folder with its hash, the files by path. */
export function folderOf(frontMatter: string | null, given: readonly SkillFile[]): SkillFolder {
  if (frontMatter === null && given.length === 0) return NO_FOLDER
  const files = given
    .map(({ path, size, hash, isExecutable }) => ({ path, size, hash, isExecutable }))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
  const parts = [frontMatter, files.map(({ path, hash, isExecutable }) => [path, hash, isExecutable])]
  return {
    frontMatter,
    files,
    folderHash: `sha256:${createHash('sha256').update(JSON.stringify(parts)).digest('hex')}`,
  }
}

/**
 * Returns why a path is none of a file in a skill's folder; null when it is one. A harness may take any SKILL.md that it
 * finds for a skill, and git runs what `.git` tells it to.
 */
export function pathFault(path: string): string | null {
  const segments = path.split('/')
  const [first = '', last = ''] = [segments[0], segments.at(-1)]
  if (Buffer.byteLength(path) > LONGEST_PATH_BYTES) return `has more than ${LONGEST_PATH_BYTES} bytes`
  if (/[\p{Surrogate}\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)) return 'has characters that cannot be seen'
  if (path.includes('\\') || /^[a-z]:/i.test(first) || segments.some((segment) => OUTSIDE.has(segment.trim())))
    return 'does not lead to a file within the folder'
  if (RESERVED.has(last.toLowerCase())) return `is a name that only the skill itself has in its folder`
  if (segments.some((segment) => segment.toLowerCase() === '.git')) return 'leads into a repository of git'
  return null
}

const OUTSIDE: ReadonlySet<string> = new Set(['', '.', '..'])
const RESERVED: ReadonlySet<string> = new Set(['skill.md', '.cairn-skill.json'])

/**
 * Returns two paths that some file systems take for one, or of which one is a file where the other has a folder; null for none.
 */
export function collidingPaths(paths: readonly string[]): readonly [string, string] | null {
  const seen = new Map<string, { readonly path: string; readonly isFile: boolean }>()
  for (const path of paths) {
    const segments = path.split('/')
    for (let i = 1; i <= segments.length; i++) {
      const part = segments.slice(0, i).join('/')
      const isFile = i === segments.length
      const other = seen.get(foldedPath(part))
      if (other && (other.path !== part || isFile || other.isFile)) return [other.path, path]
      seen.set(foldedPath(part), { path: part, isFile })
    }
  }
  return null
}

function foldedPath(path: string): string {
  return path.normalize('NFC').toLowerCase()
}

/** Returns the text of a file; null for one that is not text in UTF-8. */
export function textOfFile(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}
