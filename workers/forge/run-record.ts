import {
  CANDIDATE_OUTCOMES,
  type CandidateOutcome,
  type CandidateRecord,
  type ForgeResult,
  type ModelRecord,
  type PartRecord,
} from '../../domain/forge/run-record.js'

/** Candidates of one outcome that are listed; the others are counted. */
const MOST_LISTED = 500

/** Collects what a run does, as it is stored with the run. */
export interface RunRecord {
  addPart(part: PartRecord): void
  /** Parts that are done, or left, in their order. */
  parts(): readonly PartRecord[]
  add(candidate: CandidateRecord): void
  /** Candidates that this run has written, by any of its workers. */
  written(): readonly CandidateRecord[]
  /** Returns true when every part that the run got to failed, or every candidate that there was. */
  hasFailed(): boolean
  result(model: ModelRecord | null): ForgeResult
}

/** Begins with what earlier turns of the run have done. */
export function createRunRecord({ parts: done = [], candidates = [], outcomes }: ForgeResult): RunRecord {
  const parts = [...done]
  const listed = new Map<CandidateOutcome, CandidateRecord[]>(CANDIDATE_OUTCOMES.map((outcome) => [outcome, []]))
  const counts = Object.fromEntries(CANDIDATE_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    CandidateOutcome,
    number
  >
  const add = (candidate: CandidateRecord) => {
    counts[candidate.outcome]++
    const list = listed.get(candidate.outcome)!
    if (list.length < MOST_LISTED) list.push(candidate)
  }
  const written = () => [...listed.get('created')!, ...listed.get('refreshed')!]
  candidates.forEach(add)
  // The outcomes count those too that are not listed.
  for (const outcome of CANDIDATE_OUTCOMES) counts[outcome] = outcomes?.[outcome] ?? counts[outcome]

  return {
    addPart: (part) => void parts.push(part),
    parts: () => [...parts],
    add,
    written,
    hasFailed() {
      const begun = parts.filter(({ state }) => state !== 'left')
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const isFailed = begun.length > 0 && begun.every(({ state }) => state === 'failed')
      return isFailed || (all > 0 && counts.failed === all)
    },
    result: (model) => ({
      parts: [...parts],
      outcomes: { ...counts },
      candidates: [...listed.values()].flat(),
      unlisted: Object.entries(counts).reduce(
        (sum, [outcome, count]) => sum + count - listed.get(outcome as CandidateOutcome)!.length,
        0,
      ),
      model,
    }),
  }
}
