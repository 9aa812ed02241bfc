import { rename, writeFile } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { isFileError } from './file-errors.js'
import { readOwnFile } from './held-directory.js'
import { HASH } from './installable-file.js'
import { withStaging } from './staging.js'

/** Hidden file in a target. */
const NOTES = '.cairn-sync-files.json'
/**
 * Milliseconds that a file must have been left alone before it is noted: file systems keep times in steps, and a change within the step in which
 * it was read could not be told.
 */
const SETTLED_MS = 2_000

type Note = readonly [state: string, hash: string]

/**
 * Remembers the hashes of a target's files from round to round, so that a round reads only those that somebody touched. A note holds as long as the
 * inode of its file says what it said when the file was read: every write, also one that sets the times back, moves the time of its last change.
 */
export class NotedFiles {
  readonly #known: ReadonlyMap<string, Note>
  readonly #seen = new Map<string, Note>()

  private constructor(known: ReadonlyMap<string, Note>) {
    this.#known = known
  }

  /** Reads the notes of a target; what cannot be read is none. */
  static async read(directory: string): Promise<NotedFiles> {
    try {
      const { bytes } = await readOwnFile(join(directory, NOTES))
      const notes = Object.entries((JSON.parse(bytes.toString('utf8')) ?? {}) as Record<string, unknown>)
      return new NotedFiles(new Map(notes.filter((entry): entry is [string, Note] => isNote(entry[1]))))
    } catch (error) {
      if (!isFileError(error) && !(error instanceof SyntaxError)) throw error
      return new NotedFiles(new Map())
    }
  }

  /** Returns the hash of a file that is as it was when it was noted; null for any other. */
  hashOf(path: string, stats: BigIntStats): string | null {
    const note = this.#known.get(path)
    if (note?.[0] !== stateOf(stats)) return null
    this.#seen.set(path, note)
    return note[1]
  }

  /** Notes a file that was read at `now`, with what its inode said right before. */
  add(
    path: string,
    { stats, hash, now }: { readonly stats: BigIntStats; readonly hash: string; readonly now: number },
  ) {
    if (Number(stats.ctimeMs) < now - SETTLED_MS) this.#seen.set(path, [stateOf(stats), hash])
  }

  /** Stores what this round has seen in a target that this process has locked. They only save work: what cannot be stored is read again. */
  async save(directory: string): Promise<void> {
    const same = ([path, [state]]: [string, Note]) => this.#known.get(path)?.[0] === state
    if (this.#seen.size === this.#known.size && [...this.#seen].every(same)) return
    try {
      await withStaging(directory, async ({ target, staging }) => {
        await writeFile(join(staging.path, NOTES), JSON.stringify(Object.fromEntries(this.#seen)), { flag: 'wx' })
        await rename(join(staging.path, NOTES), join(target.path, NOTES))
      })
    } catch (error) {
      if (!isFileError(error)) throw error
    }
  }
}

function isNote(value: unknown): value is Note {
  return Array.isArray(value) && typeof value[0] === 'string' && HASH.test(String(value[1]))
}

function stateOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ')
}
