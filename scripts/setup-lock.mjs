/** Allows one setup at a time in a clone, whoever starts it: a lock file that a dead owner does not hold. */
import { randomBytes, createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs `work` under the lock file at `path`; waits while another running process has it. `work` gets a function to name
 * the process that it spawns: an installation that outlives its killed parent still holds the lock.
 */
export async function withLock(path, say, work) {
  const owner = { processes: [identify(process.pid)], token: randomBytes(8).toString('hex') }
  let announced = false
  while (!create(path, JSON.stringify(owner))) {
    const found = read(path)
    const running = found === undefined ? undefined : runningOwner(found)
    if (running && !announced) {
      say(`waiting for process ${running}, which is setting up this folder (${path}) …`)
      announced = true
    }
    if (running) await sleep(200)
    else if (found !== undefined) await removeDead(path, found)
  }
  const release = () => fs.rmSync(path, { force: true })
  // Every exit but SIGKILL passes here, including process.exit in the middle of the work.
  process.once('exit', release)
  try {
    await work((pid) => {
      owner.processes = [owner.processes[0], identify(pid)]
      replace(path, JSON.stringify(owner))
    })
  } finally {
    process.off('exit', release)
    release()
  }
}

/**
 * Removes a dead lock. Only the holder of a guard named after the dead lock's content may do so, having read it again:
 * otherwise a slow process could remove the lock of a faster one.
 */
async function removeDead(path, found) {
  const guard = `${path}.${createHash('sha256').update(found).digest('hex').slice(0, 16)}`
  if (!create(guard, String(process.pid))) {
    const age = Date.now() - (fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    // Its holder needs milliseconds; after a minute it must have died.
    if (age > 60_000) fs.rmSync(guard, { force: true })
    await sleep(50)
    return
  }
  try {
    if (read(path) === found) fs.rmSync(path, { force: true })
  } finally {
    fs.rmSync(guard, { force: true })
  }
}

/** Creates the file, which appears with its content at once. Returns false when it exists already. */
function create(path, content) {
  const candidate = `${path}.${randomBytes(8).toString('hex')}`
  fs.writeFileSync(candidate, content)
  try {
    fs.linkSync(candidate, path)
    return true
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  } finally {
    fs.rmSync(candidate, { force: true })
  }
}

function replace(path, content) {
  fs.writeFileSync(`${path}.new`, content)
  fs.renameSync(`${path}.new`, path)
}

function read(path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Returns the pid of an owner that still runs. */
function runningOwner(content) {
  try {
    const owner = JSON.parse(content).processes.find(({ pid, started }) => identify(pid)?.started === started)
    return owner && owner.pid
  } catch {
    return undefined
  }
}

/**
 * Returns the identity of a process. Pids repeat, at once in a restarted container; the start time that Linux gives
 * does not.
 */
function identify(pid) {
  const stat = read(`/proc/${pid}/stat`)
  if (stat !== undefined) {
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return undefined
    return { pid, started: `${(read('/proc/sys/kernel/random/boot_id') || '').trim()}/${fields[19]}` }
  }
  try {
    process.kill(pid, 0)
    return { pid, started: '' }
  } catch (error) {
    return error.code === 'EPERM' ? { pid, started: '' } : undefined
  }
}
