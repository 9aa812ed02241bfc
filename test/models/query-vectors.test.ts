import { expect } from 'chai'
import type { Embedder } from '../../models/embedder.js'
import { createQueryVectors } from '../../models/query-vectors.js'
import { UnavailableError } from '../../runtime/errors.js'
import { gate, until } from '../support/states.js'

/** Counts its calls; each waits for the gate and fails while `away`. */
function countingEmbedder(answering: Promise<void> = Promise.resolve()) {
  const calls: { texts: readonly string[]; purpose: string; signal: AbortSignal | undefined }[] = []
  const state = { away: false }
  const embedder: Embedder = {
    id: 'counting',
    dimensions: 1,
    inline: false,
    remote: true,
    nearDuplicateCosine: 1,
    async embed(texts, purpose, signal) {
      calls.push({ texts, purpose, signal })
      await answering
      if (state.away || signal?.aborted) throw new UnavailableError('embedder')
      return texts.map((text) => Float32Array.of(text.length))
    },
    health: () => ({ available: true }),
    close: async () => {},
  }
  return { embedder, calls, state }
}

describe('query vectors', () => {
  it('are embedded once as queries and then cached', async () => {
    const { embedder, calls } = countingEmbedder()
    const vectors = createQueryVectors(embedder)
    const first = await vectors.vectorOf('abc')
    expect(first).to.deep.equal(Float32Array.of(3))
    expect(await vectors.vectorOf('abc')).to.equal(first)
    expect(calls).to.have.length(1)
    expect(calls[0]).to.deep.include({ texts: ['abc'], purpose: 'query' })
  })

  it('differ for texts that differ in anything', async () => {
    const { embedder, calls } = countingEmbedder()
    const vectors = createQueryVectors(embedder)
    for (const text of ['abc', 'Abc', 'abc ', '']) await vectors.vectorOf(text)
    expect(calls).to.have.length(4)
  })

  it('evict the least recently used one', async () => {
    const { embedder, calls } = countingEmbedder()
    const vectors = createQueryVectors(embedder, { max: 2 })
    for (const text of ['a', 'b', 'a', 'c', 'a', 'b']) await vectors.vectorOf(text)
    expect(calls.map((call) => call.texts[0])).to.deep.equal(['a', 'b', 'c', 'b'])
  })

  it('are embedded once for concurrent callers', async () => {
    const release = gate()
    const { embedder, calls } = countingEmbedder(release.opened)
    const vectors = createQueryVectors(embedder)
    const asked = Promise.all(Array.from({ length: 20 }, () => vectors.vectorOf('abc')))
    release.open()
    expect(new Set(await asked).size).to.equal(1)
    expect(calls).to.have.length(1)
  })

  it('are embedded again after a failure', async () => {
    const { embedder, calls, state } = countingEmbedder()
    const vectors = createQueryVectors(embedder)
    state.away = true
    const failures = await Promise.allSettled([vectors.vectorOf('abc'), vectors.vectorOf('abc')])
    expect(failures.map((each) => each.status)).to.deep.equal(['rejected', 'rejected'])
    state.away = false
    expect(await vectors.vectorOf('abc')).to.deep.equal(Float32Array.of(3))
    expect(calls).to.have.length(2)
  })

  it('are still returned to one caller when another aborts', async () => {
    const release = gate()
    const { embedder, calls } = countingEmbedder(release.opened)
    const vectors = createQueryVectors(embedder)
    const stop = new AbortController()
    const leaver = vectors.vectorOf('abc', stop.signal).catch((error: unknown) => error)
    const stayer = vectors.vectorOf('abc', new AbortController().signal)
    stop.abort()
    expect(await leaver).to.be.instanceOf(UnavailableError)
    release.open()
    expect(await stayer).to.deep.equal(Float32Array.of(3))
    expect(calls).to.have.length(1)
  })

  it('are no longer embedded when the last caller aborts, and a later caller starts a new call', async () => {
    const release = gate()
    const { embedder, calls } = countingEmbedder(release.opened)
    const vectors = createQueryVectors(embedder)
    const stops = [new AbortController(), new AbortController()]
    const leavers = Promise.allSettled(stops.map((stop) => vectors.vectorOf('abc', stop.signal)))
    for (const stop of stops) stop.abort()
    await leavers
    await until('the call is aborted', () => calls[0]!.signal!.aborted)
    const later = vectors.vectorOf('abc')
    release.open()
    expect(await later).to.deep.equal(Float32Array.of(3))
    expect(calls).to.have.length(2)
  })

  it('are not embedded for an aborted caller', async () => {
    const { embedder, calls } = countingEmbedder()
    const failure = await createQueryVectors(embedder)
      .vectorOf('abc', AbortSignal.abort())
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(UnavailableError)
    expect(calls).to.have.length(0)
  })
})
