import { describeAgents } from '../behaviours/agents.test.js'
import { describeFleets } from '../behaviours/fleets.test.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('agents on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    const service = shareService({ profile: 'scaled' })
    describeAgents(service)
    describeFleets(service)
  })
})
