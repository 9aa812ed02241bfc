import { describeBulkWrites } from '../behaviours/bulk-writes.js'
import { describeDeletions } from '../behaviours/deletions.js'
import { describeMemoryLists } from '../behaviours/memory-lists.js'
import { describeMemoryWrites } from '../behaviours/memory-writes.js'
import { describeNearDuplicates } from '../behaviours/near-duplicates.js'
import { describePersonalData } from '../behaviours/personal-data.js'
import { describeQuotas } from '../behaviours/quotas.js'
import { shareService } from '../support/shared-service.js'

describe('memories', () => {
  const service = shareService()
  describeMemoryWrites(service)
  describeBulkWrites(service)
  describeQuotas(service)
  describePersonalData(service)
  describeNearDuplicates(service)
  describeMemoryLists(service)
  describeDeletions(service)
})
