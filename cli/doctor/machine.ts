import { X509Certificate } from 'node:crypto'
import { createServer } from 'node:net'
import { createSecureContext } from 'node:tls'
import type { Config } from '../../runtime/config.js'
import { claimDataDir } from '../../runtime/data-dir.js'
import { FIRST_START_BYTES, freeBytes } from '../../runtime/disk-space.js'
import { readTls } from '../../app/compose-parts.js'
import { check, ok, skipped, warning, wrong, type Finding } from './check.js'

/** The service that answers at the URL; the ports and the directory that it uses are rightly not free. */
interface RunningService {
  readonly url: string
  readonly version: string
  /** The problems that `/api/v1/health` lists. */
  readonly problems: readonly { readonly message: string }[]
}

export async function findRunningService(url: string): Promise<RunningService | null> {
  try {
    const response = await fetch(`${url}/api/v1/health`, { signal: AbortSignal.timeout(3_000) })
    const { version, problems = [] } = (await response.json()) as { version?: unknown; problems?: [] }
    return typeof version === 'string' ? { url, version, problems } : null
  } catch {
    return null
  }
}

export function checkDataDir(config: Config, running: RunningService | null): Promise<Finding> {
  return check('DATA_DIR', async () => {
    if (config.postgres.url !== null && config.search.opensearchUrl !== null) return skipped('nothing is stored there')
    if (!running) await (await claimDataDir(config.dataDir)).release()
    const state = running ? 'is in use by the running service' : 'can be written and is free'
    const free = await freeBytes(config.dataDir)
    if (free !== null && free < FIRST_START_BYTES)
      return wrong(`the disk of ${config.dataDir} has ${mebibytes(free)} left: free space on it, or writes are refused`)
    return ok(`${config.dataDir} ${state}${free === null ? '' : `, ${mebibytes(free)} free`}`)
  })
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`
}

/**
 * Reports the state that the running service gives of itself, which includes embedded parts that nobody else reaches.
 */
export function checkService(url: string, running: RunningService | null): Promise<Finding> {
  return check('service', () => {
    if (running === null) return Promise.resolve(skipped(`none answers at ${url}`))
    const problems = running.problems.map(({ message }) => message).join(' ')
    return Promise.resolve(problems === '' ? ok(`cairn ${running.version} runs and is healthy`) : wrong(problems))
  })
}

export function checkPort(name: string, host: string, port: number, running: RunningService | null): Promise<Finding> {
  return check(name, async () => {
    if (port === 0) return skipped(name === 'PORT' ? 'any free one' : 'off')
    const failure = await tryListening(host, port)
    if (failure === null) return ok(`port ${port} of ${host} is free`)
    if (failure === 'EADDRINUSE' && running)
      return ok(`port ${port} of ${host} is taken; cairn ${running.version} runs`)
    const why = { EADDRINUSE: 'is taken by something else', EACCES: 'may not be taken by this user' }[failure]
    return wrong(`port ${port} of ${host} ${why ?? `cannot be taken (${failure})`}: choose another`)
  })
}

function tryListening(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
}

const DAY_MS = 86_400_000

export function checkTls(config: Config): Promise<Finding> {
  return check('TLS', async () => {
    const pem = await readTls(config)
    if (!pem) return skipped(config.http.trustProxy === null ? 'plain HTTP' : 'left to the proxy')
    createSecureContext(pem)
    const end = new Date(new X509Certificate(pem.cert).validTo)
    const days = Math.floor((end.getTime() - Date.now()) / DAY_MS)
    if (days < 0) return wrong(`TLS_CERT expired ${end.toISOString()}: renew it`)
    const facts = `the certificate matches its key and expires in ${days} days`
    return days < 14 ? warning(facts) : ok(facts)
  })
}
