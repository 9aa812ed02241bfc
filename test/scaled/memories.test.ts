import { describeBulkWrites } from '../behaviours/bulk-writes.js'
import { describeDeletions } from '../behaviours/deletions.js'
import { describeDocumentQueries } from '../behaviours/document-queries.js'
import { describeDocumentSearch } from '../behaviours/document-search.js'
import { describeDocuments } from '../behaviours/documents.js'
import { describeEntities } from '../behaviours/entities.js'
import { describeFoundEntities } from '../behaviours/found-entities.js'
import { describeHostileText } from '../behaviours/hostile-text.js'
import { describeNearDuplicates } from '../behaviours/near-duplicates.js'
import { describePersonalData } from '../behaviours/personal-data.js'
import { describeSettings } from '../behaviours/settings.js'
import { describeCrossTenant } from '../behaviours/cross-tenant.js'
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
