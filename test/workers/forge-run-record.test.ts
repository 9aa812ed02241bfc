import { expect } from 'chai'
import type { CandidateOutcome, CandidateRecord } from '../../domain/forge/run-record.js'
import { createRunRecord } from '../../workers/forge/run-record.js'

const candidate = (place: number, outcome: CandidateOutcome = 'created'): CandidateRecord => ({
  fleet_id: 'red',
  fingerprint: `fp:v1:${place}`,
  doc_id: `forge/${place}`,
  outcome,
  reason: null,
  runs: 4,
  agents: 4,
  wording: 'extracted',
  wording_note: null,
})

describe('the record of a run of the Forge', () => {
  it('counts what was written beyond what it lists, also for the next worker', () => {
    const first = createRunRecord({})
    for (let i = 0; i < 600; i++) first.add(candidate(i))
    for (let i = 600; i < 700; i++) first.add(candidate(i, 'refreshed'))
    first.add(candidate(700, 'held'))
    expect(first.writtenCount()).to.equal(700)
    const kept = first.keep(null)
    expect(kept).to.deep.include({ unlisted: 100 })
    expect(kept.candidates).to.have.length(601)
    expect(createRunRecord(kept).writtenCount()).to.equal(700)
  })

  it('stores with each skill that is written all those since it was kept, listed or not', () => {
    const record = createRunRecord({})
    for (let i = 0; i < 510; i++) record.add(candidate(i))
    record.keep(null)
    for (let i = 510; i < 520; i++) record.add(candidate(i))
    record.add(candidate(520, 'held'))
    const stored = record.resultAfterWriting(candidate(521), null)
    expect(stored.outcomes).to.include({ created: 521, held: 0 })
    expect(createRunRecord(stored).writtenCount()).to.equal(521)
    // What is about to be written may yet fail.
    expect(record.writtenCount()).to.equal(520)
  })

  it('keeps what was counted of a model when a worker goes on without one', () => {
    const model = { model: 'stub', calls: 2, failed: 2, outages: 2, input_tokens: 7, output_tokens: 3, stopped: null }
    const record = createRunRecord(createRunRecord({}).keep(model))
    expect(record.keep(null).model).to.deep.equal(model)
    expect(record.resultAfterWriting(candidate(1), null).model).to.deep.equal(model)
    expect(createRunRecord({}).result(null).model).to.equal(null)
  })

  it('begins with the listed ones where an earlier record has no counts', () => {
    const { candidates } = createRunRecord({ candidates: [candidate(1), candidate(2, 'held')] }).result(null)
    const record = createRunRecord({ candidates: candidates! })
    expect(record.writtenCount()).to.equal(1)
    expect(record.result(null).outcomes).to.include({ created: 1, held: 1 })
  })
})
