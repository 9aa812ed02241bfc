import type { CitedLine, Distilled } from '../../domain/forge/distilled.js'
import type { ProposedSkill } from '../../domain/forge/proposed-skill.js'
import type { ForgeMemory, Window } from '../../domain/forge/traces.js'
import { readEvidenceByIds } from '../../store/forge/evidence.js'
import type { Reader } from '../../store/store.js'
import type { PlannedSkill } from './plan-part.js'

/**
 * Reads the memories behind the lines of a skill, for a model to word it. Returns null when one of them has changed, or is no evidence
 * any more: the skill will be held.
 */
export async function readDistilled(
  reader: Reader,
  { part, skill }: Pick<PlannedSkill, 'part' | 'skill'>,
  window: Window,
): Promise<Distilled | null> {
  const ids = skill.cites.map(({ id }) => id)
  const read = new Map((await readEvidenceByIds(reader, ids, window)).map((memory) => [memory.id, memory]))
  if (skill.cites.some(({ id, version }) => read.get(id)?.version !== version)) return null
  const withMemories = ({ text, memories }: ProposedSkill['steps'][number]): CitedLine => ({
    text,
    memories: memories.map((id): ForgeMemory => read.get(id)!),
  })
  return {
    ...skill,
    part,
    steps: skill.steps.map(withMemories),
    lessons: skill.lessons.map(withMemories),
    cites: ids,
    sources: skill.sources.map(({ id }) => id),
  }
}
