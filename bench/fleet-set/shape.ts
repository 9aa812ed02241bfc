export const CATEGORIES = ['incident', 'decision', 'preference', 'identifier', 'time', 'code', 'multi-hop'] as const
export type Category = (typeof CATEGORIES)[number]

export interface SetAgent {
  readonly id: string
  readonly fleetId: string
}

export interface SetLink {
  readonly name: string
  readonly entity_type: string
}

/** A memory to write: its author, and an item of a bulk write. */
export interface SetMemory {
  /** Name of the memory in the set; it is not written. */
  readonly key: string
  readonly agent: SetAgent
  readonly item: {
    readonly content: string
    readonly memory_type: string
    readonly run_id: string
    /** Time at which it happened; it is written soon after. */
    readonly ts_valid_start: string
    readonly ts_valid_end?: string
    readonly visibility: 'scope_team' | 'scope_org'
    readonly entity_links: readonly SetLink[]
  }
}

export interface SetQuestion {
  readonly text: string
  readonly category: Category
  /** An agent that may see all of the evidence. */
  readonly asker: SetAgent
  /** Keys of the memories that answer it, all of them needed. */
  readonly evidence: readonly string[]
  /** Words of the evidence that are the answer, or its gist; the question does not contain them. */
  readonly answer: string
  /**
   * Names and identifiers in the question: no person would ask without them, and memories that do not answer contain
   * them too.
   */
  readonly names: readonly string[]
  /**
   * The time that the question names: of the memories with its names, only the evidence is within it. Unix
   * milliseconds.
   */
  readonly period?: { readonly from: number; readonly to: number } | undefined
}

export interface FleetSet {
  /** Time at which the questions are asked, Unix milliseconds: "last Thursday" is relative to it. */
  readonly today: number
  readonly agents: readonly SetAgent[]
  /** Memories in order of time. */
  readonly memories: readonly SetMemory[]
  readonly questions: readonly SetQuestion[]
}
