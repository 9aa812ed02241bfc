import { describeChanges } from '../behaviours/changing-memories.js'
import { describeRedistribution } from '../behaviours/redistribution.js'
import { describeSuperseding } from '../behaviours/superseding.js'
import { shareService } from '../support/shared-service.js'

describe("a memory's life", () => {
  const service = shareService()
  describeChanges(service)
  describeSuperseding(service)
  describeRedistribution(service)
})
