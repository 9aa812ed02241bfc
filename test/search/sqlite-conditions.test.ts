import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { SearchAnswer, SearchIndex } from '../../search/search-index.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { DIMENSIONS, document, filter, ids, unit } from './seeds.js'

const ROWS = 3_000
/** Rows whose metadata pass; the newest 1,024 are evaluated whatever time is left, and the first two are older. */
const PASSING = [0, 1_500, 2_999]
const CONDITION = { kind: 'terms', anyOf: ['passes'] } as const
const LEGS = ['vector', 'keyword', 'entity'] as const

describe('sqlite conditions of callers in a large tenant', function () {
  this.timeout(60_000)
  let directory: string
  let index: SearchIndex
  const open = (filterMs?: number) =>
    createSqliteIndex({ directory, embedderId: 'test/model', dimensions: DIMENSIONS, generation: '00000001', filterMs })

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
    index = open()
    await index.make('first')
    const rows = Array.from({ length: ROWS }, (_, i) => ({
      id: `m${i}`,
      seq: i + 1,
      document: document({
        terms: ['all', i % 2 === 0 ? 'even' : 'odd'],
        entityIds: ['e'],
        vector: unit(1, i / ROWS),
        metadataTerms: PASSING.includes(i) ? ['passes'] : ['fails'],
      }),
    }))
    for (let at = 0; at < ROWS; at += 500) await index.for('t').write(rows.slice(at, at + 500))
  })
  afterEach(() => index.stop())
  after(() => rm(directory, { recursive: true, force: true }))

  /** Searches by each leg, whose every document matches. */
  function search(isConditional: boolean): Promise<SearchAnswer> {
    return index.for('t').search({
      filter: filter(isConditional ? { condition: CONDITION } : { runId: 'absent' }),
      size: 10,
      keyword: { terms: ['all', 'even', 'odd'] },
      vector: { vector: unit(1) },
      entity: { entityIds: ['e'] },
    })
  }

  it('find the rows of any age that pass, in every leg', async () => {
    const answer = await search(true)
    expect(answer.failed).to.deep.equal([])
    for (const leg of LEGS) expect(ids(answer, leg).sort(), leg).to.deep.equal(['m0', 'm1500', 'm2999'])
  })

  it('find the newest rows that pass when the time is used up, and each leg says that it failed', async () => {
    index = open(0)
    const answer = await search(true)
    expect(answer.failed).to.deep.equal([...LEGS])
    for (const leg of LEGS) expect(ids(answer, leg), leg).to.deep.equal(['m2999'])
  })

  it('are alone in having a limit of time', async () => {
    index = open(0)
    const answer = await search(false)
    expect(answer.failed).to.deep.equal([])
    for (const leg of LEGS) expect(ids(answer, leg), leg).to.deep.equal([])
  })
})
