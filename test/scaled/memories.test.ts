import { describeBulkWrites } from '../behaviours/bulk-writes.test.js'
import { describeDeletions } from '../behaviours/deletions.test.js'
import { describeDocumentQueries } from '../behaviours/document-queries.test.js'
import { describeDocumentSearch } from '../behaviours/document-search.test.js'
import { describeDocuments } from '../behaviours/documents.test.js'
import { describeEntities } from '../behaviours/entities.test.js'
import { describeFoundEntities } from '../behaviours/found-entities.test.js'
import { describeHostileText } from '../behaviours/hostile-text.test.js'
import { describeNearDuplicates } from '../behaviours/near-duplicates.test.js'
import { describePersonalData } from '../behaviours/personal-data.test.js'
import { describeSettings } from '../behaviours/settings.test.js'
import { describeCrossTenant } from '../behaviours/cross-tenant.test.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('memories on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    const service = shareService({ profile: 'scaled' })
    describeBulkWrites(service)
    describeDeletions(service)
    describeDocuments(service)
    describeDocumentQueries(service)
    describeDocumentSearch(service, { indexed: true })
    describeEntities(service)
    describeFoundEntities(service)
    describeHostileText(service)
    describeNearDuplicates(service)
    describePersonalData(service)
    describeSettings(service)
    describeCrossTenant(service)
  })
})
