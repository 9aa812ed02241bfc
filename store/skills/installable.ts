import { type RawBuilder, sql } from 'kysely'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { BoundFleets } from '../../domain/skills/fleet-bound.js'
import { isSkillWithinBounds, PAGE_BYTES } from '../documents/document-row.js'
import type { Keyset } from '../keyset.js'
import type { Reader } from '../store.js'
import { FILES } from './skill-row.js'

type InstallableField =
  | 'docId'
  | 'slug'
  | 'fleetId'
  | 'name'
  | 'description'
  | 'summary'
  | 'domain'
  | 'kind'
  | 'source'
  | 'tags'
  | 'version'
  | 'contentHash'
  | 'overruled'
  | 'frontMatter'
  | 'files'
  | 'updatedAt'

/** An active skill as it is installed; the content is null when the caller has it or wants none. */
export interface InstallableRow extends Pick<SkillVersion, InstallableField> {
  readonly content: string | null
}

/** Skills of this fleet and of none; all when undefined. */
type Fleet = string | undefined

interface InstallableQuery extends Keyset<string> {
  readonly fleetId: Fleet
  /** Whose fleet-bound skills are seen; all when undefined. */
  readonly bounds?: BoundFleets
  /** Content hashes that the caller has, by the skill's name. */
  readonly known: Readonly<Record<string, string>>
  /** False where no content is wanted, and none is read. */
  readonly withContent?: boolean
}

/**
 * Returns a page of the active skills by name, and whether more follow. A page of large contents is shorter; it has one
 * skill at least.
 */
export async function listInstallable(
  { db, tenantId }: Reader,
  { fleetId, bounds = 'all', after, limit, known, withContent = true }: InstallableQuery,
): Promise<{ rows: InstallableRow[]; hasMore: boolean }> {
  const content = withContent
    ? sql`case when ${JSON.stringify(known)}::jsonb ->> s.doc_id is distinct from v.content_hash then v.content end`
    : sql`null::text`
  const { rows } = await sql<InstallableRow & { found: number }>`
    with page as (
      select s.doc_id as "docId", s.slug, s.fleet_id as "fleetId", v.name, v.description, v.summary, v.domain, v.kind, v.source,
        v.tags, v.version, v.content_hash as "contentHash", v.overruled, v.front_matter as "frontMatter", ${FILES} as files, v.updated_at as "updatedAt",
        ${content} as content
      from ${activeSkills(tenantId, fleetId, bounds)} and s.doc_id > ${after ?? ''}
      order by s.doc_id limit ${limit + 1}
    ), sized as (
      select page.*, row_number() over by_name as place, count(*) over ()::int as found,
        sum(bytes) over by_name - bytes as before
      from (
        select page.*, coalesce(octet_length(content), 0) + coalesce(octet_length("frontMatter"), 0) + octet_length(files::text) as bytes
        from page
      ) page window by_name as (order by "docId")
    )
    select sized.* from sized where place <= ${limit} and (place = 1 or before < ${PAGE_BYTES}) order by place`.execute(
    db,
  )
  return { rows, hasMore: (rows[0]?.found ?? 0) > rows.length }
}

/** Returns the tag of all active skills: another one when a skill came, went or has another text. */
export async function readCatalogueTag(
  { db, tenantId }: Reader,
  fleetId: Fleet,
  bounds: BoundFleets = 'all',
): Promise<string> {
  const { rows } = await sql<{ tag: string }>`
    select encode(sha256(convert_to(
      coalesce(string_agg(jsonb_build_array(s.doc_id, v.content_hash, v.name, v.summary, v.domain, v.source, v.tags, v.folder_hash)::text, ' ' order by s.doc_id), ''), 'UTF8')), 'hex') as tag
    from ${activeSkills(tenantId, fleetId, bounds)}`.execute(db)
  return rows[0]!.tag
}

/** Returns `skills s` with the version `v` of each that is active, as a from clause with its conditions. */
function activeSkills(tenantId: string, fleetId: Fleet, bounds: BoundFleets): RawBuilder<unknown> {
  const fleet = fleetId === undefined ? sql`true` : sql`(s.fleet_id = ${fleetId} or s.fleet_id is null)`
  return sql`
    skills s join skill_versions v
      on v.tenant_id = s.tenant_id and v.skill_id = s.id and v.version = s.active_version and v.status = 'active'
    where s.tenant_id = ${tenantId} and ${fleet} and ${isSkillWithinBounds(bounds)}`
}
