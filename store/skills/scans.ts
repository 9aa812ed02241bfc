import { sql } from 'kysely'
import type { Finding, ScanReport } from '../../domain/scan/report.js'
import type { Overruling } from '../../domain/skills/overruling.js'
import type { ScanFailureCode } from '../../domain/skills/scan-failure.js'
import { SKILLS_COLLECTION, type SkillVersion } from '../../domain/skills/skill.js'
import { audit } from '../audit.js'
import type { Writer } from '../store.js'
import { placeAgain } from './inbox-place.js'
import { keyOf, updateVersion } from './write-skills.js'

/** Saves the verdict of the scan, which `version` of a locked skill has, and the place in the inbox that it leaves it. */
export async function saveReport(writer: Writer, version: SkillVersion, at: Date): Promise<void> {
  const { state, critical, warn, info, findings } = version.scan
  const scan = JSON.stringify({ counts: { critical, warn, info }, findings })
  await updateVersion(writer, version, {
    ...{ scan_state: state, scan_rules: version.scanRules, scanned_at: at, scan, updated_at: at },
    ...(await placeAgain(writer, version)),
  })
}

const FORMER_VERSIONS = 5

/** Returns what these rules found in the last versions of the skill that have this content and are flagged, the newest last. */
export async function readFormerFindings(
  { db, tenantId }: Writer,
  { skillId, contentHash }: SkillVersion,
  { version: rules }: ScanReport,
): Promise<Finding[]> {
  const { rows } = await sql<{ findings: Finding[] }>`
    select scan->'findings' as findings from skill_versions
    where tenant_id = ${tenantId} and skill_id = ${skillId} and content_hash = ${contentHash}
      and scan_state = 'flagged' and scan_rules = ${rules} order by version desc limit ${FORMER_VERSIONS}`.execute(db)
  return rows.toReversed().flatMap(({ findings }) => findings)
}

/** Saves findings of a version of a locked skill that have been given opinions; its verdict stays. */
export async function saveOpinions({ db, tenantId }: Writer, { skillId, version, scan }: SkillVersion): Promise<void> {
  await sql`
    update skill_versions set scan = jsonb_set(scan, '{findings}', ${JSON.stringify(scan.findings)}::jsonb)
    where tenant_id = ${tenantId} and skill_id = ${skillId} and version = ${version}`.execute(db)
}

/** Shows the verdict of the active version in the document that is served. */
export async function saveServedScan({ db, tenantId }: Writer, { skillId, scan }: SkillVersion): Promise<void> {
  await sql`
    update documents set system_metadata = jsonb_set(system_metadata, '{skill,scan}', ${JSON.stringify(scan)}::jsonb)
    where tenant_id = ${tenantId} and collection = ${SKILLS_COLLECTION} and id = ${skillId}`.execute(db)
}

/** Saves how an attempt to scan a version failed; `isFinal` when there is no other. */
export async function saveScanFailure(
  writer: Writer,
  version: SkillVersion,
  { failure, isFinal, at }: { readonly failure: ScanFailureCode; readonly isFinal: boolean; readonly at: Date },
): Promise<void> {
  const scan = JSON.stringify({ failure })
  const end = isFinal ? ({ scan_state: 'failed', scanned_at: at } as const) : {}
  await updateVersion(writer, version, { scan, ...end, updated_at: at })
}

/** Counts that a scan of a version begins; returns how many have. */
export async function beginScan(writer: Writer, version: SkillVersion): Promise<number> {
  const { attempts } = await writer.db
    .updateTable('skill_versions')
    .set((set) => ({ scan_attempts: set('scan_attempts', '+', 1) }))
    .where((row) => row.and(keyOf(writer, version)))
    .returning('scan_attempts as attempts')
    .executeTakeFirstOrThrow()
  return attempts
}

/** Saves who lets a version through in spite of what these rules found in it, with its audit. */
export async function saveOverruling(
  writer: Writer,
  version: SkillVersion,
  { reason, rules, at }: { readonly reason: string; readonly rules: string; readonly at: Date },
): Promise<SkillVersion> {
  const { kind, agentId } = writer.actor
  const { skillId, docId, contentHash: content_hash } = version
  const overruled: Overruling = { by: { kind, agent_id: agentId }, at: at.toISOString(), reason, content_hash, rules }
  await updateVersion(writer, version, { overruled: JSON.stringify(overruled) })
  const details = { doc_id: docId, version: version.version, content_hash, rules }
  await audit(writer, at, [{ action: 'skill.overruled', subject: { kind: 'skill', id: skillId }, details }])
  return { ...version, overruled }
}
