import type { Kysely } from 'kysely'
import { dropTables, run, runOnAllTenants, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates skills with all of their versions, what they cite, how they moved and turned out, and what was rejected
 * (store/skills/README.md). What is active is a row of `documents` as well.
 */
const TABLES = ['skills', 'skill_versions', 'skill_cites', 'skill_moves', 'skill_outcomes', 'skill_poison'] as const

const STATUSES = "('candidate', 'staged', 'active', 'rejected', 'quarantined', 'stale', 'deprecated')"

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table skills (
      ${TENANT_ID},
      id uuid not null,
      doc_id text collate "C" not null,
      slug text not null,
      fleet_id text,
      active_version integer,
      waiting_version integer,
      last_version integer not null,
      confirmed_at timestamptz(3),
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, id),
      unique (tenant_id, doc_id)
    )`,
    'create index skills_confirmed on skills (confirmed_at) where confirmed_at is not null',
    'create index skills_slug on skills (tenant_id, slug collate "C")',
    `create table skill_versions (
      ${TENANT_ID},
      skill_id uuid not null,
      version integer not null check (version > 0),
      status text not null check (status in ${STATUSES}),
      source text not null check (source in ('agent', 'manual', 'forge', 'imported')),
      kind text not null check (kind in ('create', 'update')),
      name text not null,
      description text not null,
      summary text,
      content text not null,
      domain text not null,
      goal text,
      tags text[] not null default '{}',
      target jsonb,
      origin jsonb,
      evidence jsonb,
      system_metadata jsonb not null default '{}',
      fleet_key text not null,
      content_hash text not null,
      fingerprint text not null,
      sketch jsonb not null,
      scan_state text not null default 'pending' check (scan_state in ('pending', 'clean', 'quarantined', 'failed')),
      scan_rules text,
      scan_attempts smallint not null default 0,
      scanned_at timestamptz(3),
      scan jsonb,
      gates jsonb not null default '[]',
      reason text,
      is_deferred boolean not null default false,
      deferred_at timestamptz(3),
      place timestamptz(3) not null,
      author_agent_id text,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      primary key (tenant_id, skill_id, version),
      foreign key (tenant_id, skill_id) references skills on delete cascade
    )`,
    "create unique index skill_versions_active on skill_versions (tenant_id, skill_id) where status = 'active'",
    "create index skill_versions_content on skill_versions (tenant_id, content_hash) where status = 'active'",
    `create unique index skill_versions_waiting on skill_versions (tenant_id, skill_id)
      where status in ('candidate', 'staged', 'quarantined')`,
    // The Forge has one candidate for the same work of a fleet. What is reviewed again may say the same as another skill.
    `create unique index skill_versions_fingerprint on skill_versions (tenant_id, fleet_key, fingerprint)
      where source = 'forge' and status = 'candidate'`,
    `create index skill_versions_inbox on skill_versions (tenant_id, status, is_deferred, place, skill_id)
      where status in ('candidate', 'staged', 'quarantined')`,
    "create index skill_versions_candidates on skill_versions (created_at) where status = 'candidate'",
    `create index skill_versions_author on skill_versions (tenant_id, author_agent_id, place)
      where status = 'staged' and source <> 'forge' and not is_deferred`,
    "create index document_counters_skills on document_counters (tenant_id) include (count) where collection = 'skills'",
    `create table skill_cites (
      ${TENANT_ID},
      memory_id uuid not null,
      skill_id uuid not null,
      version integer not null,
      primary key (tenant_id, memory_id, skill_id, version),
      foreign key (tenant_id, skill_id, version) references skill_versions on delete cascade
    )`,
    'create index skill_cites_version on skill_cites (tenant_id, skill_id, version)',
    `create table skill_moves (
      ${TENANT_ID},
      id bigint generated always as identity,
      skill_id uuid not null,
      version integer not null,
      from_status text,
      to_status text not null,
      actor_kind text not null check (actor_kind in ('agent', 'tenant', 'admin', 'service')),
      actor_agent_id text,
      reason text,
      at timestamptz(3) not null,
      primary key (tenant_id, id),
      foreign key (tenant_id, skill_id) references skills on delete cascade
    )`,
    'create index skill_moves_skill on skill_moves (tenant_id, skill_id, id)',
    `create table skill_outcomes (
      ${TENANT_ID},
      skill_id uuid not null,
      version integer not null,
      agent_id text not null,
      run_id text not null,
      outcome text not null check (outcome in ('success', 'failure', 'partial')),
      at timestamptz(3) not null,
      primary key (tenant_id, skill_id, agent_id, run_id),
      foreign key (tenant_id, skill_id) references skills on delete cascade
    )`,
    'create index skill_outcomes_run on skill_outcomes (tenant_id, run_id)',
    'create index skill_outcomes_age on skill_outcomes (at)',
    `create table skill_poison (
      ${TENANT_ID},
      fleet_key text not null,
      fingerprint text not null,
      sketch jsonb not null,
      doc_id text not null,
      reason text not null,
      rejected_at timestamptz(3) not null,
      until timestamptz(3) not null,
      primary key (tenant_id, fleet_key, fingerprint)
    )`,
    'create index skill_poison_until on skill_poison (until)',
    `alter table index_pending drop constraint index_pending_kind_check`,
    `alter table index_pending add constraint index_pending_kind_check
      check (kind in ('memory', 'vector', 'enrich', 'document', 'document_vector', 'scan'))`,
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await runOnAllTenants(db, "delete from index_pending where kind = 'scan'")
  await run(
    db,
    'drop index document_counters_skills',
    'alter table index_pending drop constraint index_pending_kind_check',
    `alter table index_pending add constraint index_pending_kind_check
      check (kind in ('memory', 'vector', 'enrich', 'document', 'document_vector'))`,
  )
  await dropTables(db, TABLES)
}
