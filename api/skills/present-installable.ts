import type { components } from '../../contract/types.js'
import { presentFile } from '../../domain/skills/skill-document.js'
import type { InstallableRow } from '../../store/skills/installable.js'

export function presentInstallable(row: InstallableRow): components['schemas']['InstallableSkill'] {
  const { docId, slug, name, description, summary, content, domain, kind, source, version } = row
  return {
    doc_id: docId,
    slug,
    name,
    description,
    summary,
    ...(content !== null && { content }),
    domain,
    kind,
    source,
    tags: [...row.tags],
    version,
    content_hash: row.contentHash,
    overruled: row.overruled,
    front_matter: row.frontMatter,
    files: row.files.map(presentFile),
    fleet_id: row.fleetId,
    updated_at: row.updatedAt.toISOString(),
  }
}
