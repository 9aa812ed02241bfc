import { describeStatisticsRace } from '../behaviours/statistics-race.test.js'
import { describeStatistics } from '../behaviours/statistics.test.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('memory statistics on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    describeStatistics(shareService({ profile: 'scaled' }))

    describe('under load', () => describeStatisticsRace('scaled', { runs: 1 }))
  })
})
