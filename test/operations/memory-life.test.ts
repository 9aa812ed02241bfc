import { describeChanges } from '../behaviours/changing-memories.test.js'
import { describeRedistribution } from '../behaviours/redistribution.test.js'
import { describeSuperseding } from '../behaviours/superseding.test.js'
import { shareService } from '../support/shared-service.js'

describe("a memory's life", () => {
  const service = shareService()
  describeChanges(service)
  describeSuperseding(service)
  describeRedistribution(service)
})
