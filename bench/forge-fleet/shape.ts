import type { ForgeMemory } from '../../domain/forge/traces.js'
import type { Random } from '../random.js'

/** The truth about a memory of the set. */
export interface Truth {
  /** `copy`: text of another run that the agent was given and stored again. */
  readonly kind: 'step' | 'note' | 'ending' | 'noise' | 'copy'
  /** Key of the planted workflow that the run follows; null for noise. */
  readonly workflow: string | null
  /** Keys of the steps that the text says. */
  readonly steps: readonly string[]
}

export type Ending = 'success' | 'failure' | 'unknown'

/** A planted workflow, and what must become of it: one skill for each of these fleets, or none because of a trap. */
export interface PlantedWorkflow {
  readonly key: string
  readonly fleets: readonly string[]
  readonly trap: 'private' | 'one agent' | 'only failures' | 'split over fleets' | 'copied' | null
  readonly steps: readonly string[]
}

export interface SetMemory {
  readonly memory: ForgeMemory
  readonly truth: Truth
}

export interface ForgeFleet {
  readonly name: string
  /** Time of the tick, Unix milliseconds. */
  readonly now: number
  readonly workflows: readonly PlantedWorkflow[]
  /** Memories in the order of writing: runs are interleaved. */
  readonly memories: readonly SetMemory[]
  /** Ids of runs that failed. */
  readonly failedRuns: ReadonlySet<string>
}

/** A memory as a voice words it, before it has an author and a time. */
export interface Utterance {
  readonly text: string
  readonly kind: 'step' | 'note' | 'ending' | 'noise'
  readonly steps: readonly string[]
}

/** A workflow of a phrase book. */
export interface Recipe {
  readonly key: string
  readonly steps: readonly { readonly key: string }[]
}

/** Words workflows and noise: one for each synthetic fleet, with its own vocabulary and shapes of sentences. */
export interface PhraseBook<R extends Recipe = Recipe> {
  readonly name: string
  readonly recipes: readonly R[]
  /** Returns what one agent stores of one run, in order. `only` are the indexes of the steps that it takes. */
  tell(recipe: R, only: readonly number[], ending: Ending, agent: number, random: Random): Utterance[]
  /** Returns what one agent stores of a run that follows no workflow. */
  ramble(agent: number, random: Random): Utterance[]
}
