import type { components } from '../../contract/types.js'
import { presentFile } from '../../domain/skills/skill-document.js'
import type { SkillVersion } from '../../domain/skills/skill.js'
import type { SkillMoveRow } from '../../store/skills/history.js'

type Card = components['schemas']['SkillCard']

export function presentCard(version: SkillVersion, { withContent }: { readonly withContent: boolean }): Card {
  const { docId, slug, name, description, summary, content, domain, goal, kind, source, status, reason } = version
  return {
    doc_id: docId,
    slug,
    version: version.version,
    fleet_id: version.fleetId,
    name,
    description,
    summary,
    ...(withContent && { content }),
    domain,
    goal,
    kind,
    source,
    status,
    reason,
    tags: [...version.tags],
    scan: { ...version.scan, findings: [...version.scan.findings] },
    overruled: version.overruled,
    gates: [...version.gates],
    origin: version.origin,
    evidence: version.evidence,
    cites: [...version.cites],
    content_hash: version.contentHash,
    front_matter: version.frontMatter,
    files: version.files.map(presentFile),
    fingerprint: version.fingerprint,
    target: version.target,
    author_agent_id: version.authorAgentId,
    deferred_at: version.deferredAt?.toISOString() ?? null,
    created_at: version.createdAt.toISOString(),
    updated_at: version.updatedAt.toISOString(),
  }
}

export function presentMove(move: SkillMoveRow): components['schemas']['SkillMove'] {
  const { version, from, to, reason, actorKind, actorAgentId, at } = move
  return { version, from, to, reason, actor: { kind: actorKind, agent_id: actorAgentId }, at: at.toISOString() }
}

/** Bytes of contents after which a page ends. */
const PAGE_BYTES = 4 * 1024 * 1024

/** Returns how many of the versions a page with their contents holds, at least one. */
export function fittingContents(versions: readonly SkillVersion[]): number {
  let bytes = 0
  const tooMany = versions.findIndex(({ content }, i) => (bytes += Buffer.byteLength(content)) > PAGE_BYTES && i > 0)
  return tooMany === -1 ? versions.length : tooMany
}
