import { describeEmbedderOutage, describePostgresOutage } from '../behaviours/outages.test.js'

describe('the embedded profile', function () {
  this.timeout(240_000)
  describePostgresOutage('embedded')
  describeEmbedderOutage('embedded')
})
