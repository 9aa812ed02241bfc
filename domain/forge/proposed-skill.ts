import type { Distilled } from './distilled.js'
import type { Part } from './traces.js'

/** A memory as it was read. */
export interface ReadMemory {
  readonly id: string
  readonly version: number
}

/** A line of a skill, with the ids of the memories that say it. */
interface ProposedLine {
  readonly text: string
  readonly memories: readonly string[]
}

/** A skill that a part's memories teach, without their texts: plain JSON, which a run keeps between its turns. */
export interface ProposedSkill extends Omit<Distilled, 'steps' | 'lessons' | 'cites' | 'sources' | 'part'> {
  readonly steps: readonly ProposedLine[]
  readonly lessons: readonly ProposedLine[]
  readonly cites: readonly ReadMemory[]
  readonly sources: readonly ReadMemory[]
  /** Credentials that wrote the memories of the runs that succeeded. */
  readonly distinctCredentials: number
  /** Successes × distinct agents × recency. */
  readonly weight: number
  /** Digest over what the evidence says: equal while nothing has changed, whatever a model makes of it. */
  readonly digest: string
}

/** Skills that a run has found and not written yet; absent before its first part is done. */
export interface KeptWork {
  readonly skills?: readonly { readonly part: Part; readonly skill: ProposedSkill }[]
}
