import { expect } from 'chai'
import { thrownBy } from './support/failures.js'
import { inTime, until } from './support/states.js'

const SHORT = { within: 30 }
const NEVER = new Promise<never>(() => undefined)

async function messageOf(wait: Promise<unknown>): Promise<string> {
  // The limit is longer on a slow or busy machine.
  return ((await thrownBy(wait)) as Error).message.replace(/^not within [\d.]+ s: /, 'not in time: ')
}

describe('a wait', () => {
  it('ends when what it looks at is true, or its assertion holds', async () => {
    let looks = 0
    await until('the third look', () => ++looks === 3)
    await until('the fifth look', () => expect(++looks).to.equal(5))
    expect(looks).to.equal(5)
  })

  it('fails with its words, its limit and what was last seen', async () => {
    const found = { pending: 3 }
    const wait = until('everything is indexed', () => expect(found).to.deep.equal({ pending: 0 }), SHORT)
    expect(await messageOf(wait)).to.equal(
      'not in time: everything is indexed; last seen: expected { pending: 3 } to deeply equal { pending: +0 }',
    )
    expect(await messageOf(until('it is so', () => false, SHORT))).to.equal('not in time: it is so')
  })

  it('fails in time when a look, or the event, never comes', async () => {
    expect(await messageOf(until('the service answers', () => NEVER, SHORT))).to.contain('the service answers')
    expect(await messageOf(inTime('the process exits', NEVER, SHORT))).to.equal('not in time: the process exits')
  })

  it('fails at once when the look fails otherwise', async () => {
    const broken = () => Promise.reject(new Error('3 rows have failed'))
    expect(await messageOf(until('everything is indexed', broken))).to.equal('3 rows have failed')
  })

  it('resolves with what the event brings', async () => {
    expect(await inTime('the event', Promise.resolve(7))).to.equal(7)
  })
})
