import { expect } from 'chai'
import type { Embedder } from '../../models/embedder.js'
import { createHttpEmbedder, type HttpEmbedderSettings } from '../../models/http-embedder.js'
import type { ModelFailure } from '../../models/model-call.js'
import { ConfigError } from '../../runtime/errors.js'
import {
  startEmbeddingsStub,
  stubVector,
  type EmbeddingsFault,
  type EmbeddingsStub,
  type EmbeddingsStubOptions,
} from '../support/embeddings-stub.js'
import { outageOf, thrownBy, failureMessages } from '../support/failures.js'
import { recordedLog, type RecordedLog } from '../support/recorded-log.js'
import { gate, until } from '../support/states.js'
import { QUICK_RETRIES } from '../support/stub-endpoint.js'
import { cosine, lengthOf } from '../support/vectors.js'

const DIMENSIONS = 32
const SECRET_TEXT = 'the vault opens with 4711'

describe('the embedder behind an endpoint', () => {
  const stubs: EmbeddingsStub[] = []
  const embedders: Embedder[] = []
  afterEach(async () => {
    for (const embedder of embedders.splice(0)) await embedder.close()
    for (const stub of stubs.splice(0)) await stub.stop()
  })

  async function startStub(options: EmbeddingsStubOptions = {}): Promise<EmbeddingsStub> {
    const stub = await startEmbeddingsStub({ dimensions: DIMENSIONS, ...options })
    stubs.push(stub)
    return stub
  }

  async function embedderFor(stub: EmbeddingsStub, settings: Partial<HttpEmbedderSettings> = {}, log?: RecordedLog) {
    const embedder = await createHttpEmbedder(
      {
        url: stub.url,
        model: 'stub',
        dimensions: DIMENSIONS,
        ...QUICK_RETRIES,
        ...settings,
      },
      log ? { log } : {},
    )
    embedders.push(embedder)
    return embedder
  }

  const failureOf = (work: Promise<unknown>) => outageOf('embedder', work)

  async function refusal(work: Promise<unknown>): Promise<ConfigError> {
    const failure = await thrownBy(work)
    expect(failure).to.be.instanceOf(ConfigError)
    return failure as ConfigError
  }

  describe('a call', () => {
    it('has id and dimensions', async () => {
      const embedder = await embedderFor(await startStub())
      expect(embedder).to.include({ id: 'openai:stub', dimensions: DIMENSIONS, inline: false })
      expect(embedder.health()).to.deep.equal({ available: true })
    })

    it('sends model, texts, format and key', async () => {
      const stub = await startStub({ key: 'k-1' })
      const embedder = await embedderFor(stub, { key: 'k-1' })
      await embedder.embed(['one', 'two'], 'passage')
      expect(stub.calls[0]).to.include({ model: 'stub', encodingFormat: 'float', authorization: 'Bearer k-1' })
      expect(stub.calls[0]!.input).to.deep.equal(['one', 'two'])
    })

    it('accepts a base URL that ends with a slash', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { url: `${stub.url}/` })
      expect(await embedder.embed(['one'], 'query')).to.have.length(1)
    })

    it('returns unit vectors in the direction of the endpoint’s', async () => {
      const embedder = await embedderFor(await startStub())
      const [vector] = await embedder.embed(['three little words'], 'passage')
      expect(lengthOf(vector!)).to.be.closeTo(1, 1e-6)
      expect(cosine(vector!, Float32Array.from(stubVector('three little words', DIMENSIONS)))).to.be.closeTo(1, 1e-6)
    })

    it('sends batches and keeps the order of the texts', async () => {
      const stub = await startStub({ reversed: true })
      const embedder = await embedderFor(stub, { batchSize: 4 })
      const texts = Array.from({ length: 10 }, (_, index) => `text number n${index}`)
      const vectors = await embedder.embed(texts, 'passage')
      expect(stub.calls.map((call) => call.input.length).sort()).to.deep.equal([2, 4, 4])
      for (const [index, text] of texts.entries()) {
        const expected = Float32Array.from(stubVector(text, DIMENSIONS))
        expect(cosine(vectors[index]!, expected), text).to.be.closeTo(1, 1e-6)
      }
    })

    it('does not send blank texts and returns zeros for them', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      const [empty, word, blank] = await embedder.embed(['', 'word', ' \n'], 'passage')
      expect(stub.calls.map((call) => call.input)).to.deep.equal([['word']])
      expect([lengthOf(empty!), lengthOf(blank!)]).to.deep.equal([0, 0])
      expect(lengthOf(word!)).to.be.closeTo(1, 1e-6)
    })

    it('sends nothing when there is nothing to embed', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      expect(await embedder.embed([], 'passage')).to.deep.equal([])
      expect(stub.calls).to.have.length(0)
    })

    it('returns zero vectors of the endpoint unchanged', async () => {
      const embedder = await embedderFor(await startStub())
      expect(lengthOf((await embedder.embed(['…'], 'passage'))[0]!)).to.equal(0)
    })
  })

  describe('answers that cannot be trusted', () => {
    const faults: EmbeddingsFault[] = [
      'too few',
      'wrong dimensions',
      'repeated index',
      'no index',
      'not numbers',
      'no data',
      'not json',
    ]
    for (const fault of faults) {
      it(`are rejected and not retried: ${fault}`, async () => {
        const stub = await startStub()
        const embedder = await embedderFor(stub)
        stub.fail(fault)
        const failure = await failureOf(embedder.embed([SECRET_TEXT, 'another'], 'passage'))
        expect(failure.failure).to.equal('malformed')
        expect(stub.calls).to.have.length(1)
      })
    }

    it('are rejected when their dimensions differ from those at startup', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { dimensions: null })
      stub.fail('wrong dimensions')
      expect((await failureOf(embedder.embed(['one'], 'query'))).message).to.contain('31 dimensions instead of 32')
    })
  })

  describe('failing calls', () => {
    for (const fault of [500, 503, 429, 408, 'drop'] as const) {
      it(`are retried after ${fault}`, async () => {
        const stub = await startStub()
        const embedder = await embedderFor(stub)
        stub.fail(fault, 2)
        expect(await embedder.embed(['one'], 'passage')).to.have.length(1)
        expect(stub.calls).to.have.length(3)
      })
    }

    it('fail after the last retry', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { retries: 2 })
      stub.fail(500)
      expect(await failureOf(embedder.embed(['one'], 'passage'))).to.include({ failure: 'failing', status: 500 })
      expect(stub.calls).to.have.length(3)
    })

    const lasting: [status: number, failure: ModelFailure][] = [
      [400, 'refused'],
      [413, 'refused'],
      [422, 'refused'],
      [401, 'misconfigured'],
      [404, 'misconfigured'],
      [302, 'misconfigured'],
    ]
    for (const [status, failure] of lasting) {
      it(`are not retried after ${status}: ${failure}`, async () => {
        const stub = await startStub()
        const embedder = await embedderFor(stub)
        stub.fail(status)
        expect(await failureOf(embedder.embed(['one'], 'passage'))).to.include({ failure, status })
        expect(stub.calls).to.have.length(1)
      })
    }

    it('end at the time limit', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { timeoutMs: 30, retries: 1 })
      stub.fail('hang')
      expect((await failureOf(embedder.embed(['one'], 'query'))).failure).to.equal('timeout')
      await until('every call is aborted', () => stub.calls.length === 2 && stub.calls.every((call) => call.aborted))
    })

    it('of queries end at their deadline, whatever the limit of a call and the remaining retries', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { queryDeadlineMs: 30, timeoutMs: 600_000, retries: 5 })
      stub.fail('hang')
      expect((await failureOf(embedder.embed(['one'], 'query'))).failure).to.equal('timeout')
      await until('every call is aborted', () => stub.calls.every((call) => call.aborted))
      expect(stub.calls.length).to.be.at.most(1)
    })

    it('of passages have no deadline', async () => {
      const release = gate()
      const stub = await startStub({ before: (call) => (call.input[0] === 'passage' ? release.opened : undefined) })
      const embedder = await embedderFor(stub, { queryDeadlineMs: 30 })
      const passage = embedder.embed(['passage'], 'passage')
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      stub.fail('hang')
      expect((await failureOf(embedder.embed(['query'], 'query'))).failure).to.equal('timeout')
      release.open()
      expect(await passage).to.have.length(1)
    })

    it('of queries that are always late open their circuit', async () => {
      const stub = await startStub()
      const settings = { queryDeadlineMs: 30, timeoutMs: 600_000, breakerFailures: 2, breakerOpenMs: 60_000 }
      const embedder = await embedderFor(stub, settings)
      stub.fail('hang')
      for (const query of ['one', 'two'])
        expect((await failureOf(embedder.embed([query], 'query'))).failure).to.equal('timeout')
      await until('the model is unavailable', () => !embedder.health().available)
      expect((await failureOf(embedder.embed(['three'], 'query'))).failure).to.equal('circuit open')
      expect(stub.calls.some((call) => call.input.includes('three'))).to.equal(false)
    })

    it('abort the other batches of the same texts', async () => {
      const release = gate()
      const slow = await startStub({
        before: (call) => {
          if (call.input[0] === 'slow') return release.opened
        },
      })
      slow.fail(400, 1)
      const embedder = await embedderFor(slow, { batchSize: 1 })
      expect((await failureOf(embedder.embed(['refused', 'slow'], 'passage'))).failure).to.equal('refused')
      await until('every call is aborted', () => slow.calls.every((call) => call.input[0] !== 'slow' || call.aborted))
      release.open()
    })

    it('are not retried, in either lane, before the time of Retry-After', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      stub.fail({ status: 429, retryAfter: '60' }, 1)
      for (const purpose of ['passage', 'query', 'passage'] as const)
        expect((await failureOf(embedder.embed(['fox'], purpose))).failure).to.equal('busy')
      expect(stub.calls).to.have.length(1)
    })

    it('reveal neither texts nor key', async () => {
      const stub = await startStub()
      const log = recordedLog()
      const embedder = await embedderFor(stub, { key: 'k-secret', retries: 0, breakerFailures: 1 }, log)
      const ask = () => embedder.embed([SECRET_TEXT], 'passage')
      expect(await failureMessages({ stub, model: embedder, log, ask })).to.not.match(/vault|4711|k-secret/)
    })
  })

  describe('an outage of the endpoint', () => {
    it('opens the circuit, fails at once and closes again by itself when the endpoint is back', async () => {
      const stub = await startStub()
      const log = recordedLog()
      const embedder = await embedderFor(stub, { breakerFailures: 2, retries: 1 }, log)
      await embedder.embed(['before'], 'query')
      await stub.stop()
      expect((await failureOf(embedder.embed(['during'], 'query'))).failure).to.equal('unreachable')
      expect(embedder.health()).to.deep.equal({
        available: false,
        reason: 'query: The embeddings endpoint is not reachable (ECONNREFUSED).',
      })
      expect((await failureOf(embedder.embed(['during'], 'query'))).failure).to.equal('circuit open')
      await stub.restart()
      await until('the model is available', () => embedder.health().available)
      expect(await embedder.embed(['after'], 'query')).to.have.length(1)
      expect(log.lines.map((line) => line.message)).to.deep.equal([
        'embedder circuit opened',
        'embedder circuit closed',
      ])
    })

    it('sends no data of the callers while the circuit is open', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { breakerFailures: 1, retries: 0 })
      stub.fail(500)
      await failureOf(embedder.embed(['first'], 'passage'))
      for (let i = 0; i < 5; i++) await failureOf(embedder.embed([SECRET_TEXT], 'passage'))
      await until('the embedder is tried again', () =>
        expect(stub.calls.filter((call) => call.input[0] === 'ping').length).to.be.at.least(2),
      )
      expect(stub.calls.some((call) => call.input.includes(SECRET_TEXT))).to.equal(false)
    })

    it('for passages only does not affect queries', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { breakerFailures: 1, retries: 0, breakerOpenMs: 60_000 })
      stub.fail(500, 1)
      await failureOf(embedder.embed(['a passage'], 'passage'))
      expect((await failureOf(embedder.embed(['a passage'], 'passage'))).failure).to.equal('circuit open')
      expect(await embedder.embed(['a query'], 'query')).to.have.length(1)
      expect(embedder.health().available).to.equal(false)
    })

    for (const status of [400, 429]) {
      it(`is not inferred from answers of ${status}`, async () => {
        const stub = await startStub()
        const embedder = await embedderFor(stub, { breakerFailures: 1, retries: 0 })
        stub.fail(status)
        await failureOf(embedder.embed(['one'], 'query'))
        await failureOf(embedder.embed(['one'], 'query'))
        expect(embedder.health()).to.deep.equal({ available: true })
      })
    }

    it('is not inferred from aborts of callers', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub, { breakerFailures: 1, retries: 0 })
      stub.fail('hang', 1)
      const stop = new AbortController()
      const embedding = embedder.embed(['one'], 'query', stop.signal)
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      stop.abort()
      await failureOf(embedding)
      await until('the call is aborted', () => stub.calls[0]!.aborted)
      expect(embedder.health()).to.deep.equal({ available: true })
    })
  })

  describe('an abort', () => {
    it('ends a call in progress, and its request', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      stub.fail('hang')
      const stop = new AbortController()
      const embedding = embedder.embed(['one'], 'query', stop.signal)
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      stop.abort()
      expect((await failureOf(embedding)).failure).to.equal('aborted')
      await until('the call is aborted', () => stub.calls[0]!.aborted)
      expect(stub.calls).to.have.length(1)
    })

    it('ends a call that waits for a slot, which is then never sent', async () => {
      const release = gate()
      const stub = await startStub({ before: () => release.opened })
      const embedder = await embedderFor(stub, { concurrency: 2 })
      const first = embedder.embed(['first'], 'passage')
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      const stop = new AbortController()
      const second = embedder.embed(['second'], 'passage', stop.signal)
      stop.abort()
      expect((await failureOf(second)).failure).to.equal('aborted')
      const third = embedder.embed(['third'], 'passage')
      release.open()
      await Promise.all([first, third])
      expect(stub.calls.map((call) => call.input[0])).to.deep.equal(['first', 'third'])
    })

    it('sends nothing for a signal that is already aborted', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      expect((await failureOf(embedder.embed(['one'], 'query', AbortSignal.abort()))).failure).to.equal('aborted')
      expect(stub.calls).to.have.length(0)
    })

    it('happens on close, for calls in progress and later ones', async () => {
      const stub = await startStub()
      const embedder = await embedderFor(stub)
      stub.fail('hang')
      const embedding = embedder.embed(['one'], 'query')
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      await embedder.close()
      expect((await failureOf(embedding)).failure).to.equal('aborted')
      stub.recover()
      expect((await failureOf(embedder.embed(['two'], 'query'))).failure).to.equal('aborted')
      expect(stub.calls).to.have.length(1)
    })
  })

  describe('the share of queries', () => {
    it('serves a query while passages use their whole share', async () => {
      const release = gate()
      const stub = await startStub({
        before: (call) => (call.input[0]!.startsWith('passage') ? release.opened : undefined),
      })
      const embedder = await embedderFor(stub, { concurrency: 4, queryShare: 0.25, batchSize: 1 })
      const texts = Array.from({ length: 12 }, (_, index) => `passage ${index}`)
      const bulk = embedder.embed(texts, 'passage')
      await until('the model is called three times', () => expect(stub.calls.length).to.equal(3))
      expect(await embedder.embed(['a query'], 'query')).to.have.length(1)
      expect(stub.calls.map((call) => call.input[0]).slice(3)).to.deep.equal(['a query'])
      release.open()
      expect(await bulk).to.have.length(12)
      expect(stub.calls).to.have.length(13)
    })

    it('never runs more calls than the limit', async () => {
      let running = 0
      let most = 0
      const release = gate()
      const stub = await startStub({
        before: async () => {
          most = Math.max(most, ++running)
          await release.opened
          running--
        },
      })
      const embedder = await embedderFor(stub, { concurrency: 4, queryShare: 0.5, batchSize: 1 })
      const work = [
        embedder.embed(['p1', 'p2', 'p3', 'p4'], 'passage'),
        ...['q1', 'q2', 'q3', 'q4'].map((query) => embedder.embed([query], 'query')),
      ]
      await until('four calls run', () => expect(running).to.equal(4))
      release.open()
      await Promise.all(work)
      expect(most).to.equal(4)
      expect(stub.calls).to.have.length(8)
    })
  })

  describe('creation', () => {
    it('determines the dimensions when they are not set', async () => {
      const stub = await startStub({ dimensions: 48 })
      expect((await embedderFor(stub, { dimensions: null })).dimensions).to.equal(48)
    })

    it('fails without dimensions when the endpoint is unavailable, naming EMBEDDINGS_URL', async () => {
      const stub = await startStub()
      await stub.stop()
      const failure = await refusal(embedderFor(stub, { dimensions: null }))
      expect(failure.variable).to.equal('EMBEDDINGS_URL')
      expect(failure.message).to.contain('EMBEDDINGS_DIMENSIONS')
    })

    it('fails without dimensions when the key is wrong, naming EMBEDDINGS_KEY', async () => {
      const stub = await startStub({ key: 'k-1' })
      const failure = await refusal(embedderFor(stub, { dimensions: null, key: 'k-2' }))
      expect(failure.variable).to.equal('EMBEDDINGS_KEY')
      expect(failure.message).to.not.contain('k-2')
    })

    it('succeeds with dimensions when the endpoint is unavailable', async () => {
      const stub = await startStub()
      await stub.stop()
      const embedder = await embedderFor(stub)
      expect((await failureOf(embedder.embed(['one'], 'query'))).failure).to.equal('unreachable')
    })

    const wrong: [settings: Partial<HttpEmbedderSettings>, variable: string][] = [
      [{ url: 'host/v1' }, 'EMBEDDINGS_URL'],
      [{ url: 'ftp://host/v1' }, 'EMBEDDINGS_URL'],
      [{ url: 'http://user:k-1@host/v1' }, 'EMBEDDINGS_URL'],
      [{ model: '' }, 'EMBEDDINGS_MODEL'],
      [{ key: 'k-1\n' + 'x: y' }, 'EMBEDDINGS_KEY'],
      [{ dimensions: 0 }, 'EMBEDDINGS_DIMENSIONS'],
      [{ batchSize: 0 }, 'EMBEDDINGS_BATCH_SIZE'],
      [{ concurrency: 1 }, 'EMBEDDINGS_CONCURRENCY'],
      [{ queryShare: 1.5 }, 'EMBEDDINGS_QUERY_SHARE'],
    ]
    for (const [settings, variable] of wrong) {
      it(`refuses ${JSON.stringify(settings)}, naming ${variable}`, async () => {
        const failure = await refusal(embedderFor(await startStub(), settings))
        expect(failure.variable).to.equal(variable)
        expect(failure.message).to.not.contain('k-1')
      })
    }
  })
})
