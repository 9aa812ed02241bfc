import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Writer } from '../store.js'

/**
 * Keeps the number of the last version of a skill that is removed, so that one which is written again under its name has none of the numbers
 * that reviewers saw. Only a digest of the name stays: an erasure may remove a skill because its name has words of memories.
 */
export async function keepLastVersion({ tenantId, db }: Writer, docId: string, lastVersion: number): Promise<void> {
  await db
    .insertInto('skill_numbers')
    .values({ tenant_id: tenantId, doc_id_hash: hashOf(docId), last_version: lastVersion })
    .onConflict((conflict) =>
      conflict
        .columns(['tenant_id', 'doc_id_hash'])
        .doUpdateSet({ last_version: sql<number>`greatest(skill_numbers.last_version, excluded.last_version)` }),
    )
    .execute()
}

/**
 * Returns the number of the last version of the skills that had this name before, 0 for none. From now on the skill that was just stored under
 * it has the number.
 */
export async function takeLastVersion({ tenantId, db }: Writer, docId: string): Promise<number> {
  const former = await db
    .deleteFrom('skill_numbers')
    .where('tenant_id', '=', tenantId)
    .where('doc_id_hash', '=', hashOf(docId))
    .returning('last_version as lastVersion')
    .executeTakeFirst()
  return former?.lastVersion ?? 0
}

function hashOf(docId: string): Buffer {
  return createHash('sha256').update(docId).digest()
}
