import { describeMemoryWrites } from '../behaviours/memory-writes.js'
import { shareService } from '../support/shared-service.js'

describe('memories', () => {
  const service = shareService({ queues: [] })
  describeMemoryWrites(service)
})
