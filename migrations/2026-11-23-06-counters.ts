import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the counters (store/tenants/README.md): inserted deltas, the counts that they are added to, and sums of those
 * by parts of their keys, so that no query has to add up all of a tenant's.
 */
const MEMORY_SUMS = {
  memory_counters: ['fleet_id', 'agent_id', 'visibility', 'memory_type', 'status'],
  memory_counters_by_kind: ['visibility', 'memory_type', 'status'],
  memory_counters_by_fleet: ['fleet_id', 'visibility', 'memory_type', 'status'],
  memory_counters_by_agent: ['agent_id', 'fleet_id', 'visibility', 'status'],
} as const

const DOCUMENT_KEY = `collection text collate "C" not null, fleet_id text, changed_at timestamptz(3) not null`

const DELTAS = {
  memory_counter_deltas: columnsOf(MEMORY_SUMS.memory_counters),
  document_counter_deltas: DOCUMENT_KEY,
  agent_counter_deltas: 'fleet_id text',
}

const TABLES = [
  ...Object.keys(MEMORY_SUMS),
  'document_counters',
  'fleet_totals',
  'tenant_totals',
  ...Object.keys(DELTAS),
]

function columnsOf(key: readonly string[]): string {
  return key.map((name) => `${name} text${name.endsWith('_id') ? '' : ' not null'}`).join(', ')
}

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const [table, columns] of Object.entries(DELTAS))
    await run(
      db,
      `create table ${table} (
        id bigint generated always as identity primary key,
        ${TENANT_ID},
        ${columns},
        delta bigint not null
      )`,
      `create index ${table}_tenant on ${table} (tenant_id)`,
    )
  for (const [table, key] of Object.entries(MEMORY_SUMS))
    await run(
      db,
      `create table ${table} (${TENANT_ID}, ${columnsOf(key)}, count bigint not null)`,
      `create unique index ${table}_key on ${table} (tenant_id, ${key.join(', ')}) nulls not distinct`,
    )
  await run(
    db,
    'create index memory_counters_agent on memory_counters (tenant_id, agent_id)',
    'create index memory_counters_type on memory_counters (tenant_id, memory_type, status)',
    `create table document_counters (${TENANT_ID}, ${DOCUMENT_KEY}, count bigint not null)`,
    `create unique index document_counters_key on document_counters (tenant_id, collection, fleet_id)
      nulls not distinct`,
    `create table fleet_totals (
      ${TENANT_ID},
      fleet_id text not null,
      agents bigint not null default 0,
      memories bigint not null default 0,
      primary key (tenant_id, fleet_id)
    )`,
    `create table tenant_totals (
      ${TENANT_ID} primary key,
      agents bigint not null default 0,
      memories bigint not null default 0,
      documents bigint not null default 0
    )`,
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
