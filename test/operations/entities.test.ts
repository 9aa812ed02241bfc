import { describeEntities } from '../behaviours/entities.js'
import { describeFoundEntities } from '../behaviours/found-entities.js'
import { describeHostileText } from '../behaviours/hostile-text.js'
import { shareService } from '../support/shared-service.js'

describe('entities and hostile text', () => {
  const service = shareService()
  describeEntities(service)
  describeFoundEntities(service)
  describeHostileText(service)
})
