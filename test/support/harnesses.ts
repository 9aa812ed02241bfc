import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const PACKAGE = fileURLToPath(new URL('../harnesses', import.meta.url))

/**
 * Returns a folder with the packages of test/harnesses, which it installs into ~/.cache/cairn the first time. They are
 * no dependencies of cairn, since everybody who starts it would then install 190 MB that only one test needs.
 */
export async function installedHarnesses(): Promise<string> {
  const lock = await readFile(path.join(PACKAGE, 'package-lock.json'))
  const name = `harnesses-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`
  const folder = path.join(homedir(), '.cache', 'cairn', name)
  if (existsSync(folder)) return folder
  const begun = `${folder}.${process.pid}`
  await mkdir(begun, { recursive: true })
  try {
    await cp(PACKAGE, begun, { recursive: true })
    await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: begun,
    })
    // Another run may have been quicker.
    await rename(begun, folder).catch(() => undefined)
  } finally {
    await rm(begun, { recursive: true, force: true })
  }
  return folder
}
