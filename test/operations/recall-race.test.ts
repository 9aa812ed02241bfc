import { describeRecallRace } from '../behaviours/recall-race.js'
import { shareService } from '../support/shared-service.js'

describe('concurrent recall', () => {
  describeRecallRace(shareService())
})
