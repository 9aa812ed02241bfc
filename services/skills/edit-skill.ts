import type { Principal } from '../../domain/principal.js'
import { folderOf } from '../../domain/skills/skill-files.js'
import { readSkillDraft } from '../../domain/skills/read-draft.js'
import { EDIT } from '../../domain/skills/reviews.js'
import { skillContentHash, type SkillTexts, type SkillVersion, targetOf } from '../../domain/skills/skill.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { lockCited } from '../../store/skills/cites.js'
import { readPlace } from '../../store/skills/inbox-place.js'
import { findSkill, lockSkill } from '../../store/skills/read-skills.js'
import { insertVersion, moveVersion, type NewVersion, saveGates } from '../../store/skills/write-skills.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { SkillContext } from './context.js'
import {
  requireMovable,
  requireReadTexts,
  requireSeen,
  requireUnchanged,
  type Review,
  type ReviewRequest,
  scanNow,
} from './reviewed-version.js'
import { criticalReason, saveVerdict } from './settle-scan.js'
import { screenTexts } from './screen-texts.js'
import { identityOf, storedVersion } from './write-skill.js'
import { keptFrontMatter } from './written-folder.js'

interface SkillEdit extends ReviewRequest {
  /** Texts that replace those of the version. */
  readonly texts: Partial<Pick<SkillTexts, 'content' | 'description' | 'summary'>>
}

/**
 * Stores a reviewer's wording of a staged skill as a new version, based on the version that is active; author, source
 * and citations stay, and so does its place in the inbox. The edited one becomes deprecated. Throws InvalidArgumentsError
 * for texts that no skill may have, and NotFoundError and ConflictError as `review` does.
 */
export async function editSkill(
  context: SkillContext,
  principal: Principal,
  edit: SkillEdit,
  signal: AbortSignal,
): Promise<Review> {
  const { seen, settings } = await context.store.read(principal, async (reader) => {
    const seen = requireMovable(await findSkill(reader, edit.docId), EDIT)
    requireSeen(seen, edit)
    await requireReadTexts(reader, seen, edit)
    return { seen, settings: await readSettings(reader) }
  })
  const { texts, metadata } = await screenTexts(editedTexts(seen, edit, settings), settings, { signal, path: [] })
  const folder = folderOf(keptFrontMatter(seen, texts, ['content']), seen.files)
  const report = await scanNow(context, principal, { ...seen, ...texts, ...folder }, signal)
  const at = new Date(context.clock.now())
  const isRefused = report.verdict === 'quarantined'
  const version = await context.store.transact(principal, async (writer) => {
    await lockCited(writer, seen.cites)
    const skill = await lockSkill(writer, seen.docId)
    const edited = requireMovable(skill, EDIT)
    requireUnchanged(edited, seen)
    const { active, lastVersion, createdAt } = skill!
    const draft: NewVersion = {
      ...edited,
      ...texts,
      ...folder,
      ...(edited.source !== 'forge' && identityOf(texts)),
      version: lastVersion + 1,
      status: isRefused ? 'quarantined' : 'staged',
      kind: active ? 'update' : 'create',
      target: active && targetOf(active),
      systemMetadata: metadata,
      contentHash: skillContentHash(texts),
      overruled: null,
      reason: isRefused ? criticalReason(report) : (edit.reason ?? null),
      createdAt: at,
    }
    const place = await readPlace(writer, edited)
    await moveVersion(writer, edited, { to: 'deprecated', reason: `edited as version ${draft.version}`, at })
    await insertVersion(writer, draft, { place })
    const stored = storedVersion(draft, createdAt)
    const judged = await saveVerdict(writer, stored, { report, at })
    await saveGates(writer, stored, edited.gates)
    return { ...judged, gates: edited.gates }
  })
  return { version, previousStatus: seen.status, detail: isRefused ? `${DONE} The scan refused it.` : DONE }
}

const DONE = 'It has a new version.'

function editedTexts(version: SkillVersion, { texts }: SkillEdit, { skills_factory: sizes }: Settings): SkillTexts {
  const { name, slug, description, summary, content, domain, goal, tags } = version
  const data = { name, slug, description, summary, content, domain, goal, tags, ...texts }
  const read = readSkillDraft({ ...data, kind: 'create', source: version.source }, sizes)
  if ('texts' in read) return read.texts
  throw new InvalidArgumentsError(read.map(({ path, message: msg }) => ({ path, msg, type: 'value_error' })))
}
