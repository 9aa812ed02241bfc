import type { ScannableSkill } from '../scan/skill.js'
import type { SkillVersion } from './skill.js'
import type { SkillFile } from './skill-files.js'

/** A file with its text; null for one that is no text. */
export type SkillFileText = Pick<SkillFile, 'path'> & { readonly content: string | null }

/** Returns everything of a version that can reach a disk or a prompt. */
export function scannableOf(version: SkillVersion, files: readonly SkillFileText[]): ScannableSkill {
  const { name, slug, description, summary, content, tags, domain, goal, evidence, frontMatter } = version
  const texts = { name, slug, description, summary, content, tags, domain, goal, evidence }
  return { ...texts, front_matter: frontMatter, support_files: files }
}
