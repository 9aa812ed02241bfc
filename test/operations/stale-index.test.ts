import { describeStaleIndex } from '../behaviours/stale-index.test.js'
import { shareService } from '../support/shared-service.js'

describe('recall behind a backlog', () => {
  describeStaleIndex(shareService())
})
