import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { conditionsOf } from '../../../../domain/documents/fields.js'
import type { FilterValue } from '../../../../domain/filter-values.js'
import { PassingDocuments } from '../../../../services/retrieval/documents/passing-documents.js'
import type { DocumentRow } from '../../../../store/documents/document-row.js'
import {
  hydrateDocuments,
  readDocumentTail,
  readLastChanged,
  readUndecided,
} from '../../../../store/documents/search-rows.js'
import { insertDocuments } from '../../../../store/documents/write-documents.js'
import type { Reader } from '../../../../store/store.js'
import { newDocument } from '../../../support/documents.js'
import { explainStatements } from '../../../support/explained.js'
import { createTestStore, type TestStore } from '../../../support/test-store.js'

const going = new AbortController().signal
const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, i) => from + i)

describe('documents that pass a filter', () => {
  let test: TestStore
  let tenantId: string
  before(async () => (test = await createTestStore()))
  after(() => test.stop())
  beforeEach(() => (tenantId = `t-${randomUUID()}`))

  /** A document whose data must be read, with so many further bytes, which PostgreSQL compresses. */
  const long = (ids: readonly number[], padding = 0) => newDocument({ ids, text: 'x'.repeat(padding) })
  const short = (ids: readonly number[]) => newDocument({ ids })
  const filterOf = (where: Readonly<Record<string, FilterValue>>) => ({
    collection: undefined,
    fleetId: undefined,
    where: conditionsOf(where),
  })
  const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)
  const store = (rows: readonly DocumentRow[]) =>
    test.store.transact({ tenantId }, (writer) => insertDocuments(writer, rows))

  /** Returns what tells the documents of a filter, and the number of transactions that it made. */
  function telling(
    where: Readonly<Record<string, FilterValue>>,
    options: { mostBytes?: number; signal?: AbortSignal } = {},
  ) {
    const { signal = going, ...bound } = options
    let reads = 0
    const read = <T>(work: (reader: Reader) => Promise<T>) => {
      reads++
      return test.store.readAtOnce({ tenantId }, work)
    }
    return { passing: new PassingDocuments(read, filterOf(where), signal, bound), reads: () => reads }
  }

  it('are told in one read where no data decides', async () => {
    const rows = numbers(100).map((i) => short([i % 2, 7]))
    await store(rows)
    const { passing, reads } = telling({ ids: [1, 'none'] })
    expect(idsOf(await passing.among(idsOf(rows)))).to.deep.equal(idsOf(rows.filter((_, i) => i % 2 === 1)))
    expect(reads()).to.equal(1)
  })

  it('are told from the data in the order that was given, 16 documents in each read', async () => {
    const rows = numbers(50).map((i) => (i % 5 === 0 ? short([i]) : long([...numbers(300, 1_000), i])))
    await store(rows)
    const order = [...rows].reverse()
    const { passing, reads } = telling({ ids: numbers(25) })
    const wanted = order.filter((row) => rows.indexOf(row) < 25)
    const found = await passing.among(idsOf(order))
    expect(idsOf(found)).to.deep.equal(idsOf(wanted))
    expect(new Set(found.map(({ version, updatedAt }) => `${version} ${updatedAt}`)).size).to.equal(1)
    expect(reads()).to.equal(1 + 3)
  })

  it('are read from the data until so many bytes were read, uncompressed, in all calls together', async () => {
    const rows = numbers(60).map((i) => (i % 3 === 0 ? short([5]) : long(numbers(300), 30_000)))
    await store(rows)
    const { passing, reads } = telling({ ids: 5 }, { mostBytes: 20 * 30_000 })
    const found = idsOf(await passing.among(idsOf(rows)))
    const undecided = rows.filter((_, i) => i % 3 !== 0)
    expect(idsOf(undecided).filter((id) => found.includes(id))).to.deep.equal(idsOf(undecided.slice(0, 32)))
    expect(found).to.have.length(20 + 32)
    expect(reads()).to.equal(1 + 2)
    expect(await passing.among(idsOf(rows))).to.have.length(20)
    expect(reads()).to.equal(1 + 2 + 1)
  })

  it('are not read from the data of further documents once enough pass', async () => {
    const rows = numbers(60).map((i) => long([...numbers(300, 1_000), i % 2]))
    await store(rows)
    const { passing, reads } = telling({ ids: 1 })
    expect(idsOf(await passing.among(idsOf(rows), 10))).to.deep.equal(
      idsOf(rows.filter((_, i) => i % 2 === 1)).slice(0, 10),
    )
    expect(reads()).to.equal(1 + 2)
  })

  it('are not read from the data once the search is over', async () => {
    const rows = [long(numbers(300))]
    await store(rows)
    const { passing } = telling({ ids: 1 }, { signal: AbortSignal.abort(new Error('over')) })
    const outcome = await passing.among(idsOf(rows)).catch((error: unknown) => error)
    expect(outcome).to.be.an('error').with.property('message', 'over')
  })

  it('are compared with many values by a hash of these, so that each list is read once', async () => {
    const rows = [long([...numbers(300), -1]), long(numbers(300)), newDocument({ ids: { 1: 1 }, more: numbers(300) })]
    await store(rows)
    const plans = await test.store.read({ tenantId }, async (reader) => {
      await sql`set local plan_cache_mode = force_generic_plan`.execute(reader.db)
      const { reader: watched, plans } = explainStatements(reader)
      const found = await readUndecided(watched, filterOf({ ids: numbers(100, -100) }), idsOf(rows))
      expect(idsOf(found.filter(({ passes }) => passes))).to.deep.equal([rows[0]!.id])
      return plans
    })
    expect(plans[0]!.json).to.match(/"Hash Cond": "\(m\.member = /)
  })

  it('and those that may are found without reading data, the pending and the newest too', async () => {
    const rows = [long(numbers(300)), short([1]), short([2])]
    await store(rows)
    const filter = filterOf({ ids: [1, 'none'] })
    const { found, plans } = await test.store.read({ tenantId }, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      const found = [
        idsOf(await hydrateDocuments(watched, filter, idsOf(rows))),
        await readLastChanged(watched, filter, 10),
        (await readDocumentTail(watched, filter, 10)).ids,
      ]
      return { found, plans }
    })
    for (const ids of found) expect(ids).to.have.members(idsOf(rows.slice(0, 2)))
    for (const { text } of plans) expect(text).not.to.include('jsonb[]')
  })
})
