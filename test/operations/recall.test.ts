import { describeRecall } from '../behaviours/recall.test.js'
import { createMovingClock } from '../support/moving-clock.js'
import { shareService } from '../support/shared-service.js'

describe('recall', () => {
  const clock = createMovingClock()
  describe('without workers', () => describeRecall(shareService({ clock, queues: [] }), { indexed: false, clock }))
  describe('with workers', () => describeRecall(shareService({ clock }), { indexed: true, clock }))
})
