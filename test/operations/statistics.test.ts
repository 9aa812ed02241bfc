import { describeStatistics } from '../behaviours/statistics.js'
import { shareService } from '../support/shared-service.js'

describe('memory statistics', () => {
  describeStatistics(shareService())
})
