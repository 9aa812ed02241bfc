import { describeDocumentQueries } from '../behaviours/document-queries.test.js'
import { describeDocuments } from '../behaviours/documents.test.js'
import { shareService } from '../support/shared-service.js'

describe('documents', () => {
  const service = shareService()
  describeDocuments(service)
  describeDocumentQueries(service)
})
