import type { Kysely } from 'kysely'
import { dropTables, run, secureTenantTables, TENANT_ID } from './tenant-tables.js'

/**
 * Creates entities and their links to memories. The origin of a link is part of its key, so that what callers gave, what
 * the service found in the text and what a language model inferred do not conflict. Each link has the entity's spelling
 * beside its audience, so that an index finds the earliest spelling that a caller sees.
 */
const TABLES = ['entities', 'entity_links'] as const

export async function up(db: Kysely<unknown>): Promise<void> {
  await run(
    db,
    `create table entities (
      ${TENANT_ID},
      id uuid not null,
      name_key text not null,
      primary key (tenant_id, id),
      unique (tenant_id, name_key)
    )`,
    `create table entity_links (
      ${TENANT_ID},
      memory_id uuid not null,
      entity_id uuid not null,
      role text not null default '',
      origin text not null default 'caller' check (origin in ('caller', 'found', 'inferred')),
      entity_type text,
      name text not null,
      audience text collate "C",
      primary key (tenant_id, memory_id, entity_id, role, origin),
      foreign key (tenant_id, memory_id) references memories on delete cascade,
      foreign key (tenant_id, entity_id) references entities on delete cascade
    )`,
    'create index entity_links_seen on entity_links (tenant_id, entity_id, audience, memory_id, origin, role)',
  )
  await secureTenantTables(db, TABLES)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await dropTables(db, TABLES)
}
