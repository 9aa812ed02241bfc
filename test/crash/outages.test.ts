import { describeEmbedderOutage, describePostgresOutage } from '../behaviours/outages.js'

describe('the embedded profile', function () {
  this.timeout(240_000)
  describePostgresOutage('embedded')
  describeEmbedderOutage('embedded')
})
