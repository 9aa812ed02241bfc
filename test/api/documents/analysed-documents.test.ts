import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { AnalysedDocuments } from '../../../api/documents/analysed-documents.js'
import type { Embedder } from '../../../models/embedder.js'
import { hydrateDocuments } from '../../../store/documents/search-rows.js'
import { insertDocuments } from '../../../store/documents/write-documents.js'
import { newDocument } from '../../support/documents.js'
import { createTestStore, type TestStore } from '../../support/test-store.js'

describe('documents that a search analyses', () => {
  const EMBEDDER = {
    id: 'none',
    inline: true,
    embed: (texts: readonly string[]) => Promise.resolve(texts.map(() => new Float32Array(4))),
  } as unknown as Embedder
  let test: TestStore
  before(async () => (test = await createTestStore()))
  after(() => test.stop())

  it('are as many as 2,000,000 characters of JSON hold, text or none, and the same search gets further the next time', async () => {
    const tenantId = `t-${randomUUID()}`
    const rows = Array.from({ length: 20 }, () => newDocument({ list: Array.from({ length: 85_000 }, () => ({})) }))
    await test.store.transact({ tenantId }, (writer) => insertDocuments(writer, rows))
    const analysed = new AnalysedDocuments(EMBEDDER)
    const found = () =>
      test.store.read({ tenantId }, async (reader) => {
        const filter = { collection: undefined, fleetId: undefined, where: [] }
        const documents = await hydrateDocuments(
          reader,
          filter,
          rows.map(({ id }) => id),
        )
        const { texts, complete } = await analysed.textsOf(reader, documents, new AbortController().signal)
        return [texts.size, complete]
      })
    expect([await found(), await found(), await found()]).to.deep.equal([
      [8, false],
      [16, false],
      [20, true],
    ])
  })
})
