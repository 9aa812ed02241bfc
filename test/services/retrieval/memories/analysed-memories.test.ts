import { expect } from 'chai'
import { sql } from 'kysely'
import { AnalysedMemories } from '../../../../services/retrieval/memories/analysed-memories.js'
import { occurrencesOf, termHash } from '../../../../domain/ranking/hashed-terms.js'
import { encodeText } from '../../../../domain/ranking/text-bytes.js'
import { RECALL_STATUSES } from '../../../../domain/memory.js'
import type { Embedder } from '../../../../models/embedder.js'
import { createPieceSpace, type PieceSpace } from '../../../../models/piece-space.js'
import { createStaticEmbedder } from '../../../../models/static-embedder.js'
import type { Reader } from '../../../../store/store.js'
import { readCandidates } from '../../../../store/memories/recall-rows.js'
import { storeAnalysedTexts } from '../../../../store/indexing/analysed-texts.js'
import { recordRecalls } from '../../../../store/memories/memory-usage.js'
import { remember } from '../../../support/memories.js'
import { createMovingClock } from '../../../support/moving-clock.js'
import { createTestStore, type TestStore } from '../../../support/test-store.js'

describe('analysed memories', () => {
  const going = new AbortController().signal
  let test: TestStore
  let embedder: Embedder
  let space: PieceSpace

  before(async () => {
    test = await createTestStore()
    embedder = await createStaticEmbedder()
    space = await createPieceSpace()
  })
  after(async () => {
    await embedder.close()
    await test.stop()
  })

  const maxBytes = 1e6
  const filter = {
    audience: { kind: 'own', agentId: 'agent' },
    now: Date.parse('2026-05-02'),
    statuses: RECALL_STATUSES,
  } as const
  const textsOf = (analysed: AnalysedMemories, tenantId: string, ids: readonly string[], signal = going) =>
    test.store.read({ tenantId }, async (reader) => {
      const { found: rows } = await readCandidates(reader, filter, ids, { sources: [], entityIds: [] })
      const byId = new Map(rows.map((row) => [row.id, row]))
      const ordered = ids.map((id) => byId.get(id)!)
      return analysed.textsOf((work) => work(reader), filter, ordered, [], signal)
    })

  it('return terms and vector of each text, from the cache the second time', async () => {
    const ids = await remember(test.store, 'usual', 'the pump failed again', 'the valve holds')
    const analysed = new AnalysedMemories(embedder, space, { maxBytes })
    const first = await textsOf(analysed, 'usual', ids)
    expect(first.complete).to.equal(true)
    const { terms, vector } = first.texts.get(ids[0]!)!.text
    expect(occurrencesOf(termHash('pump'), terms)).to.equal(1)
    expect(vector!.bytes).to.have.length(embedder.dimensions)
    const second = await textsOf(analysed, 'usual', ids)
    expect(second.texts.get(ids[0]!)).to.deep.equal(first.texts.get(ids[0]!))
  })

  it('stay in the cache as far as its size allows', async () => {
    const ids = await remember(test.store, 'many', 'the first', 'the second', 'the third')
    const seen: [string, number][] = []
    const metrics = { recallTexts: (source: string, count: number) => void seen.push([source, count]) }
    const analysed = new AnalysedMemories(embedder, space, { maxBytes: 4_500, metrics })
    for (const asked of [ids, ids.slice(1), ids.slice(0, 1)]) await textsOf(analysed, 'many', asked)
    const cached = seen.flatMap(([source, count]) => (source === 'cached' ? count : []))
    expect(cached).to.deep.equal([0, 2, 0])
  })

  it('know how often a memory was recalled: as it was read, with the recalls of this process, for ten minutes', async () => {
    const [id] = await remember(test.store, 'counted', 'the pump failed again')
    const recordRecalled = (count: number) =>
      test.store.asSystem((system) =>
        recordRecalls(system, [{ tenantId: 'counted', memoryId: id!, count, at: new Date() }]),
      )
    const { text } = (await textsOf(new AnalysedMemories(embedder, space, { maxBytes }), 'counted', [id!])).texts.get(
      id!,
    )!
    const stored = { memoryId: id!, version: 1, model: embedder.id, bytes: encodeText(text) }
    await test.store.transact({ tenantId: 'counted' }, (writer) => storeAnalysedTexts(writer, [stored]))
    const clock = createMovingClock()
    const analysed = new AnalysedMemories(embedder, space, { maxBytes, clock })
    const count = async () => (await textsOf(analysed, 'counted', [id!])).texts.get(id!)!.recallCount
    await recordRecalled(2)
    expect(await count()).to.equal(2)
    analysed.countRecall([id!, 'unknown'])
    expect(await count()).to.equal(3)
    await recordRecalled(5)
    clock.advance(9 * 60_000)
    expect(await count()).to.equal(3)
    clock.advance(61_000)
    expect(await count()).to.equal(7)
  })

  it('leave out texts beyond the limit of one recall, report it, and get further the next time', async () => {
    const long = Array.from({ length: 45 }, (_, i) => `memory ${i} ${'word '.repeat(1_990)}`)
    const ids = await remember(test.store, 'long', ...long)
    const clock = createMovingClock()
    const analysed = new AnalysedMemories(embedder, space, { maxBytes, clock })
    const first = await textsOf(analysed, 'long', ids)
    expect(first.complete).to.equal(false)
    expect([...first.texts.keys()]).to.deep.equal(ids.slice(0, first.texts.size))
    expect(first.texts.size).to.be.within(1, 44)
    clock.advance(3_600_000)
    const second = await textsOf(analysed, 'long', ids)
    expect(second.complete).to.equal(true)
    expect(second.texts.size).to.equal(45)
  })

  it('are none of a row that was hidden after it was found', async () => {
    const [hidden, stays] = await remember(test.store, 'hiding', 'about to be hidden', 'stays')
    const analysed = new AnalysedMemories(embedder, space, { maxBytes })
    const rows = [hidden!, stays!].map((id) => ({ id, version: 1, matchedEntityIds: [] }))
    await test.store.transact({ tenantId: 'hiding' }, ({ db }) =>
      sql`update memories set agent_id = 'other', content = 'a hidden text', version = 2 where id = ${hidden}`.execute(
        db,
      ),
    )
    const transaction = <T>(work: (reader: Reader) => Promise<T>) => test.store.read({ tenantId: 'hiding' }, work)
    const { texts, complete } = await analysed.textsOf(transaction, filter, rows, [], going)
    expect([[...texts.keys()], complete]).to.deep.equal([[stays], true])
  })

  it('are no longer computed once the request is aborted', async () => {
    const ids = await remember(test.store, 'over', 'nobody waits for this')
    const over = AbortSignal.abort(new Error('the caller hung up'))
    const outcome = textsOf(new AnalysedMemories(embedder, space, { maxBytes }), 'over', ids, over)
    expect(await outcome.catch((error: Error) => error.message)).to.equal('the caller hung up')
  })
})
