import { expect } from 'chai'
import type { AnalysedDocuments } from '../../services/documents/analysed-documents.js'
import { describeDocumentSearch } from '../behaviours/document-search.test.js'
import { newTenant } from '../support/tenants.js'
import { shareService } from '../support/shared-service.js'

describe('search of documents', () => {
  describe('without workers', () => describeDocumentSearch(shareService({ queues: [] }), { indexed: false }))
  describe('with workers', () => describeDocumentSearch(shareService(), { indexed: true }))

  describe('while documents change', () => {
    const service = shareService({ queues: [] })

    /** Runs once, between the scoring and the last read. */
    function meanwhile(change: () => Promise<void>): void {
      const context = service().context as { analysedDocuments: AnalysedDocuments }
      const { analysedDocuments } = context
      context.analysedDocuments = {
        async textsOf(...given: Parameters<AnalysedDocuments['textsOf']>) {
          context.analysedDocuments = analysedDocuments
          const found = await analysedDocuments.textsOf(...given)
          await change()
          return found
        },
      } as AnalysedDocuments
    }

    it('returns documents as they are at its end, and none that was deleted or no longer passes the filter', async () => {
      const ana = await newTenant(service()).caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
      const text = 'The harbour is closed.'
      for (const docId of ['stays', 'changes', 'goes', 'leaves', 'moves'])
        await ana.documents.put('notes', docId, { text, team: 'a' }).ok()
      const where = { collection: 'notes', fleet_id: 'red', where: { team: 'a' } }
      const search = async () => {
        const { body } = await ana.documents.search('harbour', where)
        return Object.fromEntries((body.results as { doc_id: string; data: object }[]).map((r) => [r.doc_id, r.data]))
      }
      meanwhile(async () => {
        await ana.documents.put('notes', 'changes', { text: 'The harbour is open.', team: 'a' }).ok()
        await ana.documents.delete('notes', 'goes').ok()
        await ana.documents.put('notes', 'leaves', { text, team: 'b' }).ok()
        await ana.documents.put('notes', 'moves', { text, team: 'a' }, { fleet_id: 'blue' }).ok()
      })
      const after = { stays: { text, team: 'a' }, changes: { text: 'The harbour is open.', team: 'a' } }
      expect(await search()).to.deep.equal(after)
      expect(await search()).to.deep.equal(after)
    })
  })
})
