import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates keystones, all of their versions, the state of a tenant's set, and who has received which
 * (store/keystones/README.md).
 */
const TABLES = ['keystones', 'keystone_versions', 'keystone_sets', 'keystone_acknowledgements'] as const

/** Columns of a keystone and of each of its versions. */
const KEYSTONE = `
  title text not null,
  content text not null,
  content_hash text not null,
  system_metadata jsonb not null default '{}',
  scope text not null check (scope in ('tenant', 'fleet', 'agent')),
  weight text not null check (weight in ('low', 'med', 'high')),
  fleet_id text,
  agent_id text,
  author_agent_id text,
  check ((scope = 'fleet') = (fleet_id is not null)),
  check ((scope = 'agent') = (agent_id is not null))`

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table keystones (
      ${TENANT_ID},
      doc_id text not null,
      version integer not null,
      revision bigint not null,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      ${KEYSTONE},
      primary key (tenant_id, doc_id)
    )`,
    'create index keystones_reach on keystones (tenant_id, scope, fleet_id, agent_id)',
    'create index keystones_author on keystones (tenant_id, author_agent_id) where author_agent_id is not null',
    `create table keystone_versions (
      ${TENANT_ID},
      doc_id text not null,
      version integer not null,
      change text not null check (change in ('created', 'updated', 'deleted')),
      at timestamptz(3) not null,
      author_kind text not null check (author_kind in ('agent', 'tenant', 'admin', 'service')),
      ${KEYSTONE},
      primary key (tenant_id, doc_id, version)
    )`,
    `create index keystone_versions_author on keystone_versions (tenant_id, author_agent_id)
      where author_agent_id is not null`,
    `create table keystone_sets (
      ${TENANT_ID} primary key,
      revision bigint not null default 0,
      rules integer not null default 0
    ) with (fillfactor = 50)`,
    `create table keystone_acknowledgements (
      ${TENANT_ID},
      agent_id text not null,
      run_id text not null,
      etag text not null,
      acknowledged_at timestamptz(3) not null,
      seq bigint not null default nextval('change_seq'),
      primary key (tenant_id, agent_id, run_id)
    )`,
    'create index keystone_acknowledgements_latest on keystone_acknowledgements (tenant_id, agent_id, seq)',
    'create index keystone_acknowledgements_age on keystone_acknowledgements (acknowledged_at)',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
