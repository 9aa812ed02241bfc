/**
 * Installs tools of Python from PyPI, each with its packages into a virtual environment of its own in the user's cache.
 * `node scripts/python-tools.mjs [name …]` installs these, or all, and prints the folders of their commands.
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { withLock } from './setup-lock.mjs'

/** Tools, each with the packages of its environment, of which its own is the first. */
const TOOLS = {
  schemathesis: ['schemathesis==4.32.5'],
  'openapi-python-client': ['openapi-python-client==0.29.1'],
  // What the programs of docs/recipes.md need: these want line 2 of the package mcp, LangChain's adapters line 1.
  fastmcp: ['fastmcp==4.2.3', 'mcp==2.3.0', 'openai-agents==0.24.0', 'pydantic-ai-slim[mcp,openai]==2.68.0'],
  'skills-ref': ['skills-ref==0.1.1', 'strictyaml==1.7.3'],
  'langchain-mcp-adapters': ['langchain-mcp-adapters==0.3.2', 'langchain==1.5.2', 'langchain-openai==1.7.4'],
}
const IS_NEW_ENOUGH = 'import sys; sys.exit("Python 3.10 or newer is needed." if sys.version_info < (3, 10) else 0)'

/**
 * Returns the folder of a tool's commands, after installing it where it is missing. Throws when Python, its `venv` or
 * the package is not to be had.
 */
export async function pythonTool(name) {
  if (!Object.hasOwn(TOOLS, name)) throw new Error(`${name} is none of ${Object.keys(TOOLS).join(', ')}`)
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cairn')
  const packages = TOOLS[name]
  const venv = join(cache, packages[0].replace('==', '-'))
  // Written last: an installation that was interrupted, or has other packages, begins anew.
  const stamp = join(venv, 'installed')
  const isInstalled = () => fs.existsSync(stamp) && fs.readFileSync(stamp, 'utf8') === packages.join('\n')
  if (!isInstalled()) {
    fs.mkdirSync(cache, { recursive: true })
    await withLock(`${venv}.lock`, say, async (noteChild) => {
      if (isInstalled()) return
      say(`installing ${packages.join(', ')} …`)
      await run('python3', ['-c', IS_NEW_ENOUGH], noteChild)
      await run('python3', ['-m', 'venv', '--clear', venv], noteChild)
      const pip = ['install', '--quiet', '--disable-pip-version-check', ...packages]
      await run(join(venv, 'bin', 'pip'), pip, noteChild)
      fs.writeFileSync(stamp, packages.join('\n'))
    })
  }
  return join(venv, 'bin')
}

function say(text) {
  console.error(`python: ${text}`)
}

function run(command, args, noteChild) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    child.once('spawn', () => noteChild(child.pid))
    child.once('error', reject)
    child.once('exit', (status, signal) =>
      status === 0 ? resolve() : reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? status}`)),
    )
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2)
  for (const name of names.length > 0 ? names : Object.keys(TOOLS)) console.log(await pythonTool(name))
}
