import { expect } from 'chai'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'

/** What the work fails with, as it must. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )
}

/** The failure of a model behind the outage that the work fails with. */
export async function outageOf(
  dependency: UnavailableError['dependency'],
  work: Promise<unknown>,
): Promise<ModelCallError> {
  const error = await thrownBy(work)
  expect(error).to.be.instanceOf(UnavailableError)
  const { dependency: away, cause } = error as UnavailableError
  expect(away).to.equal(dependency)
  expect(cause).to.be.instanceOf(ModelCallError)
  return cause as ModelCallError
}
