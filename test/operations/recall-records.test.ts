import { describeRecallRecords } from '../behaviours/recall-records.test.js'
import { shareService } from '../support/shared-service.js'

describe('recall records', () => describeRecallRecords(shareService()))
