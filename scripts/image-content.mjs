/**
 * Performs the steps of deploy/Dockerfile without a container engine: `node scripts/image-content.mjs [FOLDER]` runs
 * the build stage in a copy of the repository, copies into FOLDER what the last stage copies, and compares the sum of
 * all files with LIMIT_MB. With DATABASE_URL, REDIS_URL, OPENSEARCH_URL and ADMIN_API_KEY it then starts the program
 * from there with this Node, when it is root as the image's user, who can write nothing there, until the image's own
 * health check passes. It installs all packages twice: run it by hand, after changes of the Dockerfile or the packages.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { contextFiles } from './image-context.mjs'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const LIMIT_MB = 250
/**
 * MB of the base image, which cannot be fetched without an engine: Node 22 (125), and the sizes that Debian gives its
 * packages in it (libc6 13, libssl3 6, libstdc++6 3, tzdata 3, others 1).
 */
const BASE_MB = 151

const [build, image] = stages(fs.readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8'))
const folder = process.argv[2] ?? fs.mkdtempSync(join(tmpdir(), 'cairn-image-'))
const context = fs.mkdtempSync(join(tmpdir(), 'cairn-image-build-'))
try {
  copyContext()
  for (const { name, value } of build) if (name === 'RUN') run('sh', ['-euc', value], context)
  copyContent()
} finally {
  fs.rmSync(context, { recursive: true, force: true })
}
fs.chmodSync(folder, 0o755)
const content = sizeOf(folder)
const total = BASE_MB + content
console.log(`${folder}: ${content.toFixed(0)} MB, with the base image ${total.toFixed(0)} of ${LIMIT_MB} MB`)
if (total > LIMIT_MB) process.exit(1)
if (process.env.DATABASE_URL) await tryProgram()

/** Returns the instructions of each stage. */
function stages(text) {
  const found = []
  for (const [, name, value] of text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .matchAll(/^([A-Z]+) (.+)$/gm)) {
    if (name === 'FROM') found.push([])
    // What stands before the first stage is for FROM.
    found.at(-1)?.push({ name, value })
  }
  return found
}

function copyContext() {
  for (const path of contextFiles(ROOT)) fs.cpSync(join(ROOT, path), join(context, path))
}

function copyContent() {
  for (const { name, value } of image) {
    if (name !== 'COPY') continue
    const [, ...paths] = value.split(' ')
    const target = paths.pop()
    for (const path of paths) {
      const to = target === './' ? join(folder, basename(path)) : join(folder, target)
      fs.cpSync(path.replace(/^\/build/, context), to, { recursive: true, verbatimSymlinks: true })
    }
  }
}

/** Returns MB of all files below the folder. */
function sizeOf(path) {
  const entries = fs.readdirSync(path, { recursive: true, withFileTypes: true })
  const bytes = entries.map((entry) => (entry.isFile() ? fs.statSync(join(entry.parentPath, entry.name)).size : 0))
  return bytes.reduce((sum, each) => sum + each, 0) / 1e6
}

async function tryProgram() {
  const settings = image.filter(({ name }) => name === 'ENV').flatMap(({ value }) => value.split(' '))
  const env = { ...Object.fromEntries(settings.map((each) => each.split('='))), PORT: '18080', METRICS_PORT: '19464' }
  const given = [
    'DATABASE_URL',
    'REDIS_URL',
    'OPENSEARCH_URL',
    'ADMIN_API_KEY',
    'QUEUE_PREFIX',
    'OPENSEARCH_INDEX_PREFIX',
  ]
  for (const name of given) if (process.env[name]) env[name] = process.env[name]
  const [uid, gid] = image
    .find(({ name }) => name === 'USER')
    .value.split(':')
    .map(Number)
  const options = { cwd: folder, env: { ...env, ALLOW_HTTP: '1' }, stdio: 'inherit' }
  if (process.getuid() === 0) Object.assign(options, { uid, gid })
  const cairn = (...args) => spawn(process.execPath, ['dist/cli/main.js', ...args], options)
  const migration = cairn('migrate')
  await new Promise((resolve) => migration.once('exit', resolve))
  const running = [cairn('worker'), spawnApi()]
  try {
    await untilHealthy(options)
  } finally {
    for (const child of running) child.kill()
  }

  function spawnApi() {
    return spawn(process.execPath, ['dist/cli/main.js', 'api'], {
      ...options,
      env: { ...options.env, METRICS_PORT: '0' },
    })
  }
}

async function untilHealthy(options) {
  const check = image.find(({ name }) => name === 'HEALTHCHECK').value
  const [, ...args] = JSON.parse(check.slice(check.indexOf('[')))
  for (let left = 60; left > 0; left--) {
    if (spawnSync(process.execPath, args, options).status === 0) return console.log('the health check passes')
    await pause(1_000)
  }
  throw new Error('the health check did not pass within a minute')
}

function run(program, args, cwd) {
  return execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}
