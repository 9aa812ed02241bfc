import { expect } from 'chai'
import { setImmediate } from 'node:timers/promises'
import { runToEnd, type Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'

describe('work in slices', () => {
  it('goes on at once while its slice lasts', async () => {
    expect(await turnsLeft([1.9, 0], { sliceMs: 2 })).to.deep.equal([0, 0])
    expect(await turnsLeft([1.9, 0.1], { sliceMs: 2 })).to.deep.equal([0, 1])
  })

  it('leaves one turn of the event loop to others at first, and more the longer it has worked', async () => {
    expect(await turnsLeft([2, 4, 6, 100, 100], { sliceMs: 2, mostTurns: 4 })).to.deep.equal([1, 2, 3, 4, 4])
  })

  it('leaves one turn by default, however long it has worked: it may hold locks', async () => {
    expect(await turnsLeft([100], {})).to.deep.equal([1])
  })

  it('goes on after one turn that others do not use, however long it has worked', async () => {
    expect(await turnsLeft([100], { sliceMs: 2, mostTurns: 4 }, 0)).to.deep.equal([1])
  })

  it('shares a slice with the work before it', async () => {
    const time = { ms: 0 }
    const slices = new Slices({ sliceMs: 2, now: () => time.ms })
    let turns = 0
    const work = function* (): Yielding<void> {
      time.ms += 1
      yield
    }
    const stop = countTurns(() => turns++)
    await slices.run(work())
    expect(turns).to.equal(0)
    await slices.run(work())
    expect(turns).to.equal(1)
    stop()
  })

  it('ends with the signal’s reason, and with its own error', async () => {
    const gone = new Error('the caller has gone')
    const failureOf = (work: Yielding<void>, signal?: AbortSignal) =>
      new Slices({ signal }).run(work).catch((error: unknown) => error)
    const step = function* (error?: Error): Yielding<void> {
      yield
      if (error) throw error
    }
    expect(await failureOf(step(), AbortSignal.abort(gone))).to.equal(gone)
    expect(await failureOf(step(gone))).to.equal(gone)
  })

  it('returns what the same work returns without slices', async () => {
    const work = function* (): Yielding<number> {
      yield
      return 7
    }
    expect([await new Slices().run(work()), runToEnd(work())]).to.deep.equal([7, 7])
  })
})

/**
 * Returns for each step the turns of the event loop that passed after it. Steps take so many milliseconds of a clock of their own, and others use
 * `othersMs` of each turn.
 */
async function turnsLeft(
  steps: readonly number[],
  options: ConstructorParameters<typeof Slices>[0],
  othersMs = 1,
): Promise<number[]> {
  const time = { ms: 0 }
  const turns: number[] = []
  let passed = 0
  const stop = countTurns(() => {
    passed++
    time.ms += othersMs
  })
  const work = function* (): Yielding<void> {
    for (const ms of steps) {
      time.ms += ms
      const before = passed
      yield
      turns.push(passed - before)
    }
  }
  await new Slices({ ...options, now: () => time.ms }).run(work())
  stop()
  return turns
}

/** Calls `onTurn` at each turn of the event loop until the returned function is called. */
function countTurns(onTurn: () => void): () => void {
  let isOver = false
  const turn = async () => {
    for (;;) {
      await setImmediate()
      if (isOver) return
      onTurn()
    }
  }
  void turn()
  return () => void (isOver = true)
}
