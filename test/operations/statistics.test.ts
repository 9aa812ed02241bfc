import { describeStatisticsRace } from '../behaviours/statistics-race.test.js'
import { describeStatistics } from '../behaviours/statistics.test.js'
import { shareService } from '../support/shared-service.js'

describe('memory statistics', () => {
  describeStatistics(shareService())

  describe('under load', () => describeStatisticsRace('embedded', { runs: 1 }))
})
