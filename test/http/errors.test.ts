import { expect } from 'chai'
import { answerOfError, HttpError, InvalidRequestError, itemErrorOf } from '../../http/errors.js'
import * as errors from '../../runtime/errors.js'

const FAULT = { path: ['weight'], msg: 'Must be at most 1.', type: 'value_error', input: 2 }
const LISTED = { loc: ['body', 'weight'], msg: 'Must be at most 1.', type: 'value_error', input: 2 }

/** An error of each class of `runtime/errors.ts`, and the status and code of its answer. */
const ANSWERS: Record<string, [error: errors.CairnError, status: number, code: string]> = {
  InvalidArgumentsError: [new errors.InvalidArgumentsError([FAULT]), 422, 'INVALID_ARGUMENTS'],
  IdempotencyMismatchError: [new errors.IdempotencyMismatchError(), 422, 'INVALID_ARGUMENTS'],
  QuotaError: [new errors.QuotaError('Full.'), 402, 'PAYMENT_REQUIRED'],
  TrustError: [new errors.TrustError(2, 1), 403, 'FORBIDDEN'],
  ForbiddenError: [new errors.ForbiddenError('No.'), 403, 'FORBIDDEN'],
  NotFoundError: [new errors.NotFoundError('Memory'), 404, 'NOT_FOUND'],
  ConflictError: [new errors.ConflictError('Taken.'), 409, 'CONFLICT'],
  BacklogError: [new errors.BacklogError('Later.'), 429, 'RATE_LIMITED'],
  UnavailableError: [new errors.UnavailableError('search'), 503, 'UNAVAILABLE'],
  TimeoutError: [new errors.TimeoutError('Late.'), 504, 'UPSTREAM_TIMEOUT'],
}

describe('an error', () => {
  it('has an answer whatever its class', () => {
    const classes = Object.entries(errors).filter(
      ([name, type]) => name !== 'CairnError' && type.prototype instanceof errors.CairnError,
    )
    expect(classes.map(([name]) => name)).to.have.members(Object.keys(ANSWERS))
    for (const [name, [error, status, code]] of Object.entries(ANSWERS)) {
      expect(error.name).to.equal(name)
      const answer = answerOfError(error, 'id')
      expect([answer.status, (answer.body as { error: { code: string } }).error.code]).to.deep.equal([status, code])
    }
  })

  it('of a class that HTTP does not know tells the caller only the request id', () => {
    class OtherError extends errors.CairnError {}
    const { status, body } = answerOfError(new OtherError('Private.'), 'id')
    expect([status, JSON.stringify(body).includes('Private.')]).to.deep.equal([500, false])
  })

  it('in a field of the input is an error in the body, in the list and in the message', () => {
    const message = 'body.weight: Must be at most 1.'
    expect(answerOfError(new errors.InvalidArgumentsError([FAULT]), 'id')).to.deep.equal({
      status: 422,
      headers: {},
      body: { error: { code: 'INVALID_ARGUMENTS', message, details: { errors: [LISTED] } }, detail: [LISTED] },
    })
    const { body } = answerOfError(errors.InvalidArgumentsError.at([], 'Name a field.'), 'id')
    expect(body).to.have.nested.property('error.message', 'body: Name a field.')
  })

  it('that a repetition may settle says when, in Retry-After', () => {
    const headersOf = (error: errors.CairnError) => answerOfError(error, 'id').headers
    expect(headersOf(new errors.ConflictError('In progress.', { retryAfterS: 1 }))).to.deep.equal({
      'Retry-After': '1',
    })
    expect(headersOf(new errors.UnavailableError('postgres'))).to.deep.equal({ 'Retry-After': '1' })
    expect(headersOf(new HttpError(405, 'No.', { headers: { Allow: 'GET' } }))).to.deep.equal({ Allow: 'GET' })
    expect(headersOf(new errors.ConflictError('Taken.'))).to.deep.equal({})
  })

  it('of an item of a bulk operation is listed with the code and the details of its own answer', () => {
    const conflict = new errors.ConflictError('Taken.', { details: { existing_id: 'x' } })
    expect(itemErrorOf(conflict)).to.deep.equal({ code: 'CONFLICT', message: 'Taken.', details: { existing_id: 'x' } })
    expect(itemErrorOf(new errors.QuotaError('Full.'))).to.deep.equal({ code: 'PAYMENT_REQUIRED', message: 'Full.' })
    const listed = {
      code: 'INVALID_ARGUMENTS',
      message: 'body.weight: Must be at most 1.',
      details: { errors: [LISTED] },
    }
    expect(itemErrorOf(new errors.InvalidArgumentsError([FAULT]))).to.deep.equal(listed)
    expect(itemErrorOf(new InvalidRequestError([LISTED]))).to.deep.equal(listed)
  })
})
