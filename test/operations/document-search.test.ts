import { describeDocumentSearch } from '../behaviours/document-search.js'
import { shareService } from '../support/shared-service.js'

describe('search of documents', () => {
  describe('without workers', () => describeDocumentSearch(shareService({ queues: [] }), { indexed: false }))
  describe('with workers', () => describeDocumentSearch(shareService(), { indexed: true }))
})
