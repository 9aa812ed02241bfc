import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const [SCRIPT, PACKAGES] = ['../../scripts/npm-tools.mjs', '../harnesses'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** Returns a folder with the packages of test/harnesses, which are installed into the user's cache the first time. */
export async function installedHarnesses(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [SCRIPT!, PACKAGES!])
  return stdout.trim()
}
