import { collidingPaths, pathFault } from '../skill-file-path.js'
import { fileOf, MOST_FILE_BYTES, type SkillFileBytes } from './skill-files.js'

/** A file as a caller writes it. */
export interface WrittenFile {
  readonly path: string
  readonly content?: string | undefined
  readonly content_base64?: string | undefined
  readonly executable?: boolean | undefined
}

interface FileFault {
  /** Leads to the fault within the list. */
  readonly path: readonly string[]
  readonly message: string
}

interface ReadFiles {
  readonly files: readonly SkillFileBytes[]
  readonly faults: readonly FileFault[]
}

/** Reads the files of a skill, or finds everything that is wrong with each, or else with all of them. */
export function readFiles(written: readonly WrittenFile[]): ReadFiles {
  const refused = (message: string): ReadFiles => ({ files: [], faults: [{ path: [], message }] })
  const read = written.map(readFile)
  const faults = read.flatMap((file, i) =>
    'message' in file ? [{ path: [String(i), ...file.path], message: file.message }] : [],
  )
  if (faults.length > 0) return { files: [], faults }
  const files = read as SkillFileBytes[]
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > MOST_FILE_BYTES)
    return refused(`The files of a skill have at most ${MOST_FILE_BYTES} bytes; these have ${bytes}.`)
  const collision = collidingPaths(files.map(({ path }) => path))
  return collision ? refused(`Some file systems cannot hold ${collision.join(' beside ')}.`) : { files, faults: [] }
}

function readFile({
  path,
  content,
  content_base64: base64,
  executable = false,
}: WrittenFile): SkillFileBytes | FileFault {
  const fault = pathFault(path)
  if (fault !== null) return { path: ['path'], message: `The path ${fault}.` }
  if ((content === undefined) === (base64 === undefined))
    return { path: [], message: 'A file has either content or content_base64.' }
  const bytes = Buffer.from(content ?? base64!, content === undefined ? 'base64' : 'utf8')
  if (base64 !== undefined && bytes.toString('base64') !== base64)
    return { path: ['content_base64'], message: 'Must be base64 with its padding.' }
  return fileOf(path, bytes, executable)
}
