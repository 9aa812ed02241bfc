import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Cleanup } from './cleanup.js'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A commit of this repository, built in a folder of its own. */
export interface Revision {
  /** Its abbreviated hash. */
  readonly name: string
  /** The program of its command line. */
  readonly main: string
}

/** Builds the commit that `ref` names; takes a minute or two. Throws when there is none, or when it cannot be built. */
export async function buildRevision(ref: string, cleanup: Cleanup): Promise<Revision> {
  const { stdout } = await run('git', ['rev-parse', '--short', '--verify', `${ref}^{commit}`], { cwd: ROOT })
  const name = stdout.trim()
  const directory = mkdtempSync(join(tmpdir(), `cairn-${name}-`))
  cleanup.add(() => rmSync(directory, { recursive: true, force: true }))
  console.log(`building ${name} …`)
  await run('git', ['clone', '--quiet', '--shared', '--no-checkout', ROOT, directory])
  await run('git', ['checkout', '--quiet', '--detach', name], { cwd: directory })
  await run('npm', ['run', 'build'], { cwd: directory, maxBuffer: 64 * 1024 * 1024 })
  return { name, main: join(directory, 'dist', 'cli', 'main.js') }
}
