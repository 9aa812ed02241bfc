import { expect } from 'chai'
import { createHttpReranker, type HttpRerankerSettings } from '../../models/http-reranker.js'
import type { ModelFailure } from '../../models/model-call.js'
import type { Reranker } from '../../models/reranker.js'
import { ConfigError } from '../../runtime/errors.js'
import { outageOf, failureMessages } from '../support/failures.js'
import { recordedLog, type RecordedLog } from '../support/recorded-log.js'
import { startRerankStub, type RerankFault, type RerankStub, type RerankStubOptions } from '../support/rerank-stub.js'
import { gate, until } from '../support/states.js'

const QUERY = 'where does the fox live'
const TEXTS = ['Bread needs flour.', 'The fox lives in the den.', 'the vault opens with 4711']

describe('the reranker behind an endpoint', () => {
  const stubs: RerankStub[] = []
  const rerankers: Reranker[] = []
  afterEach(async () => {
    for (const reranker of rerankers.splice(0)) await reranker.close()
    for (const stub of stubs.splice(0)) await stub.stop()
  })

  async function startStub(options: RerankStubOptions = {}): Promise<RerankStub> {
    const stub = await startRerankStub(options)
    stubs.push(stub)
    return stub
  }

  function rerankerFor(stub: RerankStub, settings: Partial<HttpRerankerSettings> = {}, log?: RecordedLog): Reranker {
    const reranker = createHttpReranker(
      { url: stub.url, model: 'stub', deadlineMs: 5_000, breakerFailures: 100, breakerOpenMs: 20, ...settings },
      log ? { log } : {},
    )
    rerankers.push(reranker)
    return reranker
  }

  const failureOf = (work: Promise<unknown>) => outageOf('reranker', work)

  it('sends model, query, texts and key, and returns the scores in the order of the texts', async () => {
    const stub = await startStub({ key: 'k-1', score: (_, document) => TEXTS.indexOf(document) / 10 })
    const reranker = rerankerFor(stub, { key: 'k-1' })
    expect(reranker.id).to.equal('rerank:stub')
    expect(await reranker.rerank(QUERY, TEXTS)).to.deep.equal([0, 0.1, 0.2])
    expect(stub.calls[0]!.body).to.deep.equal({ model: 'stub', query: QUERY, documents: TEXTS, top_n: 3 })
    expect(reranker.health()).to.deep.equal({ available: true })
  })

  it('sends nothing when there is nothing to rank', async () => {
    const stub = await startStub()
    expect(await rerankerFor(stub).rerank(QUERY, [])).to.deep.equal([])
    expect(stub.calls).to.have.length(0)
  })

  it('maps logits to 0 to 1 in the same order, and all later scores too', async () => {
    const stub = await startStub({ score: (_, document) => TEXTS.indexOf(document) / 4 })
    const reranker = rerankerFor(stub)
    stub.fail('logits', 1)
    const scores = await reranker.rerank(QUERY, TEXTS)
    expect(scores[0]).to.be.closeTo(1 / (1 + Math.exp(5)), 1e-9)
    expect(scores[2]).to.equal(0.5)
    expect((await reranker.rerank(QUERY, TEXTS))[0]).to.equal(0.5)
  })

  describe('an answer that cannot be trusted', () => {
    const faults: RerankFault[] = [
      'no results',
      'too few',
      'no index',
      'wrong index',
      'repeated index',
      'not numbers',
      'not json',
    ]
    for (const fault of faults)
      it(`is refused: ${fault}`, async () => {
        const stub = await startStub()
        stub.fail(fault)
        expect((await failureOf(rerankerFor(stub).rerank(QUERY, TEXTS))).failure).to.equal('malformed')
        expect(stub.calls).to.have.length(1)
      })
  })

  for (const fault of [500, 429, 'drop'] as const)
    it(`is called once more after ${fault}`, async () => {
      const stub = await startStub()
      stub.fail(fault, 1)
      expect(await rerankerFor(stub).rerank(QUERY, TEXTS)).to.have.length(3)
      expect(stub.calls).to.have.length(2)
    })

  const lasting: [status: number, failure: ModelFailure, calls: number][] = [
    [500, 'failing', 2],
    [429, 'busy', 2],
    [400, 'refused', 1],
    [401, 'misconfigured', 1],
    [404, 'misconfigured', 1],
  ]
  for (const [status, failure, calls] of lasting)
    it(`fails after ${calls} answers of ${status}: ${failure}`, async () => {
      const stub = await startStub()
      stub.fail(status)
      expect(await failureOf(rerankerFor(stub).rerank(QUERY, TEXTS))).to.include({ failure, status })
      expect(stub.calls).to.have.length(calls)
    })

  it('fails at its deadline, and the call ends', async () => {
    const stub = await startStub()
    stub.fail('hang')
    expect((await failureOf(rerankerFor(stub, { deadlineMs: 50 }).rerank(QUERY, TEXTS))).failure).to.equal('timeout')
    await until('every call is aborted', () => stub.calls.every(({ aborted }) => aborted))
    expect(stub.calls.length).to.be.at.most(1)
  })

  it('fails at its deadline while waiting for a slot', async () => {
    const release = gate()
    const stub = await startStub({ before: () => release.opened })
    const reranker = rerankerFor(stub, { deadlineMs: 60, concurrency: 1 })
    const line = Array.from({ length: 20 }, () => failureOf(reranker.rerank(QUERY, TEXTS)))
    for (const { failure } of await Promise.all(line)) expect(failure).to.equal('timeout')
    release.open()
    // The first, and at most a few that got its slot in the moment between its deadline and theirs.
    expect(stub.calls.length).to.be.below(5)
  })

  it('is soon not called any more when it is always late, until it is in time again', async () => {
    const release = gate()
    const stub = await startStub({ before: () => release.opened })
    const log = recordedLog()
    const reranker = rerankerFor(stub, { deadlineMs: 50, breakerFailures: 2 }, log)
    await failureOf(reranker.rerank(QUERY, TEXTS))
    await failureOf(reranker.rerank(QUERY, TEXTS))
    await until('the model is unavailable', () => !reranker.health().available)
    expect((await failureOf(reranker.rerank(QUERY, TEXTS))).failure).to.equal('circuit open')
    release.open()
    await until('the model is available', () => reranker.health().available)
    expect(log.lines.map(({ message }) => message)).to.deep.equal([
      'reranker circuit opened',
      'reranker circuit closed',
    ])
  })

  it('is not called before the time of Retry-After', async () => {
    const stub = await startStub()
    const reranker = rerankerFor(stub)
    stub.fail({ status: 429, retryAfter: '60' }, 1)
    for (let i = 0; i < 3; i++) expect((await failureOf(reranker.rerank(QUERY, TEXTS))).failure).to.equal('busy')
    expect(stub.calls).to.have.length(1)
  })

  it('closes the circuit by itself when the endpoint is back', async () => {
    const stub = await startStub()
    const reranker = rerankerFor(stub, { breakerFailures: 1 })
    await stub.stop()
    expect((await failureOf(reranker.rerank(QUERY, TEXTS))).failure).to.be.oneOf(['unreachable', 'circuit open'])
    expect(reranker.health().available).to.equal(false)
    await stub.restart()
    await until('the model is available', () => reranker.health().available)
    expect(stub.calls.every(({ documents }) => !documents.includes(TEXTS[0]!))).to.equal(true)
    expect(await reranker.rerank(QUERY, TEXTS)).to.have.length(3)
  })

  it('is aborted with its caller, and on close', async () => {
    const stub = await startStub()
    stub.fail('hang')
    const reranker = rerankerFor(stub, { breakerFailures: 1 })
    const stop = new AbortController()
    const given = reranker.rerank(QUERY, TEXTS, stop.signal)
    await until('the model is called', () => expect(stub.calls.length).to.equal(1))
    stop.abort()
    expect((await failureOf(given)).failure).to.equal('aborted')
    expect(reranker.health()).to.deep.equal({ available: true })
    const closed = reranker.rerank(QUERY, TEXTS)
    await until('the model is called twice', () => expect(stub.calls.length).to.equal(2))
    await reranker.close()
    expect((await failureOf(closed)).failure).to.equal('aborted')
  })

  it('reveals neither query, texts nor key', async () => {
    const stub = await startStub()
    const log = recordedLog()
    const reranker = rerankerFor(stub, { key: 'k-secret', breakerFailures: 1, retries: 0 }, log)
    const ask = () => reranker.rerank(QUERY, [...TEXTS].reverse())
    expect(await failureMessages({ stub, model: reranker, log, ask })).to.not.match(/vault|4711|fox|k-secret/)
  })

  const wrong: [settings: Partial<HttpRerankerSettings>, variable: string][] = [
    [{ url: 'host/v1' }, 'RERANK_URL'],
    [{ url: 'http://user:k-1@host/v1' }, 'RERANK_URL'],
    [{ model: '' }, 'RERANK_MODEL'],
    [{ key: 'k-1\n' + 'x: y' }, 'RERANK_KEY'],
  ]
  for (const [settings, variable] of wrong)
    it(`does not start with ${JSON.stringify(settings)}, naming ${variable}`, async () => {
      const stub = await startStub()
      expect(() => rerankerFor(stub, settings))
        .to.throw(ConfigError)
        .that.satisfies((error: ConfigError) => error.variable === variable && !error.message.includes('k-1'))
    })
})
