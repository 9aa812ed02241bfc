import { type RawBuilder, sql } from 'kysely'
import { forgetCandidates } from '../forge/runs.js'
import type { Writer } from '../store.js'
import { extendTimeout } from './mentions.js'
import { isNaming } from './names.js'

/** Stands where the service keeps a row without the words that were in it. */
const ERASED_TEXT = '[erased]'

/**
 * Takes names out of what the service has recorded and nobody can change any more: answers and recalls that are kept for a while,
 * runs, histories, notes. What callers wrote and may change or delete stays, for them to do so. Idempotent.
 */
export async function forgetNames(writer: Writer, names: readonly string[]): Promise<void> {
  const { db, tenantId } = writer
  await extendTimeout(writer)
  const naming = (...columns: readonly string[]) =>
    sql`tenant_id = ${tenantId} and (${sql.join(
      columns.map((column) => isNaming(sql`${sql.ref(column)}::text`, names)),
      sql` or `,
    )})`
  const run = (statement: RawBuilder<unknown>) => statement.execute(db)
  await run(sql`delete from idempotency_keys where ${naming('body', 'headers')}`)
  await run(sql`delete from recalls where ${naming('request')}`)
  // The memory itself, of which nothing has the name any more, stays as it is now.
  await run(sql`delete from memory_versions where ${naming('former')}`)
  await run(sql`update audit_events set details = '{}' where ${naming('details')}`)
  await forgetCandidates(writer, (candidate) => isNaming(sql`${candidate}::text`, names))
  await run(sql`delete from forge_traces where ${naming('run_id')}`)
  await run(sql`delete from skill_outcomes where ${naming('run_id')}`)
  await run(sql`delete from skill_poison where ${naming('doc_id')}`)
  await run(sql`update skill_poison set reason = ${ERASED_TEXT} where ${naming('reason')}`)
  await run(sql`update skill_moves set reason = ${ERASED_TEXT} where ${naming('reason')}`)
  await run(sql`update skill_versions set reason = ${ERASED_TEXT} where ${naming('reason')}`)
  await run(sql`
    update skill_versions set overruled = jsonb_set(overruled, '{reason}', to_jsonb(${ERASED_TEXT}::text)) where ${naming('overruled')}`)
  await run(sql`delete from keystone_acknowledgements where ${naming('run_id')}`)
  // The one in force is changed or deleted by whoever wrote it, and follows then.
  await run(sql`
    update keystone_versions v set title = ${ERASED_TEXT}, content = ${ERASED_TEXT}
    where ${naming('title', 'content')} and not exists (
      select from keystones k where k.tenant_id = v.tenant_id and k.doc_id = v.doc_id and k.version = v.version)`)
  await run(sql`update api_keys set label = null where ${naming('label')}`)
  await run(sql`update agents set display_name = null where deleted_at is not null and ${naming('display_name')}`)
}
