import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** The progress of a command on a file, stored beside the file until the command is done. */
export interface Place {
  /** Digest of everything that the checkpoint depends on: the command's arguments and its input. */
  readonly digest: string
}

/** Names the checkpoint, since one file may be exported and imported. */
type Command = 'import' | 'export'

/** Returns the checkpoint of an earlier run; null if there is none, or if that run did something else. */
export async function readPlace<P extends Place>(file: string, command: Command, digest: string): Promise<P | null> {
  const text = await readFile(placeFile(file, command), 'utf8').catch(() => '')
  try {
    const place = JSON.parse(text) as P
    return place.digest === digest ? place : null
  } catch {
    // There is none, or it was not written completely.
    return null
  }
}

/** Stores the checkpoint. Resolves to false where it cannot be written. */
export async function keepPlace(file: string, command: Command, place: Place): Promise<boolean> {
  const target = placeFile(file, command)
  try {
    await writeFile(`${target}.new`, JSON.stringify(place))
    await rename(`${target}.new`, target)
    return true
  } catch {
    await rm(`${target}.new`, { force: true }).catch(() => undefined)
    return false
  }
}

export async function dropPlace(file: string, command: Command): Promise<void> {
  await rm(placeFile(file, command), { force: true })
}

function placeFile(file: string, command: Command): string {
  return `${file}.${command}-progress`
}
