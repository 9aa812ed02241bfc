import { sql } from 'kysely'
import type { Sketch } from '../../domain/forge/fingerprint.js'
import type { SkillStatus } from '../../domain/skills/skill.js'
import { anyOf } from '../conditions.js'
import { activeVersions, isWaitingOfForge, versionsOfSkills } from '../skills/skill-row.js'
import type { Reader } from '../store.js'

/** A version of the Forge that waits: for its scan, its gates or a review. */
export interface KnownSkill {
  readonly docId: string
  readonly slug: string
  readonly status: SkillStatus
  readonly fingerprint: string
  readonly sketch: Sketch
  /** Digest over the evidence that it was taken from. */
  readonly digest: string | null
}

/** Reads what the Forge has proposed for a fleet, or for the tenant with null, and nobody has decided yet. */
export async function readKnownSkills({ db, tenantId }: Reader, fleetId: string | null): Promise<KnownSkill[]> {
  const { rows } = await sql<KnownSkill>`
    select s.doc_id as "docId", s.slug, v.status, v.fingerprint, v.sketch, v.evidence ->> 'digest' as digest
    from ${versionsOfSkills()} where ${isWaitingOfForge(tenantId, fleetId)} order by v.fingerprint`.execute(db)
  return rows
}

/** Returns the slugs of the tenant that are this one, or it with a suffix behind a hyphen. */
export async function readSlugsLike({ db, tenantId }: Reader, slug: string): Promise<Set<string>> {
  // Of what a slug may have, only the hyphen stands before the full stop.
  const rows = await db
    .selectFrom('skills')
    .select('slug')
    .where('tenant_id', '=', tenantId)
    .where(sql<boolean>`slug collate "C" >= ${slug} and slug collate "C" < ${`${slug}.`}`)
    .execute()
  return new Set(rows.map((row) => row.slug))
}

/** Returns the steps that active versions of the Forge were taken from, by doc_id; a later edit of the text keeps them. */
export async function readExtractedSteps(
  reader: Reader,
  docIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (docIds.length === 0) return new Map()
  const rows = await activeVersions(reader)
    .select(['s.doc_id as docId', sql<readonly string[]>`v.evidence -> 'steps'`.as('steps')])
    .where('s.doc_id', '=', anyOf(docIds))
    .where(sql<boolean>`jsonb_typeof(v.evidence -> 'steps') = 'array'`)
    .where('v.source', '=', 'forge')
    .execute()
  return new Map(rows.map(({ docId, steps }) => [docId, steps]))
}
