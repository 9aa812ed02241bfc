import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type HeldDirectory, withDirectory } from './held-directory.js'

/** Hidden directory in a target for what is not in its place yet, or not any more. */
export const STAGING = '.cairn-sync'

/** Removes what a run that was killed left behind. */
export async function removeLeftovers(directory: string): Promise<void> {
  await rm(join(directory, STAGING), { recursive: true, force: true })
}

interface Held {
  readonly target: HeldDirectory
  /** Empty, and only its owner may enter it. It is removed when the work is done. */
  readonly staging: HeldDirectory
}

/** Works in a directory of which this process holds the lock, and in a staging directory within it. */
export async function withStaging<T>(directory: string, work: (held: Held) => Promise<T>): Promise<T> {
  return withDirectory(directory, async (target) => {
    await mkdir(join(target.path, STAGING), { mode: 0o700 })
    try {
      return await withDirectory(join(target.path, STAGING), (staging) => work({ target, staging }))
    } finally {
      await removeLeftovers(target.path)
    }
  })
}
