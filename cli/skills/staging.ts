import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CommandError } from '../failure.js'
import { describeFileError, isFileError } from './file-errors.js'
import { type HeldDirectory, withDirectory } from './held-directory.js'

/** Hidden directory in a target for what is not in its place yet, or not any more. */
export const STAGING = '.cairn-sync'

/** Removes what a run that was killed left behind. */
export async function removeLeftovers(directory: string): Promise<void> {
  await rm(join(directory, STAGING), { recursive: true, force: true })
}

/** Says that changes were made which cannot be reversed: no fault of a single skill, and no reason to say that nothing was changed. */
export class UnreversedError extends Error {
  constructor(override readonly cause: Error) {
    super('changes could not be reversed')
    this.name = 'UnreversedError'
  }
}

interface Held {
  readonly target: HeldDirectory
  /** Empty, and only its owner may enter it. It is removed when the work is done. */
  readonly staging: HeldDirectory
}

/**
 * Works in a directory of which this process holds the lock, and in a staging directory within it. When the work throws UnreversedError, that one is kept, and CommandError says
 * where.
 */
export async function withStaging<T>(directory: string, work: (held: Held) => Promise<T>): Promise<T> {
  return withDirectory(directory, async (target) => {
    await mkdir(join(target.path, STAGING), { mode: 0o700 })
    let isKept = false
    try {
      return await withDirectory(join(target.path, STAGING), (staging) =>
        work({ target, staging }).catch(async (error: unknown) => {
          if (!(error instanceof UnreversedError)) throw error
          isKept = true
          const kept = join(directory, await keep(target.path))
          const reason = describe(error.cause).replaceAll(staging.path, kept).replaceAll(target.path, directory)
          throw new CommandError(
            `${directory}: some files are neither as they were nor as they are to be: ${reason} What was replaced is in ${kept}.`,
          )
        }),
      )
    } finally {
      if (!isKept) await removeLeftovers(target.path)
    }
  })
}

/** Gives the staging directory a name that no run removes, and returns it. */
async function keep(directory: string): Promise<string> {
  const name = `${STAGING}-kept-${randomUUID()}`
  return rename(join(directory, STAGING), join(directory, name)).then(
    () => name,
    () => STAGING,
  )
}

function describe(cause: Error): string {
  return isFileError(cause) ? describeFileError(cause) : `${cause.message}.`
}
