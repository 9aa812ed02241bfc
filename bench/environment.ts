import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import type { Corpus } from '../domain/corpus.js'
import { withConnection } from '../store/connection.js'
import type { Cleanup } from './cleanup.js'
import { createHttpClient } from './http-client.js'

export const PROFILES = ['embedded', 'scaled'] as const
export type Profile = (typeof PROFILES)[number]

/** The environment of one bench's service: a fresh directory, database and index, removed afterwards. */
export interface BenchEnvironment {
  readonly profile: Profile
  /** Contains the logs of the processes, and DATA_DIR. */
  readonly directory: string
  /** Settings that every process of the service gets. */
  readonly env: Readonly<Record<string, string>>
  /** Returns the URL of the service's own database; in the embedded profile only once the service has started. */
  databaseUrl(): string
  /** Returns the engine's file of this corpus (embedded), null before the service has created it. */
  searchFile(corpus: Corpus): string | null
}

interface ScaledServices {
  readonly databaseUrl: string
  readonly redisUrl: string
  readonly opensearchUrl: string
}

/** Returns the URLs of the real services. Throws with advice when one is not set. */
export function scaledServices(): ScaledServices {
  const read = (name: string) => {
    const value = process.env[name]
    if (value) return value
    throw new Error(
      `${name} is not set: the scaled profile runs on real services. Start them with \`scripts/services up\`, ` +
        'then `eval "$(scripts/services env)"`.',
    )
  }
  return {
    databaseUrl: read('CAIRN_TEST_DATABASE_URL'),
    redisUrl: read('CAIRN_TEST_REDIS_URL'),
    opensearchUrl: read('CAIRN_TEST_OPENSEARCH_URL'),
  }
}

/** Creates the environment. `settings` are settings of the service in addition to those that the profile needs. */
export async function createEnvironment(
  profile: Profile,
  cleanup: Cleanup,
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchEnvironment> {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-bench-'))
  cleanup.add(() => rmSync(directory, { recursive: true, force: true }))
  const environment =
    profile === 'embedded' ? embeddedEnvironment(directory) : await scaledEnvironment(directory, cleanup)
  return { ...environment, env: { ...environment.env, ...settings } }
}

function embeddedEnvironment(directory: string): BenchEnvironment {
  const dataDir = join(directory, 'data')
  return {
    profile: 'embedded',
    directory,
    env: { DATA_DIR: dataDir },
    databaseUrl() {
      const { password, port } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as {
        password: string
        port: number
      }
      return `postgres://cairn:${password}@127.0.0.1:${port}/cairn`
    },
    searchFile(corpus) {
      const files = readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
      const name = files.find((file) => new RegExp(`(?:^|/)${corpus}-[^/]*\\.sqlite$`).test(file))
      return name === undefined ? null : join(dataDir, name)
    },
  }
}

async function scaledEnvironment(directory: string, cleanup: Cleanup): Promise<BenchEnvironment> {
  const { databaseUrl: server, redisUrl, opensearchUrl } = scaledServices()
  const name = `cairn_bench_${randomBytes(4).toString('hex')}`
  const prefix = name.replaceAll('_', '-')
  await runStatement(server, `create database ${name}`)
  cleanup.add(() => runStatement(server, `drop database if exists ${name} with (force)`))
  cleanup.add(() => dropIndices(opensearchUrl, `${prefix}-*`))
  cleanup.add(() => dropKeys(redisUrl, `${prefix}:*`))
  const own = new URL(server)
  own.pathname = `/${name}`
  return {
    profile: 'scaled',
    directory,
    env: {
      DATA_DIR: join(directory, 'data'),
      DATABASE_URL: own.href,
      REDIS_URL: redisUrl,
      OPENSEARCH_URL: opensearchUrl,
      OPENSEARCH_INDEX_PREFIX: prefix,
      QUEUE_PREFIX: prefix,
    },
    databaseUrl: () => own.href,
    searchFile: () => null,
  }
}

export async function runStatement(url: string, statement: string): Promise<void> {
  await withConnection(url, (client) => client.query(statement))
}

/** Deletes the indices that match, each by its name: the engine may refuse a wildcard in a delete. */
export async function dropIndices(url: string, pattern: string): Promise<void> {
  const client = createHttpClient(url)
  try {
    const listed = await client.send('GET', `/_cat/indices/${pattern}?format=json&h=index`)
    if (listed.status !== 200) return
    for (const { index } of JSON.parse(listed.body) as { index: string }[]) await client.send('DELETE', `/${index}`)
  } finally {
    client.close()
  }
}

async function dropKeys(url: string, pattern: string): Promise<void> {
  const redis = new Redis(url, { maxRetriesPerRequest: 1 })
  redis.on('error', () => undefined)
  try {
    for await (const keys of redis.scanStream({ match: pattern, count: 1000 }) as AsyncIterable<string[]>)
      if (keys.length > 0) await redis.unlink(keys)
  } finally {
    redis.disconnect()
  }
}
