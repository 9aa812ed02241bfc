import { describeIdentity } from '../behaviours/identity.test.js'
import { shareService } from '../support/shared-service.js'

describe('identity', () => {
  describeIdentity(shareService())
})
