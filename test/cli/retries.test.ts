import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { withRetries } from '../../cli/retries.js'
import { NoAnswerError, ServiceRefusal } from '../../cli/service-client.js'

describe('retries of a command', () => {
  it('return the first answer while the service is unavailable or busy', async () => {
    const failures = [new NoAnswerError('no answer'), new ServiceRefusal('busy', true, null, 'UNAVAILABLE')]
    const attempt = () => (failures.length > 0 ? Promise.reject(failures.shift()!) : Promise.resolve('done'))
    expect(await withRetries(1, attempt)).to.equal('done')
  })

  it('end after eight attempts with the last error', async () => {
    let attempts = 0
    const failed = await withRetries(1, () => Promise.reject(new NoAnswerError(`attempt ${++attempts}`))).catch(String)
    expect([attempts, failed]).to.deep.equal([8, 'CommandError: attempt 8'])
  })

  it('never follow a refusal that another attempt would not change', async () => {
    let attempts = 0
    const refusal = new ServiceRefusal('no', false, null, 'CONFLICT')
    const failed = await withRetries(1, () => (attempts++, Promise.reject(refusal))).catch((error: unknown) => error)
    expect([attempts, failed]).to.deep.equal([1, refusal])
  })

  it('wait as long as Retry-After says', async () => {
    const failures = [new ServiceRefusal('busy', true, 0.2, 'RATE_LIMITED')]
    const order: string[] = []
    const waited = sleep(100).then(() => order.push('100 ms'))
    await withRetries(1, () => {
      order.push('attempt')
      return failures.length > 0 ? Promise.reject(failures.shift()!) : waited
    })
    expect(order).to.deep.equal(['attempt', '100 ms', 'attempt'])
  })
})
