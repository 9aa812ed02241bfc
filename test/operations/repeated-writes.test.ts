import { describeDuplicates } from '../behaviours/duplicates.js'
import { describeIdempotency } from '../behaviours/idempotency.js'
import { createMovingClock } from '../support/moving-clock.js'
import { shareService } from '../support/shared-service.js'

describe('repeated writes', () => {
  const clock = createMovingClock()
  const service = shareService({ clock })
  describeDuplicates(service, clock)
  describeIdempotency(service, clock)
})
