import { createReadStream } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { CommandError } from '../failure.js'

/** Times that a file of a .zip may be larger than its compressed bytes, from `FREE_BYTES` on: JSON is 5 to 50 times as large. */
const MOST_RATIO = 200
const FREE_BYTES = 1024 * 1024

/** Paths of hidden files and folders, such as those that macOS adds to a .zip. */
const HIDDEN = /(^|\/)\./

/** A file of an export. */
export interface ExportFile {
  /** The name that messages use. */
  readonly name: string
  /** Path within the export, with `/`. */
  readonly path: string
  bytes(): Promise<Readable>
}

/**
 * Yields the files of an export whose paths match, sorted: those of a folder, of a .zip as it was downloaded, which is never unpacked to disk,
 * or the one file that `source` is, whatever its name. Links and hidden files are left out. Throws CommandError for what cannot be read, and for
 * a .zip that expands to so many times its size that it was made to.
 */
export async function* exportFiles(source: string, matching: RegExp): AsyncGenerator<ExportFile, void, undefined> {
  if (await isFolder(source)) {
    for await (const name of filesIn(source, '')) {
      if (!matching.test(name)) continue
      const file = path.join(source, name)
      await isFolder(file)
      yield { name: file, path: name, bytes: () => Promise.resolve(createReadStream(file)) }
    }
  } else if (await isZip(source)) yield* zippedFiles(source, matching)
  else yield { name: source, path: path.basename(source), bytes: () => Promise.resolve(createReadStream(source)) }
}

async function* filesIn(root: string, folder: string): AsyncGenerator<string, void, undefined> {
  const at = path.join(root, folder)
  const entries = await readdir(at, { withFileTypes: true }).catch(unreadable(at))
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue
    const name = path.posix.join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(root, name)
    else if (!entry.isSymbolicLink()) yield name
  }
}

/** Returns false for a file. Throws CommandError for anything else: the opening of a pipe waits for its writer. */
async function isFolder(file: string): Promise<boolean> {
  const found = await stat(file).catch(unreadable(file))
  if (found.isDirectory() || found.isFile()) return found.isDirectory()
  throw new CommandError(`${file} cannot be read (it is neither a file nor a folder).`)
}

function unreadable(file: string): (error: unknown) => never {
  return (error) => {
    throw new CommandError(`${file} cannot be read (${reasonOf(error)}).`)
  }
}

async function isZip(file: string): Promise<boolean> {
  const handle = await open(file).catch(unreadable(file))
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4)
    return bytesRead === 4 && buffer.readUInt32LE() === 0x04034b50
  } finally {
    await handle.close()
  }
}

async function* zippedFiles(source: string, matching: RegExp): AsyncGenerator<ExportFile, void, undefined> {
  const zip = await openPromise(source, { autoClose: false }).catch((error: unknown) => {
    throw new CommandError(`${source} is not a .zip that can be read (${reasonOf(error)}).`)
  })
  try {
    const entries: Entry[] = []
    for await (const entry of zip.eachEntry())
      if (matching.test(entry.fileName) && !HIDDEN.test(entry.fileName)) entries.push(entry)
    for (const entry of entries.sort((a, b) => (a.fileName < b.fileName ? -1 : 1)))
      yield { name: `${entry.fileName} in ${source}`, path: entry.fileName, bytes: () => openEntry(zip, entry) }
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError(`${source} cannot be read (${reasonOf(error)}).`)
  } finally {
    zip.close()
  }
}

function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  const { uncompressedSize: bytes, compressedSize: compressed } = entry
  if (bytes > FREE_BYTES && bytes > MOST_RATIO * compressed)
    throw new Error(`it expands to more than ${MOST_RATIO} times its size: unpack it yourself if you trust it`)
  return zip.openReadStreamPromise(entry)
}

/** Returns what is wrong, in words, or the code of an error of the system. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'it is not UTF-8'
  return code?.startsWith('E') && !code.startsWith('ERR_') ? code : message
}
