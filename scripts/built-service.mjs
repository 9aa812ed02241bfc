/** Starts a service of the build, with a database of its own, for checks that call it from outside. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const MAIN = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist/cli/main.js')

/** Starts it with its data and its log in a folder, and returns it when it is ready. `settings` are further variables. */
export async function startBuiltService(folder, settings = {}) {
  const adminKey = `admin_${randomBytes(24).toString('hex')}`
  const url = `http://127.0.0.1:${await freePort()}`
  const log = fs.openSync(join(folder, 'service.log'), 'w')
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    DATA_DIR: join(folder, 'data'),
    PORT: new URL(url).port,
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    ADMIN_API_KEY: adminKey,
    // The checks may run at the lowest priority beside the tests, where seconds pass without a processor.
    DATABASE_CONNECT_TIMEOUT_MS: '60000',
    ...settings,
  }
  const child = spawn(process.execPath, [MAIN, 'serve'], { cwd: folder, env, stdio: ['ignore', log, log] })
  const service = {
    url,
    adminKey,
    isAlive: () => child.exitCode === null,
    /** Stops it and removes its data; its log stays. */
    async stop() {
      child.kill('SIGTERM')
      await new Promise((resolve) => (child.exitCode === null ? child.once('exit', resolve) : resolve()))
      fs.rmSync(join(folder, 'data'), { recursive: true, force: true })
    },
  }
  try {
    await ready(service)
  } catch (error) {
    await service.stop()
    throw error
  }
  return service
}

async function ready({ url, isAlive }) {
  for (const end = Date.now() + 120_000; Date.now() < end;) {
    if (!isAlive()) throw new Error('the service did not start: see its log')
    const answer = await fetch(`${url}/api/v1/ready`).catch(() => null)
    if (answer?.status === 200) return
    await sleep(200)
  }
  throw new Error('the service is not ready after two minutes')
}

/** Sends a request with a key, a POST where there is a body. Throws when it is refused. */
export async function call(url, key, path, body) {
  const headers = { 'X-API-Key': key, 'Content-Type': 'application/json' }
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const answer = await fetch(new URL(path, url), { headers, ...init })
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address()
      probe.close(() => resolve(port))
    })
  })
}
