import { sql } from 'kysely'
import { type KnownWork, likenessOf, SAME_WORK } from '../../domain/forge/fingerprint.js'
import type { Reader, System, Writer } from '../store.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import { fleetKey } from './skill-row.js'

/** A rejected skill, and until when nothing like it is proposed. */
export interface PoisonRow {
  readonly docId: string
  readonly until: Date
}

interface StoredPoison extends PoisonRow, KnownWork {}

/** Enters a rejected version; one that is entered already stays so for the longer time. */
export async function insertPoison(
  { tenantId, db }: Writer,
  { fleetId, fingerprint, sketch, docId }: SkillVersion,
  { reason, at, until }: { readonly reason: string; readonly at: Date; readonly until: Date },
): Promise<void> {
  await sql`
    insert into skill_poison (tenant_id, fleet_key, fingerprint, sketch, doc_id, reason, rejected_at, until)
    values (${tenantId}, ${fleetKey(fleetId)}, ${fingerprint}, ${JSON.stringify(sketch)}::jsonb, ${docId}, ${reason}, ${at}, ${until})
    on conflict (tenant_id, fleet_key, fingerprint) do update set doc_id = excluded.doc_id, reason = excluded.reason,
      rejected_at = excluded.rejected_at, until = greatest(skill_poison.until, excluded.until)`.execute(db)
}

/**
 * Returns what was rejected in this fleet and is the same work, or nearly; null when nothing is. A revision of what is
 * `served` is judged by what it adds: it is like a rejected one when it has more in common with that than with the
 * served one. Otherwise one rejected revision would keep everybody from revising the skill.
 */
export async function findPoison(
  { tenantId, db }: Reader,
  { fleetId, ...work }: KnownWork & Pick<SkillVersion, 'fleetId'>,
  at: Date,
  served: KnownWork | null = null,
): Promise<PoisonRow | null> {
  const { rows } = await sql<StoredPoison>`
    select fingerprint, sketch, doc_id as "docId", until from skill_poison
    where tenant_id = ${tenantId} and fleet_key = ${fleetKey(fleetId)} and until > ${at}
    order by fingerprint`.execute(db)
  const revised = served ? likenessOf(served, work) : 0
  const found =
    rows.find((row) => row.fingerprint === work.fingerprint && revised < 1) ??
    rows.find((row) => isLike(row, work, revised))
  return found ? { docId: found.docId, until: found.until } : null
}

function isLike(rejected: KnownWork, work: KnownWork, revised: number): boolean {
  const likeness = likenessOf(rejected, work)
  return likeness >= SAME_WORK && likeness > revised
}

/** Removes up to `limit` rows that may be proposed again; returns how many. */
export async function purgePoison(
  { db }: System,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql`
    delete from skill_poison where ctid = any(array(
      select ctid from skill_poison where until <= ${now} order by until limit ${limit} for update skip locked))
    returning 1`.execute(db)
  return rows.length
}
