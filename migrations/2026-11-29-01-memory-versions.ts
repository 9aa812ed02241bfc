import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

const TABLES = ['memory_versions'] as const

/**
 * Columns of `memories` whose change alone keeps no former version: counters and weight, what the service derives from the other
 * columns, and `run_at`, which a trigger before the update does not have yet.
 */
const UNKEPT = ['weight', 'version', 'service_fills', 'updated_at', 'known_since', 'system_metadata', 'run_at'].concat([
  'content_hash',
  'content_hash_form',
  'text_hash',
  'predicate_key',
  'is_language_read',
])

/** Former versions that one memory keeps at most, the newest ones. */
const MOST_KEPT = 200

/**
 * Keeps what a memory was before each change that its readers see: the whole row, and from when until when it was so. A trigger does it, so
 * that no statement of any release forgets it. What the service fills in (`service_fills`) completes the version that it was read from.
 * `entity_ids` are the entities that the version was about, as subject or linked: links are changed after the row.
 * `former` lacks the ids of tenant and memory, which stand beside it: an erasure that searches it for a name or an id would find them in every row.
 * The trigger skips a version that is locked: it is being removed then, and nobody who removes versions of many memories is waited for.
 * `memories.known_since` is when the present state began; where it is null the memory has not changed since this migration, and `updated_at` says it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table memory_versions (
      ${TENANT_ID},
      memory_id uuid not null,
      version integer not null,
      known_from timestamptz(3) not null,
      known_until timestamptz(3) not null,
      entity_ids uuid[] not null,
      former jsonb not null,
      primary key (tenant_id, memory_id, version),
      foreign key (tenant_id, memory_id) references memories on delete cascade
    )`,
    'create index memory_versions_until on memory_versions (tenant_id, known_until)',
    'alter table memories add column known_since timestamptz(3)',
    `create function keep_memory_version() returns trigger language plpgsql as $$
    declare
      began timestamptz(3) := coalesce(old.known_since, old.updated_at);
      unkept constant text[] := '{${UNKEPT.join()}}';
    begin
      if to_jsonb(new) - unkept = to_jsonb(old) - unkept then
        new.known_since := began;
      else
        new.known_since := greatest(new.updated_at, began);
        insert into memory_versions (tenant_id, memory_id, version, known_from, known_until, entity_ids, former)
        values (old.tenant_id, old.id, old.version - old.service_fills, began, new.known_since, array(
          select l.entity_id from entity_links l where l.tenant_id = old.tenant_id and l.memory_id = old.id
          union select old.subject_entity_id where old.subject_entity_id is not null
        ), to_jsonb(old) - '{tenant_id,id}'::text[]);
        delete from memory_versions v where v.tenant_id = old.tenant_id and v.memory_id = old.id and v.version = any(array(
          select w.version from memory_versions w where w.tenant_id = old.tenant_id and w.memory_id = old.id and w.version <= (
            select u.version from memory_versions u where u.tenant_id = old.tenant_id and u.memory_id = old.id
            order by u.version desc offset ${MOST_KEPT} limit 1
          ) for update skip locked
        ));
      end if;
      return new;
    end $$`,
    `create trigger memories_changed before update on memories for each row
      when (new.version <> old.version and new.service_fills = old.service_fills) execute function keep_memory_version()`,
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    'drop trigger memories_changed on memories',
    'drop function keep_memory_version()',
    'alter table memories drop column known_since',
  )
  await dropTables(db, TABLES)
}
