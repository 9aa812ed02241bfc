import { describeIdentity } from '../behaviours/identity.js'
import { shareService } from '../support/shared-service.js'

describe('identity', () => {
  describeIdentity(shareService())
})
