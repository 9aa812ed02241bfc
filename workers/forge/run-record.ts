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
  add(candidate: CandidateRecord): void
  /** Candidates that this run has written, by any of its workers. */
  written(): readonly CandidateRecord[]
  /** Returns true when every part failed, or every candidate that there was. */
  hasFailed(): boolean
  result(model: ModelRecord | null): ForgeResult
}

/** Begins with what an earlier worker of the run has written. */
export function createRunRecord({ candidates = [] }: ForgeResult): RunRecord {
  const parts: PartRecord[] = []
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

  return {
    addPart: (part) => void parts.push(part),
    add,
    written,
    hasFailed() {
      const isFailed = (part: PartRecord) => part.state === 'failed'
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
      return (parts.length > 0 && parts.every(isFailed)) || (all > 0 && counts.failed === all)
    },
    result: (model) => ({
      parts,
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
