import { type Kysely, sql } from 'kysely'

/**
 * Adds the marks and counts that show whether an index is whole (store/indexing/index-marks.md).
 * Existing indices have no mark: they are filled again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run(`alter table index_builds
    add column made_at timestamptz,
    add column mark uuid,
    add column next_mark uuid,
    add column marked_at timestamptz,
    add column past_marks uuid[] not null default '{}',
    add column lost_at timestamptz(3),
    add column counted_at timestamptz,
    add column counted_to text not null default '',
    add column counts jsonb`)
  await run(`update index_builds set lost_at = now(), error = 'from before indices had marks' where state = 'serving'`)
  await run(`update index_builds set state = 'dropping', dropped_at = now(), ticket = null, lease = null
    where state in ('waiting', 'filling', 'ready', 'kept')`)
  // A recall reads the marks of the index that it asks together with the pending rows.
  await run('grant select on index_builds to cairn_app')
}

export async function down(db: Kysely<unknown>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(db)
  await run('revoke select on index_builds from cairn_app')
  await run(`alter table index_builds drop column made_at, drop column mark, drop column next_mark, drop column marked_at,
    drop column past_marks, drop column lost_at, drop column counted_at, drop column counted_to, drop column counts`)
}
