import { describeDegradedRecall } from '../behaviours/degraded-recall.test.js'
import { describeRecallRace } from '../behaviours/recall-race.test.js'
import { describeRecall } from '../behaviours/recall.test.js'
import { describeStaleIndex } from '../behaviours/stale-index.test.js'
import { describeVisibility } from '../behaviours/visibility.test.js'
import { createMovingClock } from '../support/moving-clock.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('recall on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    const clock = createMovingClock()
    const service = shareService({ profile: 'scaled', clock })
    describeRecall(service, { indexed: true, clock })
    describeVisibility(service, { indexed: true })
    describeRecallRace(service)
    describeStaleIndex(service)
    describeDegradedRecall({ profile: 'scaled' })
  })
})
