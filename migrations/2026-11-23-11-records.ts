import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates the audit of every change, the recalls that were answered, and the record of erasures, which has ids alone:
 * enough to search again for what was erased, and nothing of what it said.
 */
const TABLES = ['audit_events', 'recalls', 'erasures'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table audit_events (
      ${TENANT_ID},
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
    )`,
    'create index audit_events_subject on audit_events (tenant_id, subject_id, id)',
    // A recall's id is a UUIDv7, so its day's partition follows from it, and dropping a day's recalls is dropping a
    // table.
    `create table recalls (
      ${TENANT_ID},
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
    ) partition by range (recall_id)`,
    'create index recalls_agent on recalls (tenant_id, agent_id, recall_id)',
    ...RECALL_PARTITIONS,
    `create table erasures (
      id uuid primary key,
      ${TENANT_ID},
      at timestamptz(3) not null,
      selector jsonb not null,
      memory_ids uuid[] not null,
      text_hashes bytea[] not null,
      receipt jsonb not null,
      hash text not null
    )`,
    // The entity of an unfinished erasure is kept while its name is still searched for.
    `create index erasures_unfinished on erasures (tenant_id) where hash = ''`,
  )
  await secureTenantTables(db, TABLES)
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
  await dropTables(db, TABLES)
  await run(db, 'drop function ensure_recall_partition(date), drop_recall_partitions(date), first_uuid_of(date)')
}
