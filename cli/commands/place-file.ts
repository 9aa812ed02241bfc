import { readFile, rename, rm, writeFile } from 'node:fs/promises'

/** How far a command is with a file: kept beside it until it is done. */
export interface Place {
  /** Of all that it is true for: what the command was asked to do, and with what. */
  readonly digest: string
}

/** A file may be going out and coming in. */
type Command = 'import' | 'export'

/** Where an earlier run stood; null when there was none, or it did something else. */
export async function readPlace<P extends Place>(file: string, command: Command, digest: string): Promise<P | null> {
  const text = await readFile(placeFile(file, command), 'utf8').catch(() => '')
  try {
    const place = JSON.parse(text) as P
    return place.digest === digest ? place : null
  } catch {
    // None, or only half of one.
    return null
  }
}

/** False where it cannot be kept. */
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
