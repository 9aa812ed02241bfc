import { type Kysely, sql } from 'kysely'

/**
 * Has the indexing job read the names in deleted memories that no name is linked to: it did not read them before, and an erasure by entity
 * reads only what that job has yet to read.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  // Whoever owns the tables may not see their rows.
  await run('set local role cairn_system')
  await run(`
    insert into index_pending (tenant_id, kind, entity_id)
    select m.tenant_id, 'memory', m.id from memories m
    where m.deleted_at is not null and not exists (
      select from entity_links l where l.tenant_id = m.tenant_id and l.memory_id = m.id and l.origin = 'found')
    order by m.tenant_id, m.id
    on conflict (tenant_id, kind, entity_id) do update set seq = nextval('change_seq'), changed_at = now(), due_at = now(), settled_at = null
      where index_pending.settled_at is not null`)
  await run('reset role')
}

/** Leaves the rows: indexing a deleted memory once more changes nothing. */
export function down(): Promise<void> {
  return Promise.resolve()
}
