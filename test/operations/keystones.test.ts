import { describeKeystoneRecords } from '../behaviours/keystone-records.test.js'
import { describeKeystones } from '../behaviours/keystones.test.js'
import { shareService } from '../support/shared-service.js'

describe('keystones', () => {
  const service = shareService()
  describeKeystones(service)
  describeKeystoneRecords(service)
})
