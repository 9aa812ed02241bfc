import { fieldChanges } from '../../domain/documents/changes.js'
import { documentTextHash } from '../../domain/documents/text.js'
import { SKILLS_COLLECTION, type SkillStatus, type SkillVersion } from '../../domain/skills/skill.js'
import { skillDocumentOf } from '../../domain/skills/skill-document.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import {
  deleteDocument,
  insertDocuments,
  lockDocuments,
  updateDocuments,
} from '../../store/documents/write-documents.js'
import type { LockedSkill } from '../../store/skills/read-skills.js'
import { moveVersion } from '../../store/skills/write-skills.js'
import type { Writer } from '../../store/store.js'

/** Why a version moves, and when. */
interface MoveReason {
  readonly reason: string | null
  readonly at: Date
}

/**
 * Makes a version of a locked skill the one that everybody gets, and deprecates the one before it: embedded and indexed
 * through the outbox as every document is.
 */
export async function activate(
  writer: Writer,
  skill: LockedSkill,
  version: SkillVersion,
  { reason, at }: MoveReason,
): Promise<SkillVersion> {
  if (skill.active && skill.active.version !== version.version)
    await moveVersion(writer, skill.active, { to: 'deprecated', reason: `replaced by version ${version.version}`, at })
  const active =
    version.status === 'active' ? version : await moveVersion(writer, version, { to: 'active', reason, at })
  await publish(writer, active)
  return active
}

/** Takes the active version of a locked skill out of service: when this commits, no search, list or read returns it. */
export async function deactivate(
  writer: Writer,
  active: SkillVersion,
  { to, reason, at }: MoveReason & { readonly to: SkillStatus },
): Promise<SkillVersion> {
  const moved = await moveVersion(writer, active, { to, reason, at })
  await withdraw(writer, active.docId, at)
  return moved
}

/** Writes the document of an active version. */
export async function publish(writer: Writer, version: SkillVersion): Promise<void> {
  const document = skillDocumentOf(version)
  const after: DocumentRow = { ...document, textHash: documentTextHash(document.data) }
  const before = await lockDocument(writer, version.docId)
  if (before === null) {
    await insertDocuments(writer, [after])
    return
  }
  const { fleetId, textHash } = before
  const change = { before: { fleetId, textHash }, after, fields: fieldChanges(before.data, after.data) }
  await updateDocuments(writer, [change], after.updatedAt)
}

/** Deletes the document of a skill. */
export async function withdraw(writer: Writer, docId: string, at: Date): Promise<void> {
  const served = await lockDocument(writer, docId)
  if (served) await deleteDocument(writer, served, at)
}

async function lockDocument(writer: Writer, docId: string): Promise<DocumentRow | null> {
  return (await lockDocuments(writer, SKILLS_COLLECTION, [docId])).locked.get(docId) ?? null
}
