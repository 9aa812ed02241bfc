import { describeAgents } from '../behaviours/agents.test.js'
import { describeFleets } from '../behaviours/fleets.test.js'
import { shareService } from '../support/shared-service.js'

describe('agents', () => {
  const service = shareService({ queues: [] })
  describeAgents(service)
  describeFleets(service)
})
