import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** The progress of a command on a file, stored beside the file until the command is done. */
export interface Checkpoint {
  /** Digest of everything that the checkpoint depends on: the command's arguments and its input. */
  readonly digest: string
}

/** Names the checkpoint, since one file may be exported and imported. */
type Command = 'import' | 'export'

/** Returns the checkpoint of an earlier run; null if there is none, or if that run did something else. */
export async function readCheckpoint<P extends Checkpoint>(
  file: string,
  command: Command,
  digest: string,
): Promise<P | null> {
  const text = await readFile(checkpointPath(file, command), 'utf8').catch(() => '')
  try {
    const checkpoint = JSON.parse(text) as P
    return checkpoint.digest === digest ? checkpoint : null
  } catch {
    // There is none, or it was not written completely.
    return null
  }
}

/** Stores the checkpoint. Resolves to false where it cannot be written. */
export async function saveCheckpoint<P extends Checkpoint>(
  file: string,
  command: Command,
  checkpoint: P,
): Promise<boolean> {
  const target = checkpointPath(file, command)
  try {
    await writeFile(`${target}.new`, JSON.stringify(checkpoint))
    await rename(`${target}.new`, target)
    return true
  } catch {
    await rm(`${target}.new`, { force: true }).catch(() => undefined)
    return false
  }
}

export async function deleteCheckpoint(file: string, command: Command): Promise<void> {
  await rm(checkpointPath(file, command), { force: true })
}

function checkpointPath(file: string, command: Command): string {
  return `${file}.${command}-progress`
}
