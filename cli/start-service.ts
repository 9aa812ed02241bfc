import { spawn } from 'node:child_process'
import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { processEnvironment, readClientConfig } from '../runtime/config.js'
import type { ClientOptions } from './client-command.js'
import { CommandError } from './failure.js'

const LOG = 'serve.log'
/** The first start creates a database. */
const START_MS = 120_000
const OTHERS_START_MS = 30_000
const LOOK_MS = 200

/**
 * Starts `cairn serve` as a process of its own, which outlives this one, unless a service answers already. Its log goes to `serve.log` in
 * DATA_DIR. Throws CommandError when the URL is not of this machine, and when the service does not become ready.
 */
export async function startServiceIfNone(options: ClientOptions): Promise<void> {
  const config = readClientConfig(processEnvironment())
  const url = options.url ?? config.url
  if (await isReady(url)) return
  const { hostname } = new URL(url)
  if (!['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
    throw new CommandError(`no service answers at ${url}, and --start starts one on this machine only.`)
  await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
  const log = await open(join(config.dataDir, LOG), 'a', 0o600)
  const child = spawn(process.execPath, [process.argv[1]!, 'serve'], {
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  let until = Date.now() + START_MS
  // Another one that was started at the same time may hold the directory: it is waited for.
  const onEnd = () => (until = Math.min(until, Date.now() + OTHERS_START_MS))
  child.once('exit', onEnd).once('error', onEnd)
  child.unref()
  await log.close()
  for (; Date.now() < until; await sleep(LOOK_MS)) if (await isReady(url)) return
  throw new CommandError(`the service did not start; see ${join(config.dataDir, LOG)}.`)
}

async function isReady(url: string): Promise<boolean> {
  return fetch(`${url}/api/v1/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
}
