import { type Kysely, sql } from 'kysely'

/**
 * Creates tenants, credentials, memories, entities, the outbox and the counters.
 *
 * Every tenant's table carries `tenant_id`, forces row level security and has two policies: `cairn_app` sees the tenant
 * of its transaction (`app.tenant_id`), `cairn_system` (key lookup, claims, sweeps, operators) sees all. After a commit
 * the setting is '' and not null, so an empty tenant_id is forbidden by a CHECK. Text with CHECK and no enums: under
 * row level security only leakproof operators use an index, and those of enums are not.
 */
const TENANT_TABLES = [
  'tenants',
  'agents',
  'api_keys',
  'memories',
  'memory_usage',
  'vectors',
  'entities',
  'entity_links',
  'idempotency_keys',
  'index_pending',
  'memory_counters',
  'memory_counter_deltas',
  'tenant_totals',
] as const

const TENANT_ID = "text not null check (tenant_id <> '')"

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // Roles belong to the cluster, not to the database: another database's migration may create them at the same moment.
  for (const role of ['cairn_app', 'cairn_system']) {
    await run(`do $$ begin
      if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
    exception when duplicate_object or unique_violation then null; end $$`)
    await run(`grant ${role} to current_user`)
  }

  await run(`create table service_secrets (
    name text primary key,
    value bytea not null
  )`)
  // A UUID has 122 random bits: two of them make a key of the strength that HMAC-SHA-256 wants.
  await run(`insert into service_secrets
    values ('cursor', decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'))`)

  await run(`create table tenants (
    tenant_id ${TENANT_ID} primary key,
    memories_limit bigint check (memories_limit >= 0),
    stored bigint,
    rate_limits jsonb not null default '{}',
    retention_days integer not null default 30 check (retention_days > 0),
    created_at timestamptz(3) not null default now(),
    check ((memories_limit is null) = (stored is null))
  )`)

  await run(`create table agents (
    tenant_id ${TENANT_ID} references tenants on delete cascade,
    agent_id text not null,
    display_name text,
    fleet_id text,
    trust_level smallint not null default 1 check (trust_level between 0 and 3),
    created_at timestamptz(3) not null default now(),
    last_seen_at timestamptz(3),
    deleted_at timestamptz(3),
    primary key (tenant_id, agent_id)
  )`)

  await run(`create table api_keys (
    key_id text primary key,
    tenant_id ${TENANT_ID} references tenants on delete cascade,
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
  )`)
  await run('create index api_keys_listing on api_keys (created_at, key_id)')
  await run('create index api_keys_agent on api_keys (tenant_id, agent_id)')

  await run(`create table memories (
    tenant_id ${TENANT_ID},
    id uuid not null,
    fleet_id text,
    agent_id text,
    memory_type text not null check (memory_type in ('fact', 'episode', 'decision', 'preference', 'task', 'intention',
      'plan', 'commitment', 'action', 'cancellation', 'outcome', 'rule', 'insight')),
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
    object_value text,
    status text not null default 'active' check (status in ('active', 'pending', 'confirmed', 'cancelled', 'outdated',
      'conflicted', 'archived', 'deleted')),
    visibility text not null default 'scope_team' check (visibility in ('scope_agent', 'scope_team', 'scope_org')),
    confidence real check (confidence between 0 and 1),
    is_inferred boolean not null default false,
    scope jsonb,
    version integer not null default 1,
    deleted_at timestamptz(3),
    primary key (tenant_id, id),
    check (valid_end > valid_start),
    check ((status = 'deleted') = (deleted_at is not null)),
    check (visibility <> 'scope_agent' or agent_id is not null)
  )`)
  await run(`create unique index memories_duplicate on memories (tenant_id, fleet_id, agent_id, content_hash)
    nulls not distinct where status in ('active', 'pending', 'confirmed')`)
  await run('create index memories_newest on memories (tenant_id, created_at, id)')
  await run('create index memories_heaviest on memories (tenant_id, weight, id)')
  await run(`create index memories_run on memories (tenant_id, run_id, run_at, id)
    where run_id is not null and status <> 'deleted'`)

  await run(`create table memory_usage (
    tenant_id ${TENANT_ID},
    memory_id uuid not null,
    recall_count bigint not null default 0,
    last_recalled_at timestamptz(3),
    primary key (tenant_id, memory_id)
  ) with (fillfactor = 70)`)

  await run(`create table vectors (
    tenant_id ${TENANT_ID},
    text_hash bytea not null,
    model text not null,
    vector bytea not null,
    primary key (tenant_id, text_hash, model)
  )`)

  await run(`create table entities (
    tenant_id ${TENANT_ID},
    id uuid not null,
    name text not null,
    name_key text not null,
    created_at timestamptz(3) not null default now(),
    primary key (tenant_id, id),
    unique (tenant_id, name_key)
  )`)
  await run(`create table entity_links (
    tenant_id ${TENANT_ID},
    memory_id uuid not null,
    entity_id uuid not null,
    role text not null default '',
    entity_type text,
    primary key (tenant_id, memory_id, entity_id, role),
    foreign key (tenant_id, memory_id) references memories on delete cascade,
    foreign key (tenant_id, entity_id) references entities on delete cascade
  )`)
  await run('create index entity_links_entity on entity_links (tenant_id, entity_id, memory_id)')

  await run(`create table idempotency_keys (
    tenant_id ${TENANT_ID},
    identity text not null,
    route text not null,
    idempotency_key text not null,
    request_hash bytea not null,
    status smallint,
    headers jsonb,
    body text,
    created_at timestamptz(3) not null default now(),
    primary key (tenant_id, identity, route, idempotency_key)
  )`)
  await run('create index idempotency_keys_age on idempotency_keys (created_at)')

  // The pending rows (store/outbox/README.md). The sequence never restarts, and is drawn at every enqueue: the index
  // documents' external version.
  await run('create sequence change_seq')
  await run(`create table index_pending (
    tenant_id ${TENANT_ID},
    kind text not null check (kind in ('memory', 'vector')),
    entity_id uuid not null,
    seq bigint not null default nextval('change_seq'),
    changed_at timestamptz(3) not null default now(),
    -- To the microsecond: rounded up to the millisecond, a row would not be due yet to a claim that comes at once.
    due_at timestamptz not null default now(),
    attempts smallint not null default 0,
    lease timestamptz(3),
    ticket uuid,
    settled_at timestamptz(3),
    parked_at timestamptz(3),
    error text,
    primary key (tenant_id, kind, entity_id)
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`)
  await run(`create index index_pending_due on index_pending (kind, tenant_id, due_at)
    where settled_at is null and parked_at is null`)
  await run('create index index_pending_ticket on index_pending (ticket) where ticket is not null')
  await run('create index index_pending_settled on index_pending (settled_at) where settled_at is not null')
  await run(`create index index_pending_tail on index_pending (tenant_id, kind, seq) where settled_at is null`)
  await run('create index index_pending_parked on index_pending (tenant_id) where parked_at is not null')

  for (const [name, key] of [
    ['memory_counters', 'count bigint not null'],
    ['memory_counter_deltas', 'id bigint generated always as identity primary key, delta bigint not null'],
  ] as const)
    await run(`create table ${name} (
      tenant_id ${TENANT_ID},
      fleet_id text,
      agent_id text,
      visibility text not null,
      memory_type text not null,
      status text not null,
      ${key}
    )`)
  await run(`create unique index memory_counters_key on memory_counters
    (tenant_id, fleet_id, agent_id, visibility, memory_type, status) nulls not distinct`)
  await run('create index memory_counter_deltas_tenant on memory_counter_deltas (tenant_id)')
  await run(`create table tenant_totals (
    tenant_id ${TENANT_ID} primary key,
    memories bigint not null default 0
  )`)
  await run(`create table service_counters (
    name text primary key,
    value bigint not null default 0
  )`)

  for (const table of TENANT_TABLES) {
    await run(`alter table ${table} enable row level security`)
    await run(`alter table ${table} force row level security`)
    await run(`create policy tenant on ${table} to cairn_app
      using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
    await run(`create policy system on ${table} to cairn_system using (true) with check (true)`)
    await run(`grant select, insert, update, delete on ${table} to cairn_app, cairn_system`)
  }
  await run('grant select, insert, update, delete on service_counters to cairn_system')
  await run('grant select on service_secrets to cairn_system')
  await run('grant usage on sequence change_seq to cairn_app, cairn_system')
  await run(
    `do $$ begin execute format('grant usage on schema %I to cairn_app, cairn_system', current_schema()); end $$`,
  )
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const tables = [...TENANT_TABLES].reverse()
  for (const table of [...tables, 'service_counters', 'service_secrets'])
    await sql.raw(`drop table if exists ${table} cascade`).execute(db)
  await sql.raw('drop sequence if exists change_seq').execute(db)
}
