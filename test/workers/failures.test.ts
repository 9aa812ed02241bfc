import { expect } from 'chai'
import { ModelCallError } from '../../models/model-call.js'
import { TimeoutError, UnavailableError } from '../../runtime/errors.js'
import { EngineFailure } from '../../search/opensearch/connection.js'
import { describeFailure } from '../../workers/failures.js'

describe('the description of a failure', () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' })
  const cases: [failure: unknown, expected: string][] = [
    [new UnavailableError('postgres', refused), 'postgres unreachable (Error ECONNREFUSED)'],
    [new UnavailableError('postgres', undefined, 'disk_full'), 'postgres disk_full'],
    [
      new UnavailableError('search', new EngineFailure('opensearch: 429', false, 429, 'rejected_execution_exception')),
      'search unreachable (EngineFailure rejected_execution_exception)',
    ],
    [new EngineFailure('opensearch: 503', true, 503), 'EngineFailure 503'],
    [new UnavailableError('embedder', new ModelCallError('refused', 'a text')), 'ModelCallError refused'],
    [new TimeoutError('a text'), 'TimeoutError'],
    [refused, 'Error ECONNREFUSED'],
    ['a text', 'unknown failure'],
  ]
  for (const [failure, expected] of cases)
    it(`is ${expected}, without its message`, () => {
      expect(describeFailure(failure)).to.equal(expected)
    })
})
