import { screenInSteps } from '../../domain/personal-data/screen.js'
import type { Settings } from '../../domain/settings/settings.gen.js'
import type { SkillDraft } from '../../domain/skills/read-draft.js'
import { type SkillFileBytes, textOfFile } from '../../domain/skills/skill-files.js'
import type { SkillTexts, SkillVersion } from '../../domain/skills/skill.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { Slices } from '../../runtime/slices.js'

interface ScreenOptions {
  readonly signal: AbortSignal
  readonly path: readonly string[]
  /** Come with the texts. */
  readonly frontMatter?: SkillDraft['frontMatter']
  readonly files?: readonly SkillFileBytes[] | undefined
}

/**
 * Screens texts for personal data by the tenant's policy. Throws InvalidArgumentsError where it refuses them, at `path` of the
 * operation's input. Front matter and files are never masked: a file with other words is another file.
 */
export async function screenTexts(
  { slug, ...texts }: SkillTexts,
  { memory: { pii_policy: policy } }: Settings,
  { signal, path, frontMatter = null, files = [] }: ScreenOptions,
): Promise<{ texts: SkillTexts; metadata: SkillVersion['systemMetadata'] }> {
  const slices = new Slices({ signal })
  const beside = { front_matter: frontMatter, files: textsByPath(files) }
  const isMasked = policy === 'mask'
  const kept = isMasked ? (await slices.run(screenInSteps({ data: beside }, 'refuse'))).faults : []
  const data = isMasked ? texts : { ...texts, ...beside }
  const { fields, faults, pii } = await slices.run(screenInSteps({ docId: slug, data }, policy))
  if (kept.length + faults.length > 0)
    throw new InvalidArgumentsError([
      ...faults.map(({ message: msg }) => ({ path, msg, type: 'value_error' as const })),
      ...kept.map(({ message }) => ({
        path,
        msg: `In front matter or files, where nothing is masked: ${message}`,
        type: 'value_error' as const,
      })),
    ])
  const screened = isMasked ? (fields.data as typeof texts) : texts
  return { texts: { slug, ...screened }, metadata: pii === null ? {} : { pii } }
}

function textsByPath(files: readonly SkillFileBytes[]): Readonly<Record<string, string>> {
  const texts = files.map(({ path, bytes }) => [path, textOfFile(bytes)] as const)
  return Object.fromEntries(texts.filter((entry): entry is [string, string] => entry[1] !== null))
}
