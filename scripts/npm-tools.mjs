/**
 * Installs the npm packages of a folder, by its lock file, into a folder of the user's cache: what only tests and checks
 * need is no dependency of cairn, since everybody who starts it would then install it.
 * `node scripts/npm-tools.mjs FOLDER` installs them where they are missing, and prints the folder that has them.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Returns the folder with the packages. Scripts of packages run only where package.json allows some (`allowScripts`). */
export async function npmTools(folder) {
  const lock = fs.readFileSync(join(folder, 'package-lock.json'))
  const version = createHash('sha256').update(lock).digest('hex').slice(0, 12)
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cairn')
  const installed = join(cache, `${basename(folder)}-${version}`)
  if (fs.existsSync(installed)) return installed
  const begun = `${installed}.${process.pid}`
  try {
    for (const file of ['package.json', 'package-lock.json']) fs.cpSync(join(folder, file), join(begun, file))
    const { allowScripts } = JSON.parse(fs.readFileSync(join(folder, 'package.json'), 'utf8'))
    const scripts = allowScripts === undefined ? ['--ignore-scripts'] : []
    await run('npm', ['ci', ...scripts, '--no-audit', '--no-fund', '--loglevel=error'], begun)
    rename(begun, installed)
  } finally {
    fs.rmSync(begun, { recursive: true, force: true })
  }
  return installed
}

function rename(begun, installed) {
  try {
    fs.renameSync(begun, installed)
  } catch (error) {
    // Another run was quicker.
    if (!fs.existsSync(installed)) throw error
  }
}

function run(command, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
    child.once('error', reject)
    child.once('exit', (status, signal) =>
      status === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? status}`)),
    )
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await npmTools(process.argv[2]))
