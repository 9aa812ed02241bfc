import { type RawBuilder, sql } from 'kysely'
import type { Finding, ScanReport } from '../../domain/scan/report.js'
import { scanFailure, type ScanFailureCode } from '../../domain/skills/scan-failure.js'
import type { Reader } from '../store.js'
import { PENDING_SCAN, type SkillScan, type SkillVersion, type ScanState } from '../../domain/skills/skill.js'

/** A version as it is read; `scan` is null until there is a verdict. */
export interface SkillVersionRow extends Omit<SkillVersion, 'scan'> {
  readonly scanState: ScanState
  readonly scannedAt: Date | null
  readonly report: (Partial<Pick<ScanReport, 'counts' | 'findings'>> & { readonly failure?: ScanFailureCode }) | null
}

/** The files of a version `v`, by path, without their bytes. */
export const FILES = sql`
  case when v.folder_hash is null then '[]' else (
    select coalesce(jsonb_agg(
      jsonb_build_object('path', f.path, 'size', f.size, 'hash', f.hash, 'isExecutable', f.is_executable) order by f.path), '[]')
    from skill_files f where f.tenant_id = v.tenant_id and f.skill_id = v.skill_id and f.version = v.version
  ) end`

/** Columns of a `SkillVersionRow`, read from `skill_versions v` and `skills s`. */
export const SKILL_COLUMNS = sql`
  v.skill_id as "skillId", s.doc_id as "docId", s.slug, s.fleet_id as "fleetId", v.version, v.status, v.source, v.kind, v.name,
  v.description, v.summary, v.content, v.front_matter as "frontMatter", v.folder_hash as "folderHash", ${FILES} as files, v.domain, v.goal, v.tags, v.target, v.origin, v.evidence,
  v.system_metadata as "systemMetadata", v.content_hash as "contentHash", v.fingerprint, v.sketch,
  array(
    select c.memory_id::text from skill_cites c
    where c.tenant_id = v.tenant_id and c.skill_id = v.skill_id and c.version = v.version order by c.memory_id
  ) as cites,
  v.scan_state as "scanState", v.scanned_at as "scannedAt", v.scan as report, v.scan_rules as "scanRules", v.overruled, v.gates, v.reason,
  v.deferred_at as "deferredAt", v.author_agent_id as "authorAgentId", v.author_key_id as "authorKeyId", s.created_at as "skillCreatedAt",
  v.created_at as "createdAt", v.updated_at as "updatedAt"`

/** Returns `skill_versions v` joined with `skills s`. */
export function versionsOfSkills(): RawBuilder<unknown> {
  return sql`skill_versions v join skills s on s.tenant_id = v.tenant_id and s.id = v.skill_id`
}

/** Selects from `skills s` and the active version `v` of each. */
export function activeVersions({ db, tenantId }: Reader) {
  return db
    .selectFrom('skills as s')
    .innerJoin('skill_versions as v', (join) =>
      join
        .onRef('v.tenant_id', '=', 's.tenant_id')
        .onRef('v.skill_id', '=', 's.id')
        .onRef('v.version', '=', 's.active_version'),
    )
    .where('s.tenant_id', '=', tenantId)
}

export function versionOf({ scanState, scannedAt, report, ...row }: SkillVersionRow): SkillVersion {
  return { ...row, scan: scanOf(scanState, scannedAt, report) }
}

function scanOf(state: ScanState, at: Date | null, report: SkillVersionRow['report']): SkillScan {
  const { critical, warn, info } = report?.counts ?? PENDING_SCAN
  const failed = report?.failure !== undefined && (state === 'pending' || state === 'failed')
  const failure = failed ? scanFailure(report.failure!, state) : null
  return { state, scanned_at: at?.toISOString() ?? null, critical, warn, info, findings: findingsOf(report), failure }
}

/** Members that findings of former versions of the rules do not have. */
const WITHOUT_PLACE = { advice: '', line: null, column: null, quote: '' }

function findingsOf(report: SkillVersionRow['report']): Finding[] {
  return (report?.findings ?? []).map((finding) => ({ ...WITHOUT_PLACE, ...finding }))
}

/** Returns how a fleet stands in a unique key: '' for none. */
export function fleetKey(fleetId: string | null): string {
  return fleetId ?? ''
}

/** Returns the condition that a version v is the Forge's, of this fleet or of none, and waits: for its scan, its gates or a review. */
export function isWaitingOfForge(tenantId: string, fleetId: string | null): RawBuilder<boolean> {
  return sql<boolean>`v.tenant_id = ${tenantId} and v.fleet_key = ${fleetKey(fleetId)} and v.source = 'forge'
    and v.status in ('candidate', 'staged', 'quarantined')`
}
