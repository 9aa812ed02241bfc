import { expect } from 'chai'
import { createLifecycle, onStopRequest } from '../../runtime/lifecycle.js'
import { createLogger } from '../../runtime/logger.js'
import { gate, until } from '../support/states.js'

const logger = createLogger('silent')

/** Hands a signal to the listener that was added last: the one of the tests' reporter ends the run. */
function deliver(signal: NodeJS.Signals): void {
  process.listeners(signal).at(-1)!(signal)
}

describe('the lifecycle', () => {
  const failure = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error: Error) => error.message,
    )

  it('stops parts in reverse order, each once', async () => {
    const events: string[] = []
    const lifecycle = createLifecycle(logger)
    for (const name of ['a', 'b', 'c'])
      await lifecycle.start(
        name,
        () => name,
        async (part) => {
          await Promise.resolve()
          events.push(part)
        },
      )
    await Promise.all([lifecycle.stop(), lifecycle.stop()])
    expect(events).to.deep.equal(['c', 'b', 'a'])
  })

  it('stops what has started when a part fails to start, and throws its error', async () => {
    const events: string[] = []
    const lifecycle = createLifecycle(logger)
    await lifecycle.start(
      'a',
      () => 'a',
      (part) => events.push(part),
    )
    const refused = lifecycle.start('b', () => Promise.reject(new Error('port taken')))
    expect(await failure(refused)).to.equal('port taken')
    expect(events).to.deep.equal(['a'])
    expect(await failure(lifecycle.start('c', () => 'c'))).to.match(/c was not started/)
  })

  it('continues to stop when a part fails to stop', async () => {
    const events: string[] = []
    const lifecycle = createLifecycle(logger)
    await lifecycle.start(
      'a',
      () => 'a',
      (part) => events.push(part),
    )
    await lifecycle.start(
      'b',
      () => 'b',
      () => Promise.reject(new Error('stuck')),
    )
    await lifecycle.stop()
    expect(events).to.deep.equal(['a'])
  })

  it('names the part that is being stopped, and its pieces that have not', async () => {
    const lifecycle = createLifecycle(logger)
    const [chores, relay] = [gate(), gate()]
    await lifecycle.start(
      'store',
      () => 'store',
      () => undefined,
    )
    await lifecycle.start(
      'workers',
      () => 'workers',
      (_, awaitStop) => Promise.all([awaitStop('chores', chores.opened), awaitStop('relay', relay.opened)]),
    )
    expect(lifecycle.stopping()).to.equal(null)
    const stopped = lifecycle.stop()
    expect(lifecycle.stopping()).to.equal('workers (chores, relay)')
    chores.open()
    await until('one piece has stopped', () => expect(lifecycle.stopping()).to.equal('workers (relay)'))
    relay.open()
    await stopped
    expect(lifecycle.stopping()).to.equal(null)
  })

  it('starts nothing more once it is aborted', async () => {
    const breaking = new AbortController()
    const events: string[] = []
    const lifecycle = createLifecycle(logger, breaking.signal)
    await lifecycle.start(
      'a',
      () => 'a',
      (part) => events.push(part),
    )
    breaking.abort(new Error('asked to stop'))
    expect(await failure(lifecycle.start('b', () => events.push('started')))).to.equal('asked to stop')
    expect(events).to.deep.equal(['a'])
  })

  it('treats the first signal as a request, and a second as force that is no repetition of it', async () => {
    const forced: string[] = []
    let now = 0
    const clock = { now: () => now }
    const before = process.listenerCount('SIGTERM')
    const requested = onStopRequest((signal) => forced.push(signal), clock)
    deliver('SIGINT')
    expect(await requested.received).to.equal('SIGINT')
    now += 499
    deliver('SIGINT')
    expect(forced).to.deep.equal([])
    now += 1
    deliver('SIGINT')
    expect(forced).to.deep.equal(['SIGINT'])
    requested.release()
    expect(process.listenerCount('SIGTERM')).to.equal(before)
  })

  it('does not force on repeated SIGHUP of a closed terminal, but on a later signal', async () => {
    const forced: string[] = []
    let now = 0
    const clock = { now: () => now }
    const requested = onStopRequest((signal) => forced.push(signal), clock)
    deliver('SIGHUP')
    now += 1_000
    requested.ask('output closed')
    deliver('SIGHUP')
    expect([await requested.received, forced]).to.deep.equal(['SIGHUP', []])
    deliver('SIGTERM')
    expect(forced).to.deep.equal(['SIGTERM'])
    requested.release()
  })
})
