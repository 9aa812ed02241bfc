import { describeDuplicates } from '../behaviours/duplicates.test.js'
import { describeIdempotency } from '../behaviours/idempotency.test.js'
import { createMovingClock } from '../support/moving-clock.js'
import { shareService } from '../support/shared-service.js'

describe('repeated writes', () => {
  const clock = createMovingClock()
  const service = shareService({ clock })
  describeDuplicates(service, clock)
  describeIdempotency(service, clock)
})
