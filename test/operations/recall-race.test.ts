import { describeRecallRace } from '../behaviours/recall-race.test.js'
import { shareService } from '../support/shared-service.js'

describe('concurrent recall', () => {
  describeRecallRace(shareService())
})
