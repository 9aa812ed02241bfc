/**
 * Runs `npm test`: every folder of test/ is a part, the small ones are one together, and so are the files beside the folders; behaviours/ is
 * one for each profile. A part is a mocha process of its own, so that a handle that it leaks keeps the whole run from ending. JOBS of
 * them run at a time: much of what the tests do is waiting. The output of a part is printed when it ends, and a line of
 * what runs every now and then; at the end come all failures once more, the files that they are in, the times of the parts
 * and of the slowest files, and mocha's summary of all parts, so that the end of a long output says what to fix. A signal
 * has the parts that run end their tests and prints the same; a second one kills them. Arguments are passed to every mocha.
 */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const MOCHA = join(ROOT, 'node_modules', 'mocha', 'bin', 'mocha.js')
/** As many parts as two cores and the services take: three take as long, and more of the processor. */
const JOBS = 2
/** The longest parts, which start first so that none of them remains when the others have ended. */
const FIRST = [
  'behaviours on scaled',
  'behaviours on embedded',
  'cli',
  'scaled',
  'workers',
  'small folders',
  'crash',
  'test',
  'operations',
  'store',
]
/** Folders whose tests start no service, or a small one: one process runs them, which loads the program once. */
const TOGETHER = ['bench', 'client', 'contract', 'deploy', 'docs-site', 'domain', 'mcp', 'models', 'services']
const SERVICES = ['CAIRN_TEST_DATABASE_URL', 'CAIRN_TEST_REDIS_URL', 'CAIRN_TEST_OPENSEARCH_URL']
/** With none of the services given there is nothing to run on them; with some, the tests say what they lack. */
const HAS_SERVICES = process.env.CAIRN_TEST_SERVICES === 'require' || SERVICES.some((name) => process.env[name])
/** The profiles of behaviours/, of which a caller may have chosen one. */
const PROFILES = process.env.CAIRN_TEST_PROFILE
  ? [process.env.CAIRN_TEST_PROFILE]
  : ['embedded', ...(HAS_SERVICES ? ['scaled'] : [])]
/** Milliseconds between two lines of what runs. */
const TOLD_EVERY_MS = 15_000
/** Milliseconds that the hooks of a part have after a signal, and in which a second signal is that of the same Ctrl-C. */
const [END_MS, SAME_SIGNAL_MS] = [60_000, 500]
/** The slowest files that the end of the output lists. */
const SLOWEST = 10
const OUTCOMES = ['passing', 'pending', 'failing']

const startedAt = Date.now()
const logs = mkdtempSync(join(tmpdir(), 'cairn-tests-'))
process.on('exit', () => rmSync(logs, { recursive: true, force: true }))
const running = new Map()
const ended = []

let stopped
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal))

const waiting = parts()
const partCount = waiting.length
if (!HAS_SERVICES)
  process.stdout.write(
    'Not run: the tests that need PostgreSQL, Redis and OpenSearch. On Debian get them with\n' +
      '  scripts/services up && eval "$(scripts/services env)"\n',
  )
const telling = setInterval(() => process.stdout.write(`${progress()}\n`), TOLD_EVERY_MS)
await Promise.all(Array.from({ length: JOBS }, work))
clearInterval(telling)
summarise()
if (stopped) process.exit(128 + constants.signals[stopped.signal])

/** Ends the parts that run; the second time, and when they do not end, kills them. */
function stop(signal) {
  if (stopped && Date.now() - stopped.at < SAME_SIGNAL_MS) return
  const ask = stopped ? 'SIGKILL' : 'SIGINT'
  stopped ??= { signal, at: Date.now() }
  waiting.length = 0
  process.stdout.write(
    `\nstopped by ${signal}: ${ask === 'SIGINT' ? 'the tests that run are being ended' : 'killed'}\n`,
  )
  for (const child of running.values()) end(child, ask)
  setTimeout(() => [...running.values()].forEach((child) => end(child, 'SIGKILL')), END_MS).unref()
}

/** Sends a signal to mocha alone, which ends what its tests have started, or to all processes of its group. */
function end(child, signal) {
  try {
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal)
  } catch {
    // It has ended already.
  }
}

/** Returns what runs, how many tests of each part have ended, and how many have failed so far. */
function progress() {
  const [ofRunning, ofEnded] = [[...running.keys()], ended].map((list) => list.map(endedTestsOf))
  const failures = [...ofRunning, ...ofEnded].reduce((sum, { failed }) => sum + failed, 0)
  const seconds = Math.round((Date.now() - startedAt) / 1000)
  const parts = [...running.keys()].map(({ name }, i) => `${name} (${ofRunning[i].passed + ofRunning[i].failed})`)
  return `... ${seconds} s: ${ended.length} of ${partCount} parts have ended, ${failures} tests have failed; running: ${parts.join(', ')}`
}

/** Counts the lines of tests in the output of a part. */
function endedTestsOf(part) {
  const text = plainTextOf(part).split(/^ {2}\d+ passing/m)[0]
  return { passed: text.match(/^ +✔ /gm)?.length ?? 0, failed: text.match(/^ +\d+\) /gm)?.length ?? 0 }
}

async function work() {
  for (let part = waiting.shift(); part; part = waiting.shift()) {
    const outcome = await run(part)
    ended.push(outcome)
    show(part, outcome.fault)
  }
}

/** Returns the parts: their names, their files, and the profile where it is one of several. */
function parts() {
  const byName = new Map()
  for (const file of readdirSync(join(ROOT, 'test'), { recursive: true }).sort()) {
    if (!file.endsWith('.test.ts')) continue
    const folder = dirname(file).split(/[/\\]/)[0]
    if (folder === 'scaled' && !HAS_SERVICES) continue
    const name = TOGETHER.includes(folder) ? 'small folders' : folder
    byName.set(name, [...(byName.get(name) ?? []), join('test', file)])
  }
  const found = [...byName].flatMap(([name, files]) =>
    name === 'behaviours'
      ? PROFILES.map((profile) => ({ name: `${name} on ${profile}`, files, profile }))
      : [{ name: name === '.' ? 'test' : name, files }],
  )
  const place = ({ name }) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length)
  return found.sort((a, b) => place(a) - place(b))
}

/** Runs a part with its output in a file: a process that a test leaves behind could keep a pipe open. */
function run(part) {
  const log = openSync(logOf(part), 'w')
  const colour = process.stdout.isTTY ? ['--color'] : []
  const child = spawn(process.execPath, [MOCHA, ...colour, ...process.argv.slice(2), ...part.files], {
    cwd: ROOT,
    env: { ...process.env, CAIRN_TEST_TIMES: timesOf(part), ...(part.profile && { CAIRN_TEST_PROFILE: part.profile }) },
    stdio: ['ignore', log, log],
    // A Ctrl-C reaches this process alone, which sends one signal on.
    detached: true,
  })
  closeSync(log)
  const since = Date.now()
  running.set(part, child)
  return new Promise((resolve) => {
    child.on('exit', (status, signal) => {
      running.delete(part)
      resolve({ ...outcomeOf(part, status, signal), took: Date.now() - since })
    })
  })
}

/** Returns the outcome of a part. A mocha that ended without its summary, in whatever way, has failed. */
function outcomeOf(part, status, signal) {
  const text = plainTextOf(part)
  const counts = OUTCOMES.map((outcome) => {
    const found = [...text.matchAll(new RegExp(`^ {2}(\\d+) ${outcome}( \\(\\d+(ms|s|m|h)\\))?$`, 'gm'))].at(-1)
    return found && Number(found[1])
  })
  const [passing, , failing] = counts
  const isWhole = passing !== undefined && (status === 0) === !failing && !stopped
  const how = stopped ? 'was stopped' : `ended with ${signal ?? status}`
  const fault = isWhole ? undefined : `${how} and ${passing ?? 'no'} tests passed`
  return { name: part.name, profile: part.profile, counts, fault, failed: status !== 0 || fault !== undefined }
}

function logOf(part) {
  return join(logs, `${part.name}.log`)
}

function timesOf(part) {
  return join(logs, `${part.name}.json`)
}

function textOf(part) {
  return readFileSync(logOf(part), 'utf8')
}

function plainTextOf(part) {
  return textOf(part).replace(/\x1b\[[0-9;]*m/g, '')
}

function show({ name, ...part }, fault) {
  process.stdout.write(`\n--- ${name}\n${textOf({ name, ...part })}`)
  if (fault) process.stdout.write(`${name}: ${fault}\n`)
}

/** Returns the text from mocha's count of failures on, or the last lines where there is none. */
function failuresOf(text) {
  const at = text.search(/^(\x1b\[[0-9;]*m)* *(\x1b\[[0-9;]*m)* {2}\d+ failing/m)
  return at < 0 ? text.split('\n').slice(-30).join('\n') : text.slice(at).trimEnd() + '\n'
}

/** Returns the files that the reporter names after the failures. */
function failingFilesOf(text) {
  const listed = text.split(/^ {2}Failing files:\n/m)[1] ?? ''
  return [...listed.matchAll(/^ {4}(\S+\.test\.ts)$/gm)].map(([, file]) => file)
}

/** Prints how long each part took, and the files that took the longest. */
function showTimes() {
  const line = (took, name) => `  ${(took / 1000).toFixed(1).padStart(6)} s  ${name}\n`
  const slowest = (times) => times.sort(([a], [b]) => b - a)
  const files = ended.flatMap(({ name, profile }) => {
    const times = existsSync(timesOf({ name })) ? JSON.parse(readFileSync(timesOf({ name }), 'utf8')) : {}
    return Object.entries(times).map(([file, took]) => [took, profile ? `${file} on ${profile}` : file])
  })
  process.stdout.write('\n--- times of the parts\n')
  for (const [took, name] of slowest(ended.map(({ name, took }) => [took, name])))
    process.stdout.write(line(took, name))
  process.stdout.write(`\n--- the ${SLOWEST} slowest files\n`)
  for (const [took, file] of slowest(files).slice(0, SLOWEST)) process.stdout.write(line(took, file))
}

/** Prints the summary in mocha's words, which .ci/run reads. */
function summarise() {
  const failed = ended.filter((outcome) => outcome.failed).map(({ name }) => name)
  const took = Math.round((Date.now() - startedAt) / 1000)
  for (const name of failed) process.stdout.write(`\n--- ${name}, what failed\n${failuresOf(textOf({ name }))}`)
  showTimes()
  process.stdout.write(`\n--- all parts${failed.length > 0 ? `; failed: ${failed.join(', ')}` : ''}\n`)
  const files = new Set(failed.flatMap((name) => failingFilesOf(textOf({ name }))))
  for (const file of files) process.stdout.write(`  failed in ${file}\n`)
  process.stdout.write('\n')
  for (const [i, outcome] of OUTCOMES.entries()) {
    const sum = ended.reduce((total, { counts }) => total + (counts[i] ?? 0), 0)
    if (sum > 0 || i === 0) process.stdout.write(`  ${sum} ${outcome}${i === 0 ? ` (${took}s)` : ''}\n`)
  }
  process.exitCode = failed.length > 0 ? 1 : 0
}
