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

const WRITTEN = ['created', 'refreshed'] as const satisfies readonly CandidateOutcome[]

/** Returns true for what another worker must find in the record, so that it counts it and does not write it again. */
export function isWritten({ outcome }: CandidateRecord): boolean {
  return (WRITTEN as readonly CandidateOutcome[]).includes(outcome)
}

/** Collects what a run does, as it is stored with the run. */
export interface RunRecord {
  addPart(part: PartRecord): void
  /** Parts that are done, or left, in their order. */
  parts(): readonly PartRecord[]
  add(candidate: CandidateRecord): void
  /** Returns the number of candidates that this run has written, by any of its workers. */
  writtenCount(): number
  /** Returns those of them that are listed. */
  listedWritten(): readonly CandidateRecord[]
  /** Returns true when every part that the run got to failed, or every candidate that there was. */
  hasFailed(): boolean
  result(model: ModelRecord | null): ForgeResult
  /** Returns the result to keep for another turn or another worker. */
  keep(model: ModelRecord | null): ForgeResult
  /** Returns what was last kept, with what the run has written since and is about to write. */
  resultAfterWriting(candidate: CandidateRecord, model: ModelRecord | null): ForgeResult
}

/** Begins with what earlier turns of the run have done. */
export function createRunRecord(earlier: ForgeResult): RunRecord {
  const { candidates = [], outcomes } = earlier
  const parts = [...(earlier.parts ?? [])]
  let kept = earlier
  let writtenSince: CandidateRecord[] = []
  const listed = new Map<CandidateOutcome, CandidateRecord[]>(CANDIDATE_OUTCOMES.map((outcome) => [outcome, []]))
  const counts = Object.fromEntries(CANDIDATE_OUTCOMES.map((outcome) => [outcome, 0])) as Record<
    CandidateOutcome,
    number
  >
  const count = (candidate: CandidateRecord) => {
    counts[candidate.outcome]++
    const list = listed.get(candidate.outcome)!
    if (list.length < MOST_LISTED) list.push(candidate)
  }
  candidates.forEach(count)
  // The outcomes count those too that are not listed.
  for (const outcome of CANDIDATE_OUTCOMES) counts[outcome] = outcomes?.[outcome] ?? counts[outcome]

  const result = (model: ModelRecord | null): ForgeResult => ({
    parts: [...parts],
    outcomes: { ...counts },
    candidates: [...listed.values()].flat(),
    unlisted: Object.entries(counts).reduce(
      (sum, [outcome, count]) => sum + count - listed.get(outcome as CandidateOutcome)!.length,
      0,
    ),
    // A worker without a model goes on with what another has counted.
    model: model ?? earlier.model ?? null,
  })

  return {
    addPart: (part) => void parts.push(part),
    parts: () => [...parts],
    add(candidate) {
      count(candidate)
      if (isWritten(candidate)) writtenSince.push(candidate)
    },
    writtenCount: () => WRITTEN.reduce((sum, outcome) => sum + counts[outcome], 0),
    listedWritten: () => WRITTEN.flatMap((outcome) => listed.get(outcome)!),
    hasFailed() {
      const begun = parts.filter(({ state }) => state !== 'left')
      const all = Object.values(counts).reduce((sum, count) => sum + count, 0)
      const isFailed = begun.length > 0 && begun.every(({ state }) => state === 'failed')
      return isFailed || (all > 0 && counts.failed === all)
    },
    result,
    keep(model) {
      kept = result(model)
      writtenSince = []
      return kept
    },
    resultAfterWriting(candidate, model) {
      const next = createRunRecord(kept)
      for (const one of [...writtenSince, candidate]) next.add(one)
      return next.result(model)
    },
  }
}
