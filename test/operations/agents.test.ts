import { describeAgents } from '../behaviours/agents.js'
import { describeFleets } from '../behaviours/fleets.js'
import { shareService } from '../support/shared-service.js'

describe('agents', () => {
  const service = shareService({ queues: [] })
  describeAgents(service)
  describeFleets(service)
})
