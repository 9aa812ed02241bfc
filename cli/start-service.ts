import { spawn } from 'node:child_process'
import { mkdir, open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processEnvironment, readClientConfig } from '../runtime/config.js'
import { isLocked } from '../runtime/process-lock.js'
import type { ClientOptions } from './client-command.js'
import { CommandError } from './failure.js'

const LOG = 'serve.log'
/** The first start creates a database. */
const START_MS = 120_000
const OTHERS_START_MS = 30_000
const POLL_MS = 200
/** A port that accepts and stays silent is not a service. */
const READY_MS = 2_000

/**
 * Starts `cairn serve` as a process of its own, which outlives this one, unless a service answers already. Its log goes to `serve.log` in
 * DATA_DIR. Throws CommandError when the URL is not of this machine, and when the service does not become ready; once it has ended, with its reason.
 */
export async function startServiceIfNone(options: ClientOptions): Promise<void> {
  const config = readClientConfig(processEnvironment())
  const url = options.url ?? config.url
  if (await isReady(url)) return
  const { hostname, port } = new URL(url)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new CommandError(`no service answers at ${url}, and --start starts one on this machine only.`)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const logFile = join(config.dataDir, LOG)
  const log = await open(logFile, 'a', 0o600)
  const { size } = await log.stat()
  const child = spawn(process.execPath, [process.argv[1]!, 'serve'], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
    env: { ...processEnvironment(), PORT: port || '80' },
  })
  let ended = false
  let until = Date.now() + START_MS
  const onEnd = () => {
    ended = true
    until = Math.min(until, Date.now() + OTHERS_START_MS)
  }
  child.once('exit', onEnd).once('error', onEnd)
  child.unref()
  await log.close()
  for (; Date.now() < until; await sleep(POLL_MS)) {
    if (await isReady(url)) return
    // Another one that was started at the same time may hold the directory: it is waited for.
    if (ended && !(await isLocked(join(config.dataDir, 'cairn.lock')))) break
  }
  throw new CommandError(`the service did not start; see ${logFile}.${await reasonIn(logFile, size)}`)
}

/** Returns what `cairn serve` said last of why it ends, of what was logged from `offset` on. */
async function reasonIn(logFile: string, offset: number): Promise<string> {
  const logged = (await readFile(logFile)).subarray(offset).toString()
  const reason = [...logged.matchAll(/^cairn: (.*)$/gm)].at(-1)?.[1]
  return reason === undefined ? '' : ` It says: ${reason}`
}

async function isReady(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/api/v1/ready`, { signal: AbortSignal.timeout(READY_MS) })
    await answer.body?.cancel()
    return answer.ok
  } catch {
    return false
  }
}
