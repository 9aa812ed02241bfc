/** Outcomes of a candidate in a run. */
export const CANDIDATE_OUTCOMES = [
  'created',
  'refreshed',
  'unchanged',
  'covered',
  'held',
  'deferred',
  'failed',
] as const
export type CandidateOutcome = (typeof CANDIDATE_OUTCOMES)[number]

/** Says what came of one cluster. It names no memory and has no text of one. */
export interface CandidateRecord {
  readonly fleet_id: string | null
  readonly fingerprint: string
  /** Null where the run stored nothing under a name. */
  readonly doc_id: string | null
  /** `covered`: the active skill says it all; `deferred`: the run's writes were used up, and it comes first next time. */
  readonly outcome: CandidateOutcome
  readonly reason: string | null
  /** Runs that succeeded, and their agents. */
  readonly runs: number
  readonly agents: number
  readonly wording: 'extracted' | 'model'
  /** Why the model's words were not taken, or what of them was dropped. */
  readonly wording_note: string | null
}

/** Says what came of a fleet's memories, or with no fleet of those that the whole tenant sees. */
export interface PartRecord {
  readonly fleet_id: string | null
  /** `left`: the time of the run was used up, or the run failed before it; the part comes first next time. */
  readonly state: 'succeeded' | 'failed' | 'left'
  readonly error: string | null
  readonly traces: number
  readonly memories: number
  /** Counts what the window also holds, and was more than a run takes. */
  readonly left_out: { readonly traces: number; readonly memories: number }
  /** False where there were too many memories to compare their vectors too. */
  readonly vectors: boolean
  readonly outcomes: { readonly success: number; readonly failure: number; readonly unknown: number }
  readonly clusters: number
  /** Clusters of which no skill came, by why. */
  readonly unfit: readonly { readonly reason: string; readonly clusters: number; readonly traces: number }[]
  readonly seconds: number
}

/** Counts what the language model was asked for, as callers see it. */
export interface RunModelUse {
  readonly model: string
  readonly calls: number
  readonly failed: number
  readonly input_tokens: number
  readonly output_tokens: number
  /** Why it was not asked any more. */
  readonly stopped: string | null
}

/** Adds to what callers see what the next turn of the run needs. */
export interface ModelRecord extends RunModelUse {
  /** Outages one after another, up to the last call; absent in records of earlier versions. */
  readonly outages?: number
}

/** Stored with a run. Empty before anything was done. */
export interface ForgeResult {
  readonly parts?: readonly PartRecord[]
  /** Numbers of candidates by outcome. */
  readonly outcomes?: Readonly<Record<CandidateOutcome, number>>
  readonly candidates?: readonly CandidateRecord[]
  /** Candidates beyond those that are listed. */
  readonly unlisted?: number
  readonly model?: ModelRecord | null
}

/** Where a run is. */
export interface ForgeProgress {
  readonly phase?: 'clustering' | 'writing'
  readonly done?: number
  readonly of?: number
}
