import { describeErasure } from '../behaviours/erasure.js'
import { shareService } from '../support/shared-service.js'

describe('erasure', () => describeErasure(shareService()))
