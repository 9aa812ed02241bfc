import { describeStrangers } from '../behaviours/strangers.js'
import { shareService } from '../support/shared-service.js'

describe('isolation of tenants', () => {
  describeStrangers(shareService())
})
