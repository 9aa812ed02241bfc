import { sql } from 'kysely'
import type { Sketch } from '../../domain/forge/fingerprint.js'
import type { SkillStatus } from '../../domain/skills/skill.js'
import { isWaitingOfForge, versionsOfSkills } from '../skills/skill-row.js'
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
  const { rows } = await sql<{ slug: string }>`
    select slug from skills
    where tenant_id = ${tenantId} and slug collate "C" >= ${slug} and slug collate "C" < ${`${slug}.`}`.execute(db)
  return new Set(rows.map((row) => row.slug))
}

/** Returns the steps that active versions of the Forge were taken from, by doc_id; a later edit of the text keeps them. */
export async function readExtractedSteps(
  { db, tenantId }: Reader,
  docIds: readonly string[],
): Promise<Map<string, readonly string[]>> {
  if (docIds.length === 0) return new Map()
  const { rows } = await sql<{ docId: string; steps: readonly string[] }>`
    select s.doc_id as "docId", v.evidence -> 'steps' as steps
    from skills s join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id and v.version = s.active_version
    where s.tenant_id = ${tenantId} and s.doc_id = any(${docIds as string[]}::text[])
      and jsonb_typeof(v.evidence -> 'steps') = 'array' and v.source = 'forge'`.execute(db)
  return new Map(rows.map(({ docId, steps }) => [docId, steps]))
}
