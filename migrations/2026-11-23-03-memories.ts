import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates memories, how often they are recalled, the vectors of their texts, and what stands between two memories:
 * supersessions and near duplicates.
 */
const TABLES = ['memories', 'memory_usage', 'vectors', 'supersessions', 'near_keys', 'near_duplicates'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    MEMORIES,
    ...INDEXES,
    `create table memory_usage (
      ${TENANT_ID},
      memory_id uuid not null,
      recall_count bigint not null default 0,
      last_recalled_at timestamptz(3),
      primary key (tenant_id, memory_id)
    ) with (fillfactor = 70)`,
    `create table vectors (
      ${TENANT_ID},
      text_hash bytea not null,
      model text not null,
      vector bytea not null,
      primary key (tenant_id, text_hash, model)
    )`,
    `create table supersessions (
      ${TENANT_ID},
      old_id uuid not null,
      new_id uuid not null,
      reason text not null check (reason in ('explicit', 'rdf_conflict', 'semantic_conflict')),
      direction text not null check (direction in ('canonical', 'flipped')),
      old_status text not null check (old_status in ('outdated', 'conflicted')),
      created_at timestamptz(3) not null,
      primary key (tenant_id, old_id, new_id),
      foreign key (tenant_id, old_id) references memories on delete cascade,
      foreign key (tenant_id, new_id) references memories on delete cascade
    )`,
    'create index supersessions_new on supersessions (tenant_id, new_id)',
    ...NEAR_DUPLICATES,
  )
  await secureTenantTables(db, TABLES)
}

const MEMORIES = `create table memories (
  ${TENANT_ID},
  id uuid not null,
  fleet_id text,
  agent_id text,
  memory_type text not null check (memory_type in ('fact', 'episode', 'decision', 'preference', 'task', 'intention',
    'plan', 'commitment', 'action', 'cancellation', 'outcome', 'rule', 'insight')),
  type_given boolean not null default true,
  title text,
  content text not null,
  content_hash bytea not null,
  text_hash bytea not null,
  weight real not null default 0.5 check (weight between 0 and 1),
  source_uri text,
  run_id text,
  metadata jsonb not null default '{}',
  system_metadata jsonb not null default '{}',
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  expires_at timestamptz(3),
  valid_start timestamptz(3),
  valid_end timestamptz(3),
  run_at timestamptz(3) not null generated always as (coalesce(valid_start, created_at)) stored,
  subject_entity_id uuid,
  predicate text,
  predicate_key text,
  object_value text,
  status text not null default 'active' check (status in ('active', 'pending', 'confirmed', 'cancelled', 'outdated',
    'conflicted', 'archived', 'deleted')),
  visibility text not null default 'scope_team' check (visibility in ('scope_agent', 'scope_team', 'scope_org')),
  confidence real check (confidence between 0 and 1),
  is_inferred boolean not null default false,
  scope jsonb,
  version integer not null default 1,
  service_fills integer not null default 0,
  deleted_at timestamptz(3),
  primary key (tenant_id, id),
  check (valid_end > valid_start),
  check ((status = 'deleted') = (deleted_at is not null)),
  check (visibility <> 'scope_agent' or agent_id is not null)
)`

const INDEXES = [
  `create unique index memories_duplicate on memories (tenant_id, fleet_id, agent_id, content_hash)
    nulls not distinct where status in ('active', 'pending', 'confirmed')`,
  'create index memories_newest on memories (tenant_id, created_at, id)',
  'create index memories_heaviest on memories (tenant_id, weight, id)',
  `create index memories_run on memories (tenant_id, run_id, run_at, id)
    where run_id is not null and status <> 'deleted'`,
  `create index memories_claim on memories (tenant_id, subject_entity_id, predicate_key)
    where subject_entity_id is not null and predicate_key is not null
      and status in ('active', 'pending', 'confirmed', 'conflicted')`,
  'create index memories_subject on memories (tenant_id, subject_entity_id) where subject_entity_id is not null',
  `create index memories_author on memories (tenant_id, agent_id, id) where status <> 'deleted'`,
  `create index memories_expiry on memories (tenant_id, expires_at)
    where expires_at is not null and status in ('active', 'pending', 'confirmed', 'conflicted')`,
  `create index memories_validity on memories (tenant_id, valid_end)
    where valid_end is not null and status in ('active', 'pending', 'confirmed', 'conflicted')`,
  'create index memories_deleted on memories (tenant_id, deleted_at) where deleted_at is not null',
  `create index memories_idle on memories (tenant_id, created_at)
    where status in ('active', 'pending', 'confirmed') and weight < 0.3`,
  // Used by a purge before it removes a text's vectors.
  'create index memories_text on memories (tenant_id, text_hash)',
]

/**
 * Tables of their own, since flagging a near duplicate changes no row that callers read and write. Each row holds only
 * for the two texts that were compared.
 */
const NEAR_DUPLICATES = [
  `create table near_keys (
    ${TENANT_ID},
    memory_id uuid not null,
    key bigint not null,
    primary key (tenant_id, memory_id, key),
    foreign key (tenant_id, memory_id) references memories on delete cascade
  )`,
  'create index near_keys_key on near_keys (tenant_id, key, memory_id)',
  `create table near_duplicates (
    ${TENANT_ID},
    memory_id uuid not null,
    memory_hash bytea not null,
    original_id uuid not null,
    original_hash bytea not null,
    primary key (tenant_id, memory_id),
    foreign key (tenant_id, memory_id) references memories on delete cascade,
    foreign key (tenant_id, original_id) references memories on delete cascade
  )`,
  'create index near_duplicates_original on near_duplicates (tenant_id, original_id)',
]

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
