import { describeErasure } from '../behaviours/erasure.test.js'
import { describeUnreadErasure } from '../behaviours/unread-erasure.test.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('erasure on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    describeErasure(shareService({ profile: 'scaled' }))
    describeUnreadErasure('scaled')
  })
})
