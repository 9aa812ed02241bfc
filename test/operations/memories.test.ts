import { describeBulkWrites } from '../behaviours/bulk-writes.test.js'
import { describeDeletions } from '../behaviours/deletions.test.js'
import { describeMemoryLists } from '../behaviours/memory-lists.test.js'
import { describeMemoryWrites } from '../behaviours/memory-writes.test.js'
import { describeNearDuplicates } from '../behaviours/near-duplicates.test.js'
import { describePersonalData } from '../behaviours/personal-data.test.js'
import { describeQuotas } from '../behaviours/quotas.test.js'
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
