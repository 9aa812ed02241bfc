import { type Kysely, sql } from 'kysely'

/**
 * Stores an entity's spelling with each link, beside the link's audience, so that an index finds the earliest one that
 * a caller sees. Which link spelled a name first is not known for existing rows: the links with the earliest link's
 * audience keep the spelling, the others get the name's key until their memories are indexed again.
 */
const AUDIENCE = `case when m.status = 'deleted' then null when m.visibility = 'scope_org' then 'o'
  when m.visibility = 'scope_agent' then 'a:' || m.agent_id when m.fleet_id is null then 't' else 't:' || m.fleet_id end`

/** Unicode's format characters (Cf) of the basic plane, and tags. */
const FORMAT =
  '[\\u00ad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb\\U000e0001-\\U000e007f]'

export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table entity_links add column name text, add column audience text collate "C"`)
  // The owner of the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`
    with earliest as (
      select distinct on (l.tenant_id, l.entity_id) l.tenant_id, l.entity_id, ${AUDIENCE} as audience
      from entity_links l join memories m on m.tenant_id = l.tenant_id and m.id = l.memory_id
      order by l.tenant_id, l.entity_id, l.memory_id
    )
    update entity_links l set audience = ${AUDIENCE},
      name = case when ${AUDIENCE} is not distinct from f.audience then coalesce(nullif(regexp_replace(e.name, '${FORMAT}', '', 'g'), ''), e.name_key)
        else e.name_key end
    from memories m, entities e, earliest f
    where m.tenant_id = l.tenant_id and m.id = l.memory_id and e.tenant_id = l.tenant_id and e.id = l.entity_id
      and f.tenant_id = l.tenant_id and f.entity_id = l.entity_id`)
  await run('reset role')
  await run('alter table entity_links alter column name set not null')
  await run('create index entity_links_seen on entity_links (tenant_id, entity_id, audience, memory_id, origin, role)')
  await run('drop index entity_links_entity')
  await run('alter table entities drop column name, drop column created_at')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('alter table entities add column name text, add column created_at timestamptz(3) not null default now()')
  await run('set local role cairn_system')
  await run(`
    update entities e set name = coalesce((
      select l.name from entity_links l where l.tenant_id = e.tenant_id and l.entity_id = e.id
      order by l.memory_id, l.origin, l.role limit 1), e.name_key)`)
  await run('reset role')
  await run('alter table entities alter column name set not null')
  await run('create index entity_links_entity on entity_links (tenant_id, entity_id, memory_id)')
  await run('drop index entity_links_seen')
  await run('alter table entity_links drop column name, drop column audience')
}
