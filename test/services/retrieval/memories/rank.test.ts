import { expect } from 'chai'
import type { AnalysedQuery } from '../../../../domain/ranking/candidate.js'
import { hashTerms } from '../../../../domain/ranking/hashed-terms.js'
import type { DeduplicatedMemory } from '../../../../domain/ranking/rank.js'
import { DEFAULT_SETTINGS } from '../../../../domain/settings/settings.gen.js'
import type { Yielding } from '../../../../domain/yielding.js'
import { Slices } from '../../../../runtime/slices.js'
import type { MemoryCandidates } from '../../../../services/retrieval/memories/candidates.js'
import type { RecallQuery } from '../../../../domain/query.js'
import type { LoadedMemories } from '../../../../services/retrieval/memories/load.js'
import { rankMemories, RECALL_SLICES } from '../../../../services/retrieval/memories/rank.js'

describe('the ranking of a recall', () => {
  const query = { terms: [], text: '', nameKeys: [], leftOut: new Set(), filter: { now: 0 } } as unknown as RecallQuery
  const found = { statistics: null, vector: null, first: { settings: DEFAULT_SETTINGS } } as unknown as MemoryCandidates
  const none = { candidates: [], matchedEntities: () => [], links: [] }

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

  for (const [asked, author] of [
    ['安娜喜欢什么？', '安娜'],
    ['水泵坏了吗？', null],
  ] as const)
    it(`takes ${author ?? 'nobody'} for the author that ${asked} asks for`, async () => {
      let named: string | null | undefined
      const text = { author: { name: '安娜', isAgent: false }, terms: hashTerms([]), length: 0 }
      const pieceSpace = {
        piecesOf: () => new Uint16Array(),
        knows: () => true,
        similaritiesTo: () => new Float32Array(),
      }
      const [first, second] = [{ text }, { text }] as unknown as LoadedMemories['candidates']
      await new Slices(RECALL_SLICES).run(
        rankMemories(
          {
            pieceSpace,
            // eslint-disable-next-line require-yield -- the author is known before the first step
            *rank(analysed: AnalysedQuery): Yielding<DeduplicatedMemory[]> {
              named = analysed.author
              return []
            },
          },
          { ...query, text: asked },
          found,
          { ...none, candidates: [first!, second!] },
          { minScore: 0, most: 10 },
        ),
      )
      expect(named).to.equal(author)
    })
})
