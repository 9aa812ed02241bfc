import { expect } from 'chai'
import { leftBy } from '../../../domain/forge/left-work.js'
import type { CandidateRecord, PartRecord } from '../../../domain/forge/run-record.js'

const part = (fleet_id: string, state: PartRecord['state']) => ({ fleet_id, state }) as PartRecord
const candidate = (fleet_id: string, outcome: CandidateRecord['outcome']) =>
  ({ fleet_id, outcome, fingerprint: `fp of ${fleet_id}` }) as CandidateRecord
const fleets = (...ids: string[]) => ids.map((fleetId) => ({ fleetId }))

describe('what a run of the Forge leaves', () => {
  it('comes first, in the order in which it was left; the others follow in theirs', () => {
    const left = leftBy({ parts: [part('b', 'succeeded'), part('d', 'left'), part('a', 'left'), part('c', 'failed')] })
    expect(left.inTurn(fleets('a', 'b', 'c', 'd', 'e'))).to.deep.equal(fleets('d', 'a', 'b', 'c', 'e'))
    expect(leftBy({}).inTurn(fleets('a', 'b'))).to.deep.equal(fleets('a', 'b'))
    expect(leftBy({ parts: [part('gone', 'left')] }).inTurn(fleets('a', 'b'))).to.deep.equal(fleets('a', 'b'))
  })

  for (const most of [1, 2, 3])
    it(`brings every part to its turn when a run gets to ${most}, whatever parts come in between`, () => {
      let all = fleets('a', 'b', 'c', 'd', 'e')
      const waited = new Map<string, number>()
      let last: PartRecord[] = []
      for (let run = 0; run < 30; run++) {
        if (run % 3 === 0 && run < 12) all = [...fleets(`a${run}`), ...all]
        const parts = leftBy({ parts: last }).inTurn(all)
        last = parts.map(({ fleetId }, i) => part(fleetId!, i < most ? 'succeeded' : 'left'))
        for (const { fleet_id, state } of last)
          waited.set(fleet_id!, state === 'left' ? (waited.get(fleet_id!) ?? 0) + 1 : 0)
        for (const [fleet, runs] of waited) expect(runs, fleet).to.be.lessThan(all.length / most + 1)
      }
    })

  it('are the deferred skills of each part, which stay so while it is left', () => {
    const left = leftBy({ candidates: [candidate('a', 'deferred'), candidate('b', 'created')] })
    expect(left.isDeferred({ fleetId: 'a' }, { fingerprint: 'fp of a' })).to.equal(true)
    expect(left.isDeferred({ fleetId: 'b' }, { fingerprint: 'fp of b' })).to.equal(false)
    expect(left.isDeferred({ fleetId: 'b' }, { fingerprint: 'fp of a' })).to.equal(false)
    expect(left.deferredOf({ fleetId: 'a' })).to.have.length(1)
    expect(left.deferredOf({ fleetId: 'b' })).to.deep.equal([])
  })
})
