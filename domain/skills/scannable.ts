import type { ScannableSkill } from '../scan/skill.js'
import { stringify } from 'safe-stable-stringify'
import { readFrontMatter } from './front-matter.js'
import type { SkillVersion } from './skill.js'
import type { SkillFile } from './skill-files.js'

/** A file with its text; null for one that is no text. */
export type SkillFileText = Pick<SkillFile, 'path'> & {
  readonly content: string | null
  /** The file is a picture, a font, a sound or a PDF, and not executable. */
  readonly isMedia?: boolean
}

/** Returns everything of a version that can reach a disk or a prompt. */
export function scannableOf(version: SkillVersion, files: readonly SkillFileText[]): ScannableSkill {
  const { name, slug, description, summary, content, tags, domain, goal, evidence, frontMatter } = version
  const texts = { name, slug, description, summary, content, tags, domain, goal, evidence }
  return { ...texts, front_matter: frontMatter, front_matter_fields: fieldsOf(frontMatter), support_files: files }
}

/** Returns the fields of a front matter as JSON: one that holds itself by an alias has a mark in its place. */
function fieldsOf(frontMatter: string | null): unknown {
  const fields = frontMatter === null ? null : readFrontMatter(frontMatter)
  return JSON.parse(stringify(fields) ?? 'null')
}
