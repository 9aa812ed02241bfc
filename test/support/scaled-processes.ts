import { randomBytes } from 'node:crypto'
import { type Caller, type Client, createClient } from './client.js'
import { spawnCairn, type CairnProcess } from './processes.js'
import { mintKey, prepareEnvironment } from './service.js'

/** A migrated environment on the real services, in which processes of the scaled profile are started. */
export interface TestCluster {
  /** URL of the database for a superuser. */
  readonly databaseUrl: string
  api(): Promise<ApiProcess>
  /** Starts a worker, which is ready when this resolves. `env` overrides the environment's settings. */
  worker(env?: Readonly<Record<string, string>>, queues?: string): Promise<CairnProcess>
  /** Kills the processes that still run, and removes the environment. */
  remove(): Promise<void>
}

export interface ApiProcess {
  readonly process: CairnProcess
  readonly admin: Client
  /** Creates a key of one of the tenant's agents, at trust 2; it is valid for every process of the environment. */
  mint(tenantId: string): Promise<string>
  caller(tenantId: string, key: string): Caller
}

/** Creates the environment. `shared` are settings of every process, which override the environment's. */
export async function createTestCluster(shared: Readonly<Record<string, string>> = {}): Promise<TestCluster> {
  const environment = await prepareEnvironment('scaled')
  const adminKey = `admin-${randomBytes(16).toString('hex')}`
  const running: CairnProcess[] = []

  function spawn(args: readonly string[], env: Readonly<Record<string, string>> = {}): CairnProcess {
    const child = spawnCairn(args, { env: { ...environment.env, ADMIN_API_KEY: adminKey, ...shared, ...env } })
    running.push(child)
    return child
  }
  return {
    databaseUrl: environment.env.DATABASE_URL!,
    async api() {
      const process = spawn(['api'])
      const url = (await process.ready())!
      const admin = createClient(url, adminKey)
      return {
        process,
        admin,
        mint: (tenantId) => mintKey(admin, { tenantId, agentId: `of-${tenantId}`, trust: 2 }),
        caller: (tenantId, key) => createClient(url, key).of(tenantId),
      }
    },
    async worker(env, queues = 'indexing,scans,lifecycle') {
      const process = spawn(['worker', '--queues', queues], env)
      await process.ready()
      return process
    },
    async remove() {
      await Promise.all(running.map((child) => child.kill('SIGKILL')))
      await environment.remove()
    },
  }
}
