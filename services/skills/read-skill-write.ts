import { readSkillDraft, type SkillDraft } from '../../domain/skills/read-draft.js'
import type { WrittenFile } from '../../domain/skills/read-files.js'
import type { SkillFileBytes } from '../../domain/skills/skill-files.js'
import { skillDocId, type SkillVersion } from '../../domain/skills/skill.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { screenTexts } from './screen-texts.js'
import { filesOf, requireFolderless } from './written-folder.js'

/** A skill as it comes in a write of a document. */
export interface SkillWrite {
  /** May lack the prefix of its source; null for its slug. */
  readonly docId: string | null
  readonly data: Readonly<Record<string, unknown>>
  /** Undefined leaves what the revised version has. */
  readonly files?: readonly WrittenFile[] | undefined
  /** Null means the skill's own fleet, or the author's for a new one. */
  readonly fleetId: string | null
  /** Throws when the write must not go over this row, null for none: `If-Match` and `If-None-Match`. */
  readonly requireVersion: (served: { readonly id: string; readonly version: number } | null) => void
  /** True for the admin credential, which alone imports. */
  readonly isAdmin: boolean
}

/** A write whose texts and files were read and screened. */
export interface ReadSkillWrite {
  readonly write: Pick<SkillWrite, 'fleetId' | 'requireVersion' | 'isAdmin'>
  /** Its texts are as they are stored. */
  readonly draft: SkillDraft
  readonly docId: string
  /** Undefined leaves what the revised version has. */
  readonly files: readonly SkillFileBytes[] | undefined
  readonly metadata: SkillVersion['systemMetadata']
}

/**
 * Reads a write and screens all of its texts for personal data, which takes the longer the more files it has: no transaction may wait for it. Throws
 * InvalidArgumentsError with every fault of the data.
 */
export async function readSkillWrite(
  write: SkillWrite,
  settings: Settings,
  signal: AbortSignal,
): Promise<ReadSkillWrite> {
  const draft = draftOf(write, settings)
  const docId = docIdOf(write.docId, draft)
  const files = filesOf(write)
  const { frontMatter } = draft
  requireFolderless(docId, frontMatter, files)
  const { texts, metadata } = await screenTexts(draft.texts, settings, { signal, path: ['data'], frontMatter, files })
  return { write, draft: { ...draft, texts }, docId, files, metadata }
}

function draftOf({ data }: SkillWrite, { skills_factory: sizes }: Settings): SkillDraft {
  const read = readSkillDraft(data, sizes)
  if ('texts' in read) return read
  throw new InvalidArgumentsError(
    read.map(({ path, message: msg }) => ({ path: ['data', ...path], msg, type: 'value_error' })),
  )
}

const PREFIXED = /^(?:(?:forge|agent)\/)?(?<slug>[^/]*)$/

/**
 * Returns the `doc_id` of a skill. A bare or missing one gets the prefix of the source. Only an update may name a skill
 * of another prefix: it is a revision of that one.
 */
function docIdOf(given: string | null, { texts: { slug }, source, kind, target }: SkillDraft): string {
  const own = skillDocId(source, slug)
  const named = given ?? target?.docId ?? slug
  const docId = named === slug ? own : named
  const path = given === null ? ['data', 'target', 'doc_id'] : ['doc_id']
  if (PREFIXED.exec(docId)?.groups!.slug !== slug)
    throw InvalidArgumentsError.at(path, `Must be the slug ${slug}, or ${own}.`)
  if (kind === 'create' && docId !== own)
    throw InvalidArgumentsError.at(path, `A skill of the source ${source} has the doc_id ${own}.`)
  if (target?.docId != null && target.docId !== docId && target.docId !== slug)
    throw InvalidArgumentsError.at(['data', 'target', 'doc_id'], `Must be ${docId}, the skill that this writes.`)
  return docId
}
