import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../runtime/embedded-postgres/postgres-database.js'

/** Keys that the first start creates and stores in DATA_DIR, readable by its user alone. */
type KeyFile = 'admin-key' | 'agent-key'

export function keyFilePath(dataDir: string, name: KeyFile): string {
  return join(dataDir, name)
}

/** Returns null when there is no such file, or when this user may not read it. */
export async function readKeyFile(dataDir: string, name: KeyFile): Promise<string | null> {
  try {
    return (await readFile(keyFilePath(dataDir, name), 'utf8')).trim() || null
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Writes the file atomically; it is on the disk when this resolves. */
export async function writeKeyFile(dataDir: string, name: KeyFile, key: string): Promise<void> {
  const path = keyFilePath(dataDir, name)
  await writeDurably(`${path}.new`, `${key}\n`)
  await rename(`${path}.new`, path)
}
