import { describeEnrichment } from '../behaviours/enrichment.js'

describe('with a language model', () => {
  describeEnrichment('embedded')
})
