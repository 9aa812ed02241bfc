import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { ServiceContext } from '../../services/context.js'
import { startService as compose, type Service, type ServiceRole } from '../../app/compose.js'
import type { Trust } from '../../domain/trust.js'
import type { Embedder } from '../../models/embedder.js'
import type { Clock } from '../../runtime/clock.js'
import { createConfig, readEnv, type Environment } from '../../runtime/config.js'
import { createLogger } from '../../runtime/logger.js'
import { QUEUES, type QueueName } from '../../workers/job.js'
import { createClient, type Client } from './client.js'
import { GENEROUS_LIMITS } from './limits.js'
import { migratedDatabase } from './postgres.js'
import { serviceUrl } from './services.js'

export type Profile = 'embedded' | 'scaled'

export interface TestServiceOptions {
  /** `embedded`: SQLite and a queue on Postgres. `scaled`: the services of scripts/services. */
  readonly profile?: Profile
  /** Settings that override those of the harness. */
  readonly env?: Environment
  /**
   * Returns settings that override those, given the ones that the harness made, to put a proxy before what the service
   * uses.
   */
  readonly reroute?: (env: Environment) => Environment | Promise<Environment>
  readonly embedder?: Embedder
  readonly clock?: Clock
  readonly role?: Exclude<ServiceRole, 'worker'>
  /** The environment of an earlier service, which is kept when this one is stopped. */
  readonly environment?: TestEnvironment
  /** Queues that the service processes; [] leaves everything pending. */
  readonly queues?: readonly QueueName[]
}

export interface TestKeyOptions {
  readonly tenantId: string
  readonly kind?: 'tenant' | 'agent'
  readonly agentId?: string
  readonly fleetId?: string
  readonly trust?: Trust
  readonly expiresAt?: string
}

export interface TestService {
  readonly url: string
  readonly adminKey: string
  /** The context with the index that serves now. */
  readonly context: ServiceContext
  readonly metricsUrl: string | null
  /** URL for a superuser, for what no route shows. */
  readonly databaseUrl: string
  readonly dataDir: string
  /** Returns a client; without a key it uses the admin credential. */
  client(key?: string | null): Client
  /** Creates a key through the API; an agent key when an agent is named. */
  mintKey(wish: TestKeyOptions): Promise<string>
  stop(): Promise<void>
}

/** Starts the whole service in this process on a free port, with a database, an index and a queue of its own. */
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const environment = options.environment ?? (await prepareEnvironment(options.profile ?? 'embedded'))
  const remove = () => (options.environment ? Promise.resolve() : environment.remove())
  const adminKey = `admin-${randomBytes(16).toString('hex')}`
  const given = {
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'silent',
    ADMIN_API_KEY: adminKey,
    ...environment.env,
    ...options.env,
  }
  const env = { ...given, ...(await options.reroute?.(given)) }
  const { embedder, clock } = options
  let service: Service
  try {
    service = await compose(createConfig(readEnv(env)), {
      role: options.role ?? 'serve',
      queues: options.queues ?? QUEUES,
      logger: createLogger(createConfig(readEnv(env)).logLevel),
      ...(embedder && { embedder }),
      ...(clock && { clock }),
    })
  } catch (error) {
    await remove()
    throw error
  }
  const client = (key: string | null = adminKey) => createClient(service.url!, key)
  return {
    url: service.url!,
    adminKey,
    get context() {
      return service.context
    },
    metricsUrl: service.metricsUrl,
    databaseUrl: environment.env.DATABASE_URL!,
    dataDir: environment.env.DATA_DIR!,
    client,
    mintKey: (wish) => mintKey(client(), wish),
    async stop() {
      await service.stop()
      await remove()
    },
  }
}

/** Creates a key with an admin's client. Throws when the service refuses. */
export async function mintKey(admin: Client, wish: TestKeyOptions): Promise<string> {
  const { tenantId, kind = wish.agentId === undefined ? 'tenant' : 'agent' } = wish
  const answer = await admin.keys.create({
    tenant_id: tenantId,
    kind,
    agent_id: wish.agentId,
    fleet_id: wish.fleetId,
    trust_level: wish.trust,
    expires_at: wish.expiresAt,
  })
  if (answer.status !== 201) throw new Error(`no key: ${answer.body.error.message}`)
  return answer.body.api_key
}

export interface TestEnvironment {
  readonly env: Record<string, string>
  /** Removes everything; called once nothing runs there any more. */
  remove(): Promise<void>
}

/** Returns settings of a migrated database, and of an index and a queue that nobody else uses. */
export async function prepareEnvironment(profile: Profile): Promise<TestEnvironment> {
  const name = `test-${randomBytes(6).toString('hex')}`
  const database = await migratedDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'cairn-test-'))
  const remove = async () => {
    await database.drop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const own = { DATABASE_URL: database.url, DATA_DIR: dataDir, QUEUE_PREFIX: name, OPENSEARCH_INDEX_PREFIX: name }
  const small = {
    ...GENEROUS_LIMITS,
    DATABASE_POOL_SIZE: '6',
    DATABASE_SYSTEM_POOL_SIZE: '6',
    INDEXING_CONCURRENCY: '2',
  }
  if (profile === 'embedded') return { env: { ...own, ...small }, remove }

  const [redisUrl, opensearchUrl] = [serviceUrl('redis'), serviceUrl('opensearch')]
  if (redisUrl === null || opensearchUrl === null) throw new Error('the scaled profile needs scripts/services up')
  return {
    env: { ...own, ...small, REDIS_URL: redisUrl, OPENSEARCH_URL: opensearchUrl },
    async remove() {
      await remove()
      await Promise.all([removeIndices(opensearchUrl, name), removeQueues(redisUrl, name)])
    },
  }
}

async function removeIndices(url: string, prefix: string): Promise<void> {
  const listed = await fetch(new URL(`/_cat/indices/${prefix}-*?h=index&format=json`, url))
  const indices = listed.ok ? ((await listed.json()) as { index: string }[]) : []
  await Promise.all(indices.map(({ index }) => fetch(new URL(`/${index}`, url), { method: 'DELETE' })))
}

async function removeQueues(url: string, prefix: string): Promise<void> {
  const redis = new Redis(url)
  try {
    for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }) as AsyncIterable<string[]>)
      if (keys.length > 0) await redis.del(...keys)
  } finally {
    redis.disconnect()
  }
}
