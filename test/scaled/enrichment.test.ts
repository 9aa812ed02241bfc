import { describeEnrichment } from '../behaviours/enrichment.test.js'
import { scaled } from '../support/services.js'

describe('with a language model on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => describeEnrichment('scaled'))
})
