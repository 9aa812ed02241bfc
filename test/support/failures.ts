import { expect } from 'chai'
import type { ModelHealth } from '../../models/call-lanes.js'
import { ModelCallError } from '../../models/model-call.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { RecordedLog } from './recorded-log.js'
import { until } from './states.js'
import type { EndpointFault } from './stub-endpoint.js'

/** Returns the error that the work throws, as it must. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error,
  )
}

/** Returns the failure of a model behind the outage that the work throws. */
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

interface Failing {
  readonly stub: { fail(fault: EndpointFault): void; recover(): void }
  readonly model: { health(): ModelHealth }
  readonly log: RecordedLog
  /** A call that fails by itself where the stub does not. */
  readonly ask: () => Promise<unknown>
}

/**
 * Returns all messages of a model that fails in every way, from errors, health and log. Its circuit must open with each
 * failure.
 */
export async function failureMessages(
  { stub, model, log, ask }: Failing,
  faults: readonly (EndpointFault | null)[] = [400, 500, 'not json', 'drop'],
): Promise<string> {
  const told: string[] = []
  for (const fault of faults) {
    if (fault !== null) stub.fail(fault)
    const error = (await thrownBy(ask())) as Error
    const cause = error.cause as Error | undefined
    told.push(error.message, String(error.stack), String(cause?.stack), JSON.stringify(model.health()))
    stub.recover()
    await until('the model is available', () => model.health().available)
  }
  expect(log.lines).to.not.be.empty
  return [...told, JSON.stringify(log.lines)].join('\n')
}
