import { expect } from 'chai'
import { setImmediate } from 'node:timers/promises'
import { createYielder } from '../../runtime/yielder.js'

describe('work that yields', () => {
  it('goes on at once while its slice lasts', () => {
    const time = { ms: 0 }
    const yieldIfDue = createYielder({ sliceMs: 2, now: () => time.ms })
    time.ms += 1.9
    expect(yieldIfDue()).to.equal(undefined)
    time.ms += 0.1
    expect(yieldIfDue()).to.be.instanceOf(Promise)
  })

  it('leaves one turn of the event loop to others at first, and more the longer it has worked', async () => {
    const time = { ms: 0 }
    const yieldIfDue = createYielder({ sliceMs: 2, mostTurns: 4, now: () => time.ms })
    const turns: number[] = []
    for (const workMs of [2, 4, 6, 100, 100]) {
      time.ms += workMs
      turns.push(await turnsUsed(yieldIfDue()!, () => (time.ms += 1)))
    }
    expect(turns).to.deep.equal([1, 2, 3, 4, 4])
  })

  it('leaves one turn by default, however long it has worked: it may hold locks', async () => {
    const time = { ms: 0 }
    const yieldIfDue = createYielder({ now: () => time.ms })
    time.ms += 100
    expect(await turnsUsed(yieldIfDue()!, () => (time.ms += 1))).to.equal(1)
  })

  it('goes on after one turn that others do not use, however long it has worked', async () => {
    const time = { ms: 0 }
    const yieldIfDue = createYielder({ sliceMs: 2, mostTurns: 4, now: () => time.ms })
    time.ms += 100
    expect(await turnsUsed(yieldIfDue()!, () => undefined)).to.equal(1)
  })

  it('ends with the signal’s reason', () => {
    const gone = new Error('the caller has gone')
    expect(createYielder({ signal: AbortSignal.abort(gone) })).to.throw(gone)
  })
})

/** Returns the turns of the event loop that passed before a yield was over, in each of which others do their `work`. */
async function turnsUsed(yielded: Promise<void>, work: () => void): Promise<number> {
  let isOver = false
  void yielded.then(() => (isOver = true))
  for (let turns = 0; ; turns++) {
    if (isOver) return turns
    work()
    await setImmediate()
  }
}
