import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates tenants with their settings, agents, keys, and the answers of requests that carried an idempotency key.
 *
 * In all tables, words with a fixed list are text with a CHECK and no enums: under row level security only leakproof
 * operators use an index, and those of enums are not.
 */
const TABLES = ['tenants', 'tenant_settings', 'agents', 'api_keys', 'idempotency_keys'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table tenants (
      ${TENANT_ID} primary key,
      memories_limit bigint check (memories_limit >= 0),
      stored bigint,
      rate_limits jsonb not null default '{}',
      retention_days integer not null default 30 check (retention_days > 0),
      created_at timestamptz(3) not null default now(),
      check ((memories_limit is null) = (stored is null))
    )`,
    // At most a row for each tenant, with what differs from the defaults.
    `create table tenant_settings (
      ${TENANT_ID} primary key references tenants on delete cascade,
      settings jsonb not null default '{}' check (jsonb_typeof(settings) = 'object'),
      version integer not null default 1,
      updated_at timestamptz(3) not null default now()
    )`,
    `create table agents (
      ${TENANT_ID} references tenants on delete cascade,
      agent_id text not null,
      display_name text,
      fleet_id text,
      trust_level smallint not null default 1 check (trust_level between 0 and 3),
      created_at timestamptz(3) not null default now(),
      last_seen_at timestamptz(3),
      deleted_at timestamptz(3),
      primary key (tenant_id, agent_id)
    )`,
    `create table api_keys (
      key_id text primary key,
      ${TENANT_ID} references tenants on delete cascade,
      kind text not null check (kind in ('tenant', 'agent')),
      agent_id text,
      fleet_id text,
      trust_level smallint check (trust_level between 0 and 3),
      label text,
      secret_hash bytea not null,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      revoked_at timestamptz(3),
      foreign key (tenant_id, agent_id) references agents,
      check ((kind = 'agent') = (agent_id is not null)),
      check ((kind = 'tenant') = (trust_level is not null))
    )`,
    'create index api_keys_listing on api_keys (created_at, key_id)',
    'create index api_keys_agent on api_keys (tenant_id, agent_id)',
    `create table idempotency_keys (
      ${TENANT_ID},
      identity text not null,
      route text not null,
      idempotency_key text not null,
      request_hash bytea not null,
      status smallint,
      headers jsonb,
      body text,
      created_at timestamptz(3) not null default now(),
      primary key (tenant_id, identity, route, idempotency_key)
    )`,
    'create index idempotency_keys_age on idempotency_keys (created_at)',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
