import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { withTimeout } from '../../runtime/clock.js'

describe('a time limit', () => {
  const messageOf = (work: Promise<unknown>) => work.catch((error: Error) => error.message)

  it('passes on the result, and the error, of work that ends in time', async () => {
    expect(await withTimeout(60_000, Promise.resolve(1))).to.equal(1)
    expect(await messageOf(withTimeout(60_000, Promise.reject(new Error('away'))))).to.equal('away')
  })

  it('drops a result, and an error, that comes later', async () => {
    const late = sleep(20).then(() => Promise.reject(new Error('too late')))
    expect(await messageOf(withTimeout(5, late))).to.equal('no answer within 0.005 s')
    await late.catch(() => undefined)
  })
})
