import { v7 as uuidv7 } from 'uuid'
import { evidenceOfText, fingerprintOf, sketchOf } from '../../domain/forge/fingerprint.js'
import { boundFleetOf, boundFleetsOf, isInBounds } from '../../domain/skills/fleet-bound.js'
import type { SkillDraft } from '../../domain/skills/read-draft.js'
import {
  hasSameTexts,
  PENDING_SCAN,
  type ReadTexts,
  skillContentHash,
  SKILLS_COLLECTION,
  type SkillSource,
  type SkillTexts,
  type SkillVersion,
  targetOf,
} from '../../domain/skills/skill.js'
import { ConflictError, ForbiddenError, NotFoundError } from '../../runtime/errors.js'
import { findPoison } from '../../store/skills/poison.js'
import { type LockedSkill, lockSkill } from '../../store/skills/read-skills.js'
import { insertSkill, insertVersion, moveVersion, type NewVersion } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'
import { requireOwnFleet, requireTrust } from '../access/trust.js'
import type { ActingAuthor } from '../access/author.js'
import type { ReadSkillWrite } from './read-skill-write.js'
import { revisedFolder } from './written-folder.js'

/**
 * Stores a version of a skill, which waits for its scan; the version that is served stays so. A write of what its author
 * has waiting, or of what is served, changes nothing. Throws ForbiddenError for a source that the caller may not use, NotFoundError
 * and ConflictError for the target of an update, and ConflictError for what exists, for what was rejected, and while somebody else's
 * revision waits.
 */
export async function writeSkill(
  writer: Writer,
  { author, viewer }: ActingAuthor,
  { write, draft, docId, files, metadata }: ReadSkillWrite,
  at: Date,
): Promise<SkillVersion> {
  const { texts } = draft
  requireSource(draft.source, viewer.trust, write.isAdmin)
  const skill = await lockSkill(writer, docId)
  if (skill && !isSeenBy(viewer, skill)) throw new NotFoundError('Skill')
  if (skill) requireOwnFleet(viewer, skill.fleetId)
  const fleetId = skill?.fleetId ?? write.fleetId ?? viewer.fleetId
  if (skill && write.fleetId !== null && write.fleetId !== skill.fleetId)
    throw new ConflictError('A skill stays in its fleet.', { details: { fleet_id: skill.fleetId } })
  requireOwnFleet(viewer, fleetId)
  const served = skill?.active ? { id: skill.id, version: skill.active.version } : null
  write.requireVersion(served)
  const before = requireKind(draft, docId, skill, { ...viewer, agentId: author.agentId })
  const folder = revisedFolder({ ...draft, files }, before)
  const written = { ...texts, ...folder }
  const same = [skill?.waiting, skill?.active].find((version) => version && isSame(version, written, author.agentId))
  if (same) return same

  const unnumbered: UnnumberedVersion = {
    ...texts,
    ...folder,
    skillId: skill?.id ?? uuidv7({ msecs: at.getTime() }),
    docId,
    fleetId,
    status: 'staged',
    source: draft.source,
    kind: draft.kind,
    // A new wording of what waits revises what that one revises.
    target: before && (skill?.active && before === skill.waiting ? before.target : targetOf(before)),
    origin: { ...NO_ORIGIN, agent_id: author.agentId },
    evidence: null,
    systemMetadata: metadata,
    contentHash: skillContentHash(texts),
    ...identityOf(texts),
    cites: [],
    overruled: null,
    reason: null,
    authorAgentId: author.agentId,
    authorKeyId: draft.source === 'agent' ? writer.actor.keyId : null,
    createdAt: at,
  }
  await requireUnpoisoned(writer, unnumbered, skill?.active ?? null, at)
  const lastVersion = skill ? skill.lastVersion : await insertSkill(writer, unnumbered)
  if (lastVersion === null) throw existsError(docId)
  const version = { ...unnumbered, version: lastVersion + 1 }
  const replaced = skill && (await freePlace(writer, skill, version, viewer.trust))
  const { waiting = null } = skill ?? {}
  // What a reviewer deferred stays so, whatever its author writes.
  const deferredAt = waiting && isOwn(waiting, author.agentId) ? waiting.deferredAt : null
  await insertVersion(writer, version, { replaced, deferredAt, files })
  return { ...storedVersion(version, skill?.createdAt ?? at), deferredAt }
}

type UnnumberedVersion = Omit<NewVersion, 'version'>

/** Returns false for a skill that is bound to a fleet which the caller does not see. */
function isSeenBy(viewer: ActingAuthor['viewer'], { docId, fleetId, active, latest }: LockedSkill): boolean {
  const { source } = active ?? latest
  return isInBounds(
    boundFleetsOf(viewer, 'all'),
    boundFleetOf({ collection: SKILLS_COLLECTION, docId, fleetId, data: { source } }),
  )
}

const NO_ORIGIN = {
  agent_id: null,
  run_id: null,
  cluster_size: null,
  distinct_agents: null,
  distinct_credentials: null,
  window_start: null,
  window_end: null,
}

/** Returns a version as it was just stored. */
export function storedVersion(version: NewVersion, skillCreatedAt: Date): SkillVersion {
  const unseen = { scan: PENDING_SCAN, scanRules: null, gates: [], deferredAt: null }
  return { ...version, ...unseen, skillCreatedAt, updatedAt: version.createdAt }
}

/** Throws unless the caller may use this source: `manual` and `imported` are for operators, `forge` for the service itself. */
function requireSource(source: SkillSource, trust: number, isAdmin: boolean): void {
  if (source === 'manual') requireTrust({ trust }, 3, 'The source manual needs trust level 3 or the admin credential.')
  if (source === 'imported' && !isAdmin)
    throw new ForbiddenError('The source imported needs the admin credential; agents write with the source agent.')
  if (source === 'forge')
    throw new ForbiddenError('Only the service writes with the source forge; agents write with the source agent.')
}

interface Reviser {
  readonly agentId: string | null
  readonly trust: number
}

/**
 * Returns the version that an update revises; null for a new skill. What waits is shown, and may be revised, by its
 * author and by reviewers alone: anybody else learns nothing of it but that it is there.
 */
function requireKind(
  { kind, target }: SkillDraft,
  docId: string,
  skill: LockedSkill | null,
  { agentId, trust }: Reviser,
): SkillVersion | null {
  if (kind === 'create') {
    if (skill) throw existsError(docId)
    return null
  }
  if (!skill) throw new NotFoundError('Skill')
  const { active, waiting } = skill
  const maySee = (version: SkillVersion | null) => version !== null && (trust >= 3 || isOwn(version, agentId))
  const current = [active, maySee(waiting) ? waiting : null].filter((version) => version !== null)
  if (current.length === 0 && waiting) throw waitsError(waiting)
  if (current.length === 0) current.push(skill.latest)
  const revised = current.find(({ contentHash }) => contentHash === target!.contentHash)
  if (revised) return revised
  const { contentHash: content_hash, version } = current[0]!
  throw new ConflictError('The skill has changed: target_content_hash is not that of its current version.', {
    details: { doc_id: docId, ...((active || maySee(current[0]!)) && { content_hash, version }) },
  })
}

/** Returns true for a version that this agent wrote, or a tenant key without one. The Forge's has no author either. */
export function isOwn({ source, authorAgentId }: SkillVersion, agentId: string | null): boolean {
  return source !== 'forge' && authorAgentId === agentId
}

function waitsError({ docId }: SkillVersion): ConflictError {
  return new ConflictError('Another revision of this skill waits for its review.', { details: { doc_id: docId } })
}

function existsError(docId: string): ConflictError {
  return new ConflictError(`The skill ${docId} exists. To revise it, send the kind update and its content hash.`, {
    details: { doc_id: docId },
  })
}

/** Returns true for a version that a write of these texts leaves as it is. One that could not be scanned gets another try. */
function isSame(version: SkillVersion, texts: ReadTexts, agentId: string | null): boolean {
  if (version.scan.state === 'failed') return false
  return (version.status === 'active' || isOwn(version, agentId)) && hasSameTexts(version, texts)
}

/** Returns fingerprint and sketch of a skill that somebody wrote. */
export function identityOf({ domain, content }: SkillTexts): Pick<SkillVersion, 'fingerprint' | 'sketch'> {
  const evidence = evidenceOfText(domain, content)
  return { fingerprint: fingerprintOf(evidence), sketch: sketchOf(evidence) }
}

/** Throws ConflictError for what was rejected and has not cooled off; an operator may write it all the same. */
async function requireUnpoisoned(
  writer: Writer,
  version: UnnumberedVersion,
  served: SkillVersion | null,
  at: Date,
): Promise<void> {
  if (version.source === 'manual' || version.source === 'imported') return
  const poison = await findPoison(writer, version, at, served)
  if (!poison) return
  const until = poison.until.toISOString()
  throw new ConflictError(`A skill like this was rejected; it may be proposed again after ${until}.`, {
    details: { doc_id: poison.docId, until },
  })
}

/**
 * Returns the version that the new one replaces: the author's own that waits, or null. One that no reviewer is asked
 * about (quarantined, not scanned, a candidate) makes room and stays in the history. Throws ConflictError while another's
 * revision waits.
 */
async function freePlace(
  writer: Writer,
  { waiting }: LockedSkill,
  { version, authorAgentId, createdAt: at }: NewVersion,
  trust: number,
): Promise<SkillVersion | null> {
  if (!waiting) return null
  if (waiting.status !== 'staged' || waiting.scan.state === 'failed') {
    await moveVersion(writer, waiting, { to: 'deprecated', reason: `replaced by version ${version}`, at })
    return null
  }
  if (isOwn(waiting, authorAgentId) || trust >= 3) return waiting
  throw waitsError(waiting)
}
