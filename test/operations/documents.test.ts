import { describeDocumentQueries } from '../behaviours/document-queries.js'
import { describeDocuments } from '../behaviours/documents.js'
import { shareService } from '../support/shared-service.js'

describe('documents', () => {
  const service = shareService()
  describeDocuments(service)
  describeDocumentQueries(service)
})
