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

/** Returns the text of a file; null for one that is not text in UTF-8. */
export function textOfFile(bytes: Buffer): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** The first bytes of files that are looked at or listened to. */
const MEDIA =
  /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF[^]{4}(?:WEBP|WAVE|AVI )|\x00\x00[\x01\x02]\x00|BM|II\*\x00|MM\x00\*|%PDF-|wOF[F2]|\x00\x01\x00\x00|OTTO|ttcf|ID3|\xff\xfb|OggS|fLaC|[^]{4}ftyp|\x1aE\xdf\xa3)/

/** Returns whether a file is a picture, a font, a sound, a film or a PDF, which nothing runs. */
export function isMedia({ bytes, isExecutable }: Pick<SkillFileBytes, 'bytes' | 'isExecutable'>): boolean {
  return !isExecutable && MEDIA.test(bytes.subarray(0, 16).toString('latin1'))
}

/** Returns the text of a file as whoever runs it reads it: in UTF-8, in UTF-16 with its mark, or byte by byte; null for one with NUL bytes. */
export function runnableText(bytes: Buffer): string | null {
  const [first, second] = bytes
  if (first === 0xff && second === 0xfe) return bytes.subarray(2).toString('utf16le')
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes)
  return textOfFile(bytes) ?? (bytes.includes(0) ? null : bytes.toString('latin1'))
}
