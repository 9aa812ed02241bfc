import { describeKeystoneRecords } from '../behaviours/keystone-records.test.js'
import { describeKeystones } from '../behaviours/keystones.test.js'
import { scaled } from '../support/services.js'
import { shareService } from '../support/shared-service.js'

describe('keystones on the scaled profile', () => {
  scaled(['postgres', 'redis', 'opensearch'], () => {
    const service = shareService({ profile: 'scaled' })
    describeKeystones(service)
    describeKeystoneRecords(service)
  })
})
