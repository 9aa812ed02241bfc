import type { Principal } from '../../domain/principal.js'
import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { matchesTag } from '../../http/entity-tags.js'
import { NotFoundError } from '../../runtime/errors.js'
import { requireTrust } from '../../services/access/trust.js'
import { findDocument } from '../../store/documents/read-documents.js'
import { findFile } from '../../store/skills/files.js'
import { findSkill } from '../../store/skills/read-skills.js'
import type { Reader } from '../../store/store.js'
import type { Operation } from '../operation.js'

export const getSkillFile: Operation<'getSkillFile'> = async (
  context,
  principal,
  { params, query, headers: asked },
) => {
  const { slug, path } = params
  const file = await context.store.read(principal, async (reader) => {
    const version = await versionToRead(reader, principal, slug, query.version)
    return findFile(reader, version, path)
  })
  if (!file) throw new NotFoundError('File')
  const headers = { ETag: `"${file.hash}"` }
  if (matchesTag(asked['If-None-Match'], headers.ETag)) return { status: 304, headers }
  // Browsers neither show it nor guess what it is.
  const download = { 'Content-Type': 'application/octet-stream', 'Content-Disposition': 'attachment' }
  return { status: 200, headers: { ...headers, ...download }, body: file.bytes }
}

/** Returns the version that the caller asks for: the active one as far as the caller sees the skill, or for reviewers any. */
async function versionToRead(
  reader: Reader,
  principal: Principal,
  docId: string,
  version: number | undefined,
): Promise<{ readonly skillId: string; readonly version: number }> {
  if (version !== undefined) {
    requireTrust(principal, 3, 'Reading a version that is not active needs trust level 3.')
    const skill = await findSkill(reader, docId)
    if (!skill) throw new NotFoundError('Skill')
    return { skillId: skill.id, version }
  }
  const active = await findDocument(reader, SKILLS_COLLECTION, docId, boundFleetsOf(principal, 'all'))
  if (!active) throw new NotFoundError('Skill')
  return { skillId: active.id, version: active.version }
}
