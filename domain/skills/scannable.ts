import type { ScannableSkill } from '../scan/skill.js'
import type { SkillVersion } from './skill.js'

/** Returns everything of a version that can reach a disk or a prompt. */
export function scannableOf(version: SkillVersion): ScannableSkill {
  const { name, slug, description, summary, content, tags, domain, goal, evidence } = version
  return { name, slug, description, summary, content, tags, domain, goal, evidence }
}
