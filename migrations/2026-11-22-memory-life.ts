import { type Kysely, sql } from 'kysely'

/**
 * Creates the lifecycle of memories: supersessions, claims that may contradict one another, the audit of every change,
 * and the recalls that were answered.
 */
const TENANT_TABLES = ['supersessions', 'audit_events', 'recalls'] as const

const TENANT_ID = "text not null check (tenant_id <> '')"

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)

  // The predicate in snake_case, in which different spellings are equal.
  await run('alter table memories add column predicate_key text')
  await run(`update memories set predicate_key =
    trim(both '_' from lower(regexp_replace(regexp_replace(predicate, '([a-z0-9])([A-Z])', '\\1_\\2', 'g'), '[^[:alnum:]]+', '_', 'g')))
    where predicate is not null`)
  await run(`create index memories_claim on memories (tenant_id, subject_entity_id, predicate_key)
    where subject_entity_id is not null and predicate_key is not null
      and status in ('active', 'pending', 'confirmed', 'conflicted')`)
  await run(
    `create index memories_subject on memories (tenant_id, subject_entity_id) where subject_entity_id is not null`,
  )
  await run(`create index memories_author on memories (tenant_id, agent_id, id) where status <> 'deleted'`)
  await run(`create index memories_expiry on memories (tenant_id, expires_at)
    where expires_at is not null and status in ('active', 'pending', 'confirmed', 'conflicted')`)
  await run(`create index memories_validity on memories (tenant_id, valid_end)
    where valid_end is not null and status in ('active', 'pending', 'confirmed', 'conflicted')`)
  await run(`create index memories_deleted on memories (tenant_id, deleted_at) where deleted_at is not null`)
  await run(`create index memories_idle on memories (tenant_id, created_at)
    where status in ('active', 'pending', 'confirmed') and weight < 0.3`)
  // Used by a purge before it removes a text's vectors.
  await run('create index memories_text on memories (tenant_id, text_hash)')

  await run(`create table supersessions (
    tenant_id ${TENANT_ID},
    old_id uuid not null,
    new_id uuid not null,
    reason text not null check (reason in ('explicit', 'rdf_conflict', 'semantic_conflict')),
    direction text not null check (direction in ('canonical', 'flipped')),
    old_status text not null check (old_status in ('outdated', 'conflicted')),
    created_at timestamptz(3) not null,
    primary key (tenant_id, old_id, new_id),
    foreign key (tenant_id, old_id) references memories on delete cascade,
    foreign key (tenant_id, new_id) references memories on delete cascade
  )`)
  await run('create index supersessions_new on supersessions (tenant_id, new_id)')

  await run(`create table audit_events (
    tenant_id ${TENANT_ID},
    id bigint generated always as identity,
    at timestamptz(3) not null,
    actor_kind text not null check (actor_kind in ('agent', 'tenant', 'admin', 'service')),
    actor_agent_id text,
    actor_key_id text,
    action text not null,
    subject_kind text not null,
    subject_id text not null,
    details jsonb not null default '{}',
    primary key (tenant_id, id)
  )`)
  await run('create index audit_events_subject on audit_events (tenant_id, subject_id, id)')

  // A recall's id is a UUIDv7, so its day's partition follows from it, and dropping a day's recalls is dropping a
  // table.
  await run(`create table recalls (
    tenant_id ${TENANT_ID},
    recall_id uuid not null,
    actor_kind text not null,
    agent_id text,
    fleet_id text,
    key_id text,
    at timestamptz(3) not null,
    request jsonb not null,
    results jsonb not null,
    memory_count integer not null,
    degraded text,
    recall_ms real not null,
    primary key (tenant_id, recall_id)
  ) partition by range (recall_id)`)
  await run('create index recalls_agent on recalls (tenant_id, agent_id, recall_id)')
  for (const statement of RECALL_PARTITIONS) await run(statement)

  // The readiness probe reads which migrations are applied.
  await run('grant select on kysely_migration to cairn_system')

  for (const table of TENANT_TABLES) {
    await run(`alter table ${table} enable row level security`)
    await run(`alter table ${table} force row level security`)
    await run(`create policy tenant on ${table} to cairn_app
      using (tenant_id = current_setting('app.tenant_id')) with check (tenant_id = current_setting('app.tenant_id'))`)
    await run(`create policy system on ${table} to cairn_system using (true) with check (true)`)
    await run(`grant select, insert, update, delete on ${table} to cairn_app, cairn_system`)
  }
}

/**
 * Functions that create and drop a day's partition with the owner's rights, which no process has at run time.
 * `ensure_recall_partition` may run many times at once; `drop_recall_partitions` drops whole days before the given one.
 */
const RECALL_PARTITIONS = [
  `create function first_uuid_of(day date) returns uuid language sql immutable as $$
    select (lpad(to_hex((extract(epoch from day::timestamp) * 1000)::bigint), 12, '0') || '00000000000000000000')::uuid $$`,
  `create function ensure_recall_partition(day date) returns void language plpgsql security definer
    set search_path from current as $$
    declare
      partition text := 'recalls_' || to_char(day, 'YYYYMMDD');
    begin
      perform pg_advisory_xact_lock(7205714);
      if to_regclass(partition) is not null then return; end if;
      execute format('create table %I (like recalls including all)', partition);
      execute format('alter table %I enable row level security', partition);
      execute format('alter table recalls attach partition %I for values from (%L) to (%L)',
        partition, first_uuid_of(day), first_uuid_of(day + 1));
    end $$`,
  `create function drop_recall_partitions(before date) returns integer language plpgsql security definer
    set search_path from current as $$
    declare
      partition text;
      dropped integer := 0;
    begin
      perform pg_advisory_xact_lock(7205714);
      for partition in
        select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'recalls'::regclass and c.relname < 'recalls_' || to_char(before, 'YYYYMMDD')
      loop
        execute format('drop table %I', partition);
        dropped := dropped + 1;
      end loop;
      return dropped;
    end $$`,
  'revoke execute on function ensure_recall_partition(date), drop_recall_partitions(date) from public',
  'grant execute on function ensure_recall_partition(date), drop_recall_partitions(date) to cairn_system',
]

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('drop table recalls, audit_events, supersessions')
  await run('drop function ensure_recall_partition(date), drop_recall_partitions(date), first_uuid_of(date)')
  for (const index of ['subject', 'author', 'expiry', 'validity', 'deleted', 'idle', 'text'])
    await run(`drop index memories_${index}`)
  await run('alter table memories drop column predicate_key')
}
