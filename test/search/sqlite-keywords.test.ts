import type { RecallFilter } from '../../domain/recall-filter.js'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { IndexDocument, SearchIndex } from '../../search/search-index.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { DIMENSIONS, document, filter, ids } from './seeds.js'

describe('sqlite keywords in a large tenant', function () {
  this.timeout(60_000)
  let directory: string
  let index: SearchIndex
  const SIZE = 10

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
    index = createSqliteIndex({ directory, embedderId: 'test/model', dimensions: DIMENSIONS, generation: '00000001' })
    await index.make('first')
    const documents = Array.from({ length: 6_000 }, (_, i) => [`m${i}`, row(i)] as const)
    for (let at = 0; at < documents.length; at += 500)
      await index
        .for('t')
        .write(
          documents.slice(at, at + 500).map(([id, fields], i) => ({ id, seq: at + i + 1, document: document(fields) })),
        )
  })
  after(async () => {
    await index.stop()
    await rm(directory, { recursive: true, force: true })
  })

  /** Every row has `all`, every second `half`, 60 `sixty`, three `three`, 60 `odd` and all others `most`; bob's 3,000 hidden rows have `sixty` and `odd` too. */
  function row(i: number): Partial<IndexDocument> {
    const isBob = i >= 3_000
    return {
      terms: [
        'all',
        ...(i % 2 === 0 ? ['half'] : []),
        ...(isBob || i % 50 === 0 ? ['sixty'] : []),
        ...(isBob || i % 50 === 1 ? ['odd'] : ['most']),
        ...(i % 1_000 === 0 ? ['three'] : []),
        `own${i}`,
      ],
      agentId: isBob ? 'bob' : 'alice',
      visibility: isBob ? 'scope_agent' : 'scope_org',
      runId: `run${i % 500}`,
    }
  }
  async function search(terms: readonly string[], fields: Partial<RecallFilter> = {}): Promise<string[]> {
    const answer = await index.for('t').search({ filter: filter(fields), size: SIZE, keyword: { terms } })
    expect(answer.failed).to.eql([])
    return ids(answer, 'keyword')
  }
  const numbers = (found: readonly string[]) => found.map((id) => Number(id.slice(1)))

  it('finds the rows with a rare term first, and fills up with rows that have common ones', async () => {
    const found = await search(['all', 'half', 'three'])
    expect(found.slice(0, 3)).to.have.members(['m0', 'm1000', 'm2000'])
    expect(found).to.have.length(SIZE)
    expect(numbers(found).every((i) => i % 2 === 0)).to.equal(true)
  })

  it('finds rows with common terms alone when the rare one is of few rows', async () => {
    const found = await search(['all', 'own77'])
    expect(found[0]).to.equal('m77')
    expect(found).to.have.length(SIZE)
  })

  it('finds every row that passes a filter, though those with rare terms do not', async () => {
    const found = await search(['all', 'half', 'sixty'], { runId: 'run7' })
    expect(found).to.have.members(['m7', 'm507', 'm1007', 'm1507', 'm2007', 'm2507'])
  })

  it('chooses by the counts of what the caller sees', async () => {
    // For everybody else 60 rows have `sixty`, for bob 3,060; hidden rows make it no less rare.
    const found = numbers(await search(['all', 'half', 'sixty']))
    expect(found.every((i) => i % 50 === 0 && i < 3_000)).to.equal(true)
    expect(found).to.have.length(SIZE)
    const odd = numbers(await search(['most', 'odd']))
    expect(odd.every((i) => i % 50 === 1 && i < 3_000)).to.equal(true)
    expect(odd).to.have.length(SIZE)
    const bob = await search(['all', 'half', 'sixty'], { audience: { kind: 'own', agentId: 'bob' } })
    expect(numbers(bob).every((i) => i >= 3_000 && i % 2 === 0)).to.equal(true)
    expect(bob).to.have.length(SIZE)
  })

  it('finds nothing, and does not fail, for unknown terms beside none', async () => {
    expect(await search(['absent', 'unknown'])).to.eql([])
  })
})
