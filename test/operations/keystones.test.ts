import { describeKeystoneRecords } from '../behaviours/keystone-records.js'
import { describeKeystones } from '../behaviours/keystones.js'
import { shareService } from '../support/shared-service.js'

describe('keystones', () => {
  const service = shareService()
  describeKeystones(service)
  describeKeystoneRecords(service)
})
