import { sql } from 'kysely'
import { SAME_WORK, type Sketch, sketchLikeness } from '../../domain/forge/fingerprint.js'
import type { Reader, System, Writer } from '../store.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import { fleetKey } from './skill-row.js'

/** A rejected skill, and until when nothing like it is proposed. */
export interface PoisonRow {
  readonly docId: string
  readonly until: Date
}

interface StoredPoison extends PoisonRow {
  readonly fingerprint: string
  readonly sketch: Sketch
}

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

/** Returns what was rejected in this fleet and is the same work, or nearly; null when nothing is. */
export async function findPoison(
  { tenantId, db }: Reader,
  { fleetId, fingerprint, sketch }: Pick<SkillVersion, 'fleetId' | 'fingerprint' | 'sketch'>,
  at: Date,
): Promise<PoisonRow | null> {
  const { rows } = await sql<StoredPoison>`
    select fingerprint, sketch, doc_id as "docId", until from skill_poison
    where tenant_id = ${tenantId} and fleet_key = ${fleetKey(fleetId)} and until > ${at}
    order by fingerprint`.execute(db)
  const found =
    rows.find((row) => row.fingerprint === fingerprint) ??
    rows.find((row) => sketchLikeness(row.sketch, sketch) >= SAME_WORK)
  return found ? { docId: found.docId, until: found.until } : null
}

/** Removes what may be proposed again; returns how many rows. */
export async function purgePoison({ db }: System, now: Date): Promise<number> {
  const { rows } = await sql`delete from skill_poison where until <= ${now} returning 1`.execute(db)
  return rows.length
}
