import { expect } from 'chai'
import { conditionsOf } from '../../domain/documents/fields.js'
import { fieldValue, type FilterValue } from '../../domain/filter-values.js'
import { type DocumentCursor, type DocumentQuery, queryDocuments } from '../../store/documents/query-documents.js'
import { explainStatements } from '../support/explained.js'
import { insertManyDocuments } from '../../bench/many-documents.js'
import { createTestStore, type TestStore } from '../support/test-store.js'

const COUNT = 100_000
const LIMIT = 50

/** Rows that a query of one tenant's 100,000 documents reads, under row level security. */
describe('queries of 100,000 documents', function () {
  this.timeout(180_000)
  let test: TestStore
  before(async () => {
    test = await createTestStore()
    await insertManyDocuments(test.url, { tenantId: 'big', collection: 'tasks', count: COUNT })
  })
  after(() => test.stop())

  type Asked = Omit<Partial<DocumentQuery>, 'where'> & { readonly where?: Readonly<Record<string, FilterValue>> }

  async function ask({ where = {}, ...given }: Asked, tenantId = 'big') {
    const conditions = conditionsOf(where)
    const defaults = { collection: 'tasks', orderBy: 'created_at', order: 'desc', limit: LIMIT } as const
    return test.store.read({ tenantId }, async (reader) => {
      const { reader: watched, plans } = explainStatements(reader)
      const { rows, hasMore } = await queryDocuments(watched, { ...defaults, ...given, where: conditions })
      const tables = plans.flatMap(({ scans }) => scans)
      expect(tables, plans.map(({ json }) => json).join('\n')).to.deep.equal([])
      return {
        rows,
        hasMore,
        rowsRead: plans.reduce((sum, plan) => sum + plan.rowsRead, 0),
        indices: new Set(plans.flatMap((plan) => plan.indices)),
        shown: plans.map(({ text, json }) => `${text}\n${json}`).join('\n\n'),
      }
    })
  }

  const tenths = Array.from({ length: 10 }, (_, i) => `tenth-${i}`)
  const cases: [name: string, query: Asked, atMost: number, index: string][] = [
    ['by a value that few have', { where: { owner: 'owner-7' } }, 400, 'document_fields_value'],
    ['by a value that half of them have', { where: { status: 'open' } }, 700, 'document_fields_value'],
    ['by a value that one has', { where: { number: 4711 } }, 10, 'document_fields_value'],
    ['by a value that none has', { where: { number: 'none' } }, 1, 'document_fields_value'],
    ['by two values', { where: { status: 'open', owner: 'owner-8' } }, 1_300, 'document_fields_value'],
    ['by two values that many have', { where: { status: 'open', team: 'team-4' } }, 3_000, 'document_fields_value'],
    ['by a member that few have', { where: { tags: 'hundred-7' } }, 400, 'document_members_value'],
    ['by a member that half of them have', { where: { tags: 'half-0' } }, 700, 'document_members_value'],
    ['by a member that none has', { where: { tags: 'none' } }, 1, 'document_members_value'],
    ['by a value and a member', { where: { owner: 'owner-8', tags: 'half-0' } }, 1_300, 'document_fields_value'],
    ['by a member and a value', { where: { status: 'open', tags: 'hundred-8' } }, 1_300, 'document_members_value'],
    ['by one of ten members that many have', { where: { tags: tenths } }, 2_500, 'document_members_value'],
    [
      'by one of ten members and a value',
      { where: { tags: tenths, owner: 'owner-8' } },
      1_300,
      'document_fields_value',
    ],
    ['in the order of creation', {}, 110, 'documents_newest'],
    ['in the order of creation, oldest first', { order: 'asc' }, 110, 'documents_newest'],
    ['in the order of changes', { orderBy: 'updated_at' }, 110, 'documents_changed'],
    ['in the order of names', { orderBy: 'doc_id' }, 110, 'documents_tenant_id_collection_doc_id_key'],
    ['in the order of a key', { orderBy: { key: 'number' } }, 110, 'document_fields_value'],
    ['in the order of a key, ascending', { orderBy: { key: 'due' }, order: 'asc' }, 110, 'document_fields_value'],
    [
      'in the order of a key, by a value that few have',
      { orderBy: { key: 'due' }, where: { owner: 'owner-3' } },
      1_000,
      'document_fields_value',
    ],
    [
      'in the order of a key, by a value that many have',
      { orderBy: { key: 'number' }, where: { team: 'team-4' } },
      4_000,
      'document_fields_value',
    ],
    [
      'in the order of changes, by a value that many have',
      { orderBy: 'updated_at', where: { team: 'team-4' } },
      4_000,
      'documents_changed',
    ],
    [
      'in the order of names, by two values',
      { orderBy: 'doc_id', where: { team: 'team-4', status: 'open' } },
      5_000,
      'documents_tenant_id_collection_doc_id_key',
    ],
    [
      'in the order of a key, by a member that few have',
      { orderBy: { key: 'due' }, where: { tags: 'hundred-3' } },
      1_000,
      'document_members_value',
    ],
    [
      'in the order of changes, by a member that many have',
      { orderBy: 'updated_at', where: { tags: 'tenth-4' } },
      4_000,
      'documents_changed',
    ],
  ]
  for (const [name, query, atMost, index] of cases)
    it(`${name} read at most ${atMost} rows, by ${index}`, async () => {
      const { rowsRead, indices, shown } = await ask(query)
      expect(rowsRead, shown).to.be.at.most(atMost)
      expect(indices, shown).to.include(index)
    })

  it('continue after a cursor without reading the rows before it', async () => {
    const after: DocumentCursor = { value: fieldValue(50_000), id: '00000000-0000-0000-0000-000000000000' }
    const next = await ask({ orderBy: { key: 'number' }, after })
    expect(next.rowsRead, next.shown).to.be.at.most(110)
    expect(next.rows[0]!.data.number).to.equal(49_999)
  })
})
