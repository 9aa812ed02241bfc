import { pathFault } from '../../domain/skill-file-path.js'
import { joinFault, withDescription } from '../../domain/skills/front-matter.js'
import type { SkillDraft } from '../../domain/skills/read-draft.js'
import { readFiles, type WrittenFile } from '../../domain/skills/read-files.js'
import { folderOf, type SkillFile, type SkillFileBytes, type SkillFolder } from '../../domain/skills/skill-files.js'
import { skillDocId, type SkillVersion } from '../../domain/skills/skill.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'

/**
 * Throws InvalidArgumentsError for files of a skill of the Forge. An erasure takes words out of these skills, and files may be programs
 * and pictures.
 */
export function requireFolderless(
  docId: string,
  frontMatter: SkillDraft['frontMatter'],
  files: readonly SkillFileBytes[] | undefined,
): void {
  if (!docId.startsWith(skillDocId('forge', ''))) return
  const given = [
    ...((frontMatter ?? null) === null ? [] : [['data', 'front_matter']]),
    ...((files ?? []).length === 0 ? [] : [['files']]),
  ]
  if (given.length > 0)
    throw new InvalidArgumentsError(
      given.map((path) => ({ path, msg: 'A skill of the Forge has none.', type: 'value_error' })),
    )
}

/** Reads the files of a write; undefined when it has none. Throws InvalidArgumentsError with their faults. */
export function filesOf({ files: written }: { readonly files?: readonly WrittenFile[] | undefined }) {
  if (written === undefined) return undefined
  const { files, faults } = readFiles(written)
  if (faults.length === 0) return files
  throw new InvalidArgumentsError(
    faults.map(({ path, message: msg }) => ({ path: ['files', ...path], msg, type: 'value_error' })),
  )
}

/**
 * Returns the folder of a new version: what a draft leaves out is that of the version that it revises. Throws InvalidArgumentsError for files of that one which could not be
 * written today.
 */
export function revisedFolder(
  { texts, ...draft }: SkillDraft & { readonly files: readonly SkillFileBytes[] | undefined },
  before: SkillVersion | null,
): SkillFolder {
  const frontMatter = draft.frontMatter === undefined ? inheritedFrontMatter(before, texts) : draft.frontMatter
  return folderOf(frontMatter, draft.files ?? inheritedFiles(before))
}

function inheritedFiles(before: SkillVersion | null): readonly SkillFile[] {
  const files = before?.files ?? []
  for (const { path } of files) {
    const fault = pathFault(path)
    if (fault !== null) throw InvalidArgumentsError.at(['files'], `The stored path ${path} ${fault}: send files too.`)
  }
  return files
}

type Wording = Pick<SkillVersion, 'description' | 'content'>

/** Returns the front matter of the version that a write revises. Throws InvalidArgumentsError for a content that cannot follow it. */
function inheritedFrontMatter(before: SkillVersion | null, wording: Wording): string | null {
  const frontMatter = before?.frontMatter ?? null
  const fault = frontMatter === null ? null : joinFault(frontMatter, wording.content)
  if (fault !== null) throw InvalidArgumentsError.at(['data', 'front_matter'], fault)
  return describedBy(frontMatter, before, wording)
}

/**
 * Returns the front matter of a version for another wording by whoever cannot give one: with a line break at its end where it has none. Throws
 * InvalidArgumentsError for a content, at `path` of the operation's input, that cannot follow it.
 */
export function keptFrontMatter(before: SkillVersion | null, wording: Wording, path: readonly string[]): string | null {
  const frontMatter = ended(before?.frontMatter ?? null)
  if (frontMatter !== null && joinFault(frontMatter, wording.content) !== null)
    throw InvalidArgumentsError.at(path, 'Begins with a front matter, and the skill has an empty one already.')
  return describedBy(frontMatter, before, wording)
}

/** Returns a front matter with a line break at its end, the one that its first line has; an empty one has no lines. */
function ended(frontMatter: string | null): string | null {
  const lineBreak = /\r\n?|\n/.exec(frontMatter ?? '')?.[0]
  return lineBreak === undefined || /[\r\n]$/.test(frontMatter!) ? frontMatter : frontMatter + lineBreak
}

function describedBy(frontMatter: string | null, before: SkillVersion | null, { description }: Wording): string | null {
  if (frontMatter === null || before!.description === description) return frontMatter
  return withDescription(frontMatter, description)
}
