import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the runs of the Forge with what came of them, and how each trace ended. None of them has the id of a memory. A
 * tenant has one run at a time, and one scheduled run for each slot; a run belongs to its owner while its lease lasts.
 */
const TABLES = ['forge_runs', 'forge_traces'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table forge_runs (
      ${TENANT_ID},
      run_id uuid not null,
      state text not null default 'queued' check (state in ('queued', 'running', 'succeeded', 'failed')),
      trigger text not null check (trigger in ('schedule', 'manual')),
      slot timestamptz(3),
      dry_run boolean not null default false,
      requested_at timestamptz(3) not null,
      started_at timestamptz(3),
      finished_at timestamptz(3),
      attempts integer not null default 0,
      owner uuid,
      lease timestamptz,
      progress jsonb not null default '{}',
      result jsonb not null default '{}',
      error text,
      primary key (tenant_id, run_id),
      unique (tenant_id, slot),
      check ((trigger = 'schedule') = (slot is not null)),
      check ((state = 'running') = (owner is not null and lease is not null)),
      check ((state in ('succeeded', 'failed')) = (finished_at is not null))
    )`,
    `create unique index forge_runs_running on forge_runs (tenant_id) where state = 'running'`,
    `create index forge_runs_due on forge_runs (requested_at) where state in ('queued', 'running')`,
    'create index forge_runs_finished on forge_runs (finished_at) where finished_at is not null',
    `create table forge_traces (
      ${TENANT_ID},
      fleet_id text,
      run_id text not null,
      agent_id text not null,
      label text not null check (label in ('success', 'failure', 'unknown')),
      signals jsonb not null,
      ended_at timestamptz(3) not null,
      forge_run_id uuid not null,
      unique nulls not distinct (tenant_id, fleet_id, run_id, agent_id)
    )`,
    'create index forge_traces_agent on forge_traces (tenant_id, agent_id)',
    'create index forge_traces_ended on forge_traces (ended_at)',
    // What may be evidence, by its time: a run of the Forge reads the window, not all that a tenant has.
    `create index memories_evidence on memories (tenant_id, fleet_id, run_at)
      where run_id is not null and agent_id is not null and visibility <> 'scope_agent'
        and status in ('active', 'pending', 'confirmed')`,
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(db, 'drop index memories_evidence')
  await dropTables(db, TABLES)
}
