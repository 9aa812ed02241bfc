import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { dropIndices, runStatement, type Profile } from '../place.js'
import { call } from './calls.js'
import { control, type ServiceName } from './services.js'
import { copyIndexFiles, killEmbeddedPostgres, removeIndexFiles, type Part, type System } from './system.js'

/** A fault that lasts for a while. `end` undoes it, except for what the service must repair by itself. */
export interface Fault {
  readonly name: string
  begin(system: System): Promise<void> | void
  end(system: System): Promise<void> | void
  /** Milliseconds between `begin` and `end`. */
  readonly forMs: number
}

export function faultsOf(profile: Profile): readonly Fault[] {
  return profile === 'embedded' ? EMBEDDED : SCALED
}

const startAll = ({ parts }: System) => parts.forEach((part) => part.start())
const named = ({ parts }: System, name: string): Part => parts.find((part) => part.name === name)!

function killed(...names: string[]): Fault {
  return {
    name: `kill -9 ${names.join(' ')}`,
    begin: async (system) => void (await Promise.all(names.map((name) => named(system, name).end('SIGKILL')))),
    end: startAll,
    forMs: 1_500,
  }
}

function stopped(name: string): Fault {
  const signal = (system: System, which: 'SIGSTOP' | 'SIGCONT') => {
    const pid = named(system, name).pid()
    if (pid !== null) process.kill(pid, which)
  }
  return {
    name: `SIGSTOP ${name}`,
    begin: (system) => signal(system, 'SIGSTOP'),
    end: (system) => signal(system, 'SIGCONT'),
    forMs: 6_000,
  }
}

const EMBEDDED: readonly Fault[] = [
  killed('serve'),
  {
    name: 'kill -9 serve and PostgreSQL',
    begin: async (system) => {
      killEmbeddedPostgres(system.place)
      await named(system, 'serve').end('SIGKILL')
    },
    end: startAll,
    forMs: 1_500,
  },
  {
    name: 'SIGTERM serve',
    begin: (system) => named(system, 'serve').end('SIGTERM'),
    end: startAll,
    forMs: 0,
  },
  stopped('serve'),
  {
    name: 'index files removed while serve runs',
    begin: ({ place }) => removeIndexFiles(place),
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'kill -9 serve, index files removed',
    begin: async (system) => {
      await named(system, 'serve').end('SIGKILL')
      removeIndexFiles(system.place)
    },
    end: startAll,
    forMs: 0,
  },
  {
    name: 'kill -9 serve, an older copy of the index files restored',
    begin: async (system) => {
      const serve = named(system, 'serve')
      await serve.end('SIGTERM')
      const putBack = copyIndexFiles(system.place)
      serve.start()
      await sleep(8_000)
      await serve.end('SIGKILL')
      putBack()
    },
    end: startAll,
    forMs: 0,
  },
]

function serviceKilled(service: ServiceName): Fault {
  return {
    name: `kill -9 ${service}`,
    begin: () => control('kill', service),
    end: () => control('start', service),
    forMs: 4_000,
  }
}

function serviceStopped(service: ServiceName): Fault {
  return {
    name: `SIGSTOP ${service}`,
    begin: () => control('pause', service),
    end: () => control('resume', service),
    forMs: 8_000,
  }
}

const SCALED: readonly Fault[] = [
  killed('api-1'),
  killed('worker-1'),
  killed('worker-1', 'worker-2'),
  killed('api-1', 'api-2', 'worker-1', 'worker-2'),
  stopped('api-2'),
  stopped('worker-2'),
  ...(['postgres', 'redis', 'opensearch'] as const).flatMap((service) => [
    serviceKilled(service),
    serviceStopped(service),
  ]),
  {
    name: 'Redis emptied',
    begin: () => withRedis((redis) => redis.flushdb()),
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'Redis read-only',
    begin: () => withRedis((redis) => redis.replicaof('127.0.0.1', 1)),
    end: () => withRedis((redis) => redis.replicaof('NO', 'ONE')),
    forMs: 6_000,
  },
  {
    name: 'PostgreSQL read-only',
    begin: ({ place }) => setReadOnly(place.databaseUrl(), true),
    end: ({ place }) => setReadOnly(place.databaseUrl(), false),
    forMs: 6_000,
  },
  {
    name: 'indices deleted',
    begin: ({ place }) => dropIndices(place.env.OPENSEARCH_URL!, `${place.env.OPENSEARCH_INDEX_PREFIX}-*`),
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'indices deleted, api-1 killed and started',
    begin: async (system) => {
      await dropIndices(system.place.env.OPENSEARCH_URL!, `${system.place.env.OPENSEARCH_INDEX_PREFIX}-*`)
      await named(system, 'api-1').end('SIGKILL')
      await sleep(200)
    },
    end: startAll,
    forMs: 500,
  },
  {
    name: 'indices emptied',
    begin: async ({ place }) => {
      const path = `${place.env.OPENSEARCH_INDEX_PREFIX}-*/_delete_by_query?conflicts=proceed&refresh=true`
      await call(`${place.env.OPENSEARCH_URL}/${path}`, { method: 'POST', body: { query: { match_all: {} } } })
    },
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'indices read-only',
    begin: (system) => blockWrites(system, true),
    end: (system) => blockWrites(system, null),
    forMs: 6_000,
  },
]

async function blockWrites({ place }: System, blocked: true | null): Promise<void> {
  const url = `${place.env.OPENSEARCH_URL}/${place.env.OPENSEARCH_INDEX_PREFIX}-*/_settings`
  await call(url, { method: 'PUT', body: { 'index.blocks.write': blocked } })
}

async function withRedis(act: (redis: Redis) => Promise<unknown>): Promise<void> {
  const redis = new Redis(process.env.CAIRN_TEST_REDIS_URL!)
  redis.on('error', () => undefined)
  try {
    await act(redis)
  } finally {
    redis.disconnect()
  }
}

async function setReadOnly(url: string, isReadOnly: boolean): Promise<void> {
  const own = `${url}?options=${encodeURIComponent('-c default_transaction_read_only=off')}`
  await runStatement(own, `alter system set default_transaction_read_only = ${isReadOnly ? 'on' : 'off'}`)
  await runStatement(own, 'select pg_reload_conf()')
}
