import { randomBytes } from 'node:crypto'
import { createLogger } from '../runtime/logger.js'
import { migrateUp } from '../store/migrate.js'
import { claim } from '../store/outbox/outbox-claim.js'
import { Store } from '../store/store.js'
import type { Cleanup } from './cleanup.js'
import { createNoise } from './noise.js'
import { runStatement } from './environment.js'
import { timesRow } from './samples.js'

interface ClaimOptions {
  readonly rows: number
  /** Number of claims timed for each distribution of the rows. */
  readonly claims: number
}

/** The number that a worker's relay claims. */
const BATCHES = 8
const BATCH_SIZE = 250
const LEASE_MS = 600_000

/** Distributions of the rows over tenants, as SQL for the tenant of row `i` of `$rows`. */
const SPREADS = {
  'one tenant': () => `'backlog'`,
  'a thousand tenants with equal shares': () => `'tenant-' || lpad((i % 1000)::text, 4, '0')`,
  'one backlog and 1,000 tenants with one row': (rows: number) =>
    `case when i > ${rows - 1000} then 'tenant-' || lpad((${rows} - i)::text, 4, '0') else 'backlog' end`,
} as const

/**
 * Measures fair claiming from a full dirty set: the time of a claim, and how long one row waits behind another tenant's
 * backlog.
 */
export async function benchClaim({ rows, claims }: ClaimOptions, cleanup: Cleanup): Promise<void> {
  const server = process.env.CAIRN_TEST_DATABASE_URL
  if (!server)
    throw new Error('CAIRN_TEST_DATABASE_URL is not set: `scripts/services up`, then `eval "$(scripts/services env)"`.')
  const name = `cairn_bench_${randomBytes(4).toString('hex')}`
  await runStatement(server, `create database ${name}`)
  cleanup.add(() => runStatement(server, `drop database if exists ${name} with (force)`))
  const own = new URL(server)
  own.pathname = `/${name}`
  await migrateUp(own.href)
  const store = new Store({
    url: own.href,
    poolSize: 1,
    systemPoolSize: 4,
    statementTimeoutMs: 120_000,
    connectTimeoutMs: 5_000,
    logger: createLogger('warn'),
  })
  cleanup.add(() => store.stop())

  console.log(`\nclaim: ${rows} due rows, ${BATCHES} batches of ${BATCH_SIZE} a claim`)
  const noise = createNoise()
  for (const [spread, tenantOf] of Object.entries(SPREADS)) {
    const table: Record<string, object> = {}
    for (const claimers of [1, 4]) {
      await fill(own.href, tenantOf(rows), rows)
      table[`${claimers} at a time`] = await timeClaims(store, claims, claimers)
    }
    console.log(spread)
    console.table(table)
    noise.sample()
  }
  console.log('noise', noise.summary())
}

async function fill(url: string, tenantOf: string, rows: number): Promise<void> {
  await runStatement(url, 'truncate index_pending')
  await runStatement(
    url,
    `set role cairn_system; insert into index_pending (tenant_id, kind, entity_id)
     select ${tenantOf}, 'memory', gen_random_uuid() from generate_series(1, ${rows}) as i`,
  )
  await runStatement(url, 'vacuum analyze index_pending')
}

async function timeClaims(store: Store, claims: number, claimers: number) {
  const times: number[] = []
  const taken = new Set<string>()
  const firstClaim = new Map<string, number>()
  let made = 0
  let twice = 0
  const work = async () => {
    let after = ''
    while (made < claims) {
      const turn = ++made
      const started = performance.now()
      const { batches, next } = await store.asSystem((system) =>
        claim(system, 'memory', { batches: BATCHES, batchSize: BATCH_SIZE, leaseMs: LEASE_MS, after }),
      )
      times.push(performance.now() - started)
      after = next
      for (const { tenantId, ids } of batches) {
        if (!firstClaim.has(tenantId)) firstClaim.set(tenantId, turn)
        for (const id of ids) {
          if (taken.has(id)) twice++
          taken.add(id)
        }
      }
    }
  }
  await Promise.all(Array.from({ length: claimers }, work))
  if (twice > 0) throw new Error(`${twice} rows were claimed twice`)
  return {
    ...timesRow(times),
    rows: taken.size,
    tenants: firstClaim.size,
    'last tenant at claim': Math.max(...firstClaim.values()),
  }
}
