import { expect } from 'chai'
import type { DeduplicatedMemory } from '../../../../domain/ranking/rank.js'
import { DEFAULT_SETTINGS } from '../../../../domain/settings/settings.gen.js'
import type { Yielding } from '../../../../domain/yielding.js'
import { Slices } from '../../../../runtime/slices.js'
import type { MemoryCandidates } from '../../../../services/retrieval/memories/candidates.js'
import type { RecallQuery } from '../../../../domain/query.js'
import { rankMemories, RECALL_SLICES } from '../../../../services/retrieval/memories/rank.js'

describe('the ranking of a recall', () => {
  const query = { terms: [], text: '', nameKeys: [], leftOut: new Set(), filter: { now: 0 } } as unknown as RecallQuery
  const found = { statistics: null, vector: null, first: { settings: DEFAULT_SETTINGS } } as unknown as MemoryCandidates
  const none = { candidates: [], matchedEntities: () => [] }

  /** Ranks nothing, in ten steps that take longer than a slice each. */
  const rankSlowly = (onStep: () => void, signal: AbortSignal) =>
    new Slices({ ...RECALL_SLICES, signal }).run(
      rankMemories(
        {
          pieceSpace: {
            piecesOf: () => new Uint16Array(),
            knows: () => true,
            similaritiesTo: () => new Float32Array(),
          },
          *rank(): Yielding<DeduplicatedMemory[]> {
            for (let step = 0; step < 10; step++) {
              const end = performance.now() + 2 * RECALL_SLICES.sliceMs
              while (performance.now() < end);
              onStep()
              yield
            }
            return []
          },
        },
        query,
        found,
        none,
        { minScore: 0, most: 10 },
      ),
    )

  it('lets others go first between its steps', async () => {
    let steps = 0
    const seen: number[] = []
    const look = () => {
      seen.push(steps)
      if (steps < 10) setImmediate(look)
    }
    setImmediate(look)
    await rankSlowly(() => steps++, new AbortController().signal)
    expect(new Set(seen).size).to.be.greaterThan(5)
  })

  it('ends with its request', async () => {
    let steps = 0
    const over = new AbortController()
    const ranking = rankSlowly(() => {
      if (++steps === 3) over.abort(new Error('gone'))
    }, over.signal)
    const failure = await ranking.catch((error: Error) => error.message)
    expect(failure).to.equal('gone')
    expect(steps).to.equal(3)
  })
})
