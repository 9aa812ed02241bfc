import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { dropIndices, runStatement, type Profile } from '../environment.js'
import { call } from './calls.js'
import { control, type ServiceName } from './services.js'
import { copyIndexFiles, killEmbeddedPostgres, removeIndexFiles, type Part, type System } from './system.js'

/** A fault that lasts for a while. `end` undoes it, except for what the service must repair by itself. */
export interface InjectedFault {
  readonly name: string
  begin(system: System): Promise<void> | void
  end(system: System): Promise<void> | void
  /** Milliseconds between `begin` and `end`. */
  readonly forMs: number
}

export function faultsOf(profile: Profile): readonly InjectedFault[] {
  return profile === 'embedded' ? EMBEDDED : SCALED
}

const startAll = ({ parts }: System) => parts.forEach((part) => part.start())
const named = ({ parts }: System, name: string): Part => parts.find((part) => part.name === name)!

function processKillFault(...names: string[]): InjectedFault {
  return {
    name: `kill -9 ${names.join(' ')}`,
    begin: async (system) => void (await Promise.all(names.map((name) => named(system, name).end('SIGKILL')))),
    end: startAll,
    forMs: 1_500,
  }
}

function stopped(name: string): InjectedFault {
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

const EMBEDDED: readonly InjectedFault[] = [
  processKillFault('serve'),
  {
    name: 'kill -9 serve and PostgreSQL',
    begin: async (system) => {
      killEmbeddedPostgres(system.environment)
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
    begin: ({ environment }) => removeIndexFiles(environment),
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'kill -9 serve, index files removed',
    begin: async (system) => {
      await named(system, 'serve').end('SIGKILL')
      removeIndexFiles(system.environment)
    },
    end: startAll,
    forMs: 0,
  },
  {
    name: 'kill -9 serve, an older copy of the index files restored',
    begin: async (system) => {
      const serve = named(system, 'serve')
      await serve.end('SIGTERM')
      const putBack = copyIndexFiles(system.environment)
      serve.start()
      await sleep(8_000)
      await serve.end('SIGKILL')
      putBack()
    },
    end: startAll,
    forMs: 0,
  },
]

function serviceKillFault(service: ServiceName): InjectedFault {
  return {
    name: `kill -9 ${service}`,
    begin: () => control('kill', service),
    end: () => control('start', service),
    forMs: 4_000,
  }
}

function servicePauseFault(service: ServiceName): InjectedFault {
  return {
    name: `SIGSTOP ${service}`,
    begin: () => control('pause', service),
    end: () => control('resume', service),
    forMs: 8_000,
  }
}

const SCALED: readonly InjectedFault[] = [
  processKillFault('api-1'),
  processKillFault('worker-1'),
  processKillFault('worker-1', 'worker-2'),
  processKillFault('api-1', 'api-2', 'worker-1', 'worker-2'),
  stopped('api-2'),
  stopped('worker-2'),
  ...(['postgres', 'redis', 'opensearch'] as const).flatMap((service) => [
    serviceKillFault(service),
    servicePauseFault(service),
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
    begin: ({ environment }) => setReadOnly(environment.databaseUrl(), true),
    end: ({ environment }) => setReadOnly(environment.databaseUrl(), false),
    forMs: 6_000,
  },
  {
    name: 'indices deleted',
    begin: ({ environment }) =>
      dropIndices(environment.env.OPENSEARCH_URL!, `${environment.env.OPENSEARCH_INDEX_PREFIX}-*`),
    end: () => undefined,
    forMs: 3_000,
  },
  {
    name: 'indices deleted, api-1 killed and started',
    begin: async (system) => {
      await dropIndices(system.environment.env.OPENSEARCH_URL!, `${system.environment.env.OPENSEARCH_INDEX_PREFIX}-*`)
      await named(system, 'api-1').end('SIGKILL')
      await sleep(200)
    },
    end: startAll,
    forMs: 500,
  },
  {
    name: 'indices emptied',
    begin: async ({ environment }) => {
      const path = `${environment.env.OPENSEARCH_INDEX_PREFIX}-*/_delete_by_query?conflicts=proceed&refresh=true`
      await call(`${environment.env.OPENSEARCH_URL}/${path}`, { method: 'POST', body: { query: { match_all: {} } } })
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

async function blockWrites({ environment }: System, blocked: true | null): Promise<void> {
  const url = `${environment.env.OPENSEARCH_URL}/${environment.env.OPENSEARCH_INDEX_PREFIX}-*/_settings`
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
