import type { Description } from './describe.js'
import type { EvidenceFigures } from './evidence.js'
import type { Sketch } from './fingerprint.js'
import type { ForgeMemory, Part } from './traces.js'

/** A line of a skill, and the memories that say it. */
export interface CitedLine {
  readonly text: string
  readonly memories: readonly ForgeMemory[]
}

/** A skill that a workflow makes, without a model: every line is what some memory says. */
export interface Distilled extends Description {
  readonly part: Part
  readonly steps: readonly CitedLine[]
  /** Lessons of runs that failed. */
  readonly lessons: readonly CitedLine[]
  readonly content: string
  /** Ids of the memories behind steps and lessons. */
  readonly cites: readonly string[]
  /** Ids of the memories behind the goal, which are not cited. */
  readonly sources: readonly string[]
  readonly fingerprint: string
  readonly sketch: Sketch
  readonly figures: EvidenceFigures
}

export interface TextLimits {
  readonly descriptionMaxBytes: number
  readonly contentMaxBytes: number
}

/** The parts of a model's answer that passed the checks; null where the extractive wording stays. */
export interface CheckedWording {
  readonly steps: readonly CitedLine[]
  readonly lessons: readonly CitedLine[]
  /** Memories behind steps whose words they do not bear out: the extractive wording of these steps stays; absent for none. */
  readonly unworded?: readonly (readonly ForgeMemory[])[]
  readonly name: string | null
  readonly description: string | null
  readonly goal: string | null
  readonly domain: string | null
  readonly tags: readonly string[] | null
  /** Steps and lessons that were dropped, by why. */
  readonly dropped: Readonly<Record<DropReason, number>>
}

/** Why a step or a lesson of a model was dropped. */
export type DropReason = 'malformed' | 'cites too few' | 'not in the memories'
