import { describeVisibility } from '../behaviours/visibility.test.js'
import { shareService } from '../support/shared-service.js'

describe('visibility', () => {
  describe('without workers', () => describeVisibility(shareService({ queues: [] }), { indexed: false }))
  describe('with workers', () => describeVisibility(shareService(), { indexed: true }))
})
