import { describeBulkWrites } from '../behaviours/bulk-writes.js'
import { describeMemoryWrites } from '../behaviours/memory-writes.js'
import { describeQuotas } from '../behaviours/quotas.js'
import { shareService } from '../support/shared-service.js'

describe('memories', () => {
  const service = shareService({ queues: [] })
  describeMemoryWrites(service)
  describeBulkWrites(service)
  describeQuotas(service)
})
