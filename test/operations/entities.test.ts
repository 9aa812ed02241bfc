import { describeEntities } from '../behaviours/entities.test.js'
import { describeFoundEntities } from '../behaviours/found-entities.test.js'
import { describeHostileText } from '../behaviours/hostile-text.test.js'
import { shareService } from '../support/shared-service.js'

describe('entities and hostile text', () => {
  const service = shareService()
  describeEntities(service)
  describeFoundEntities(service)
  describeHostileText(service)
})
