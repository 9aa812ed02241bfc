import { expect } from 'chai'
import { setTimeout } from 'node:timers/promises'
import { answerSchema } from '../../models/answer-schema.js'
import { createHttpLanguageModel, type HttpLanguageModelSettings } from '../../models/http-language-model.js'
import type { CompletionBudget, LanguageModel, TokenUse } from '../../models/language-model.js'
import { ModelCallError, type ModelFailure } from '../../models/model-call.js'
import { ConfigError } from '../../runtime/errors.js'
import {
  startLanguageModelStub,
  type ChatCall,
  type LanguageModelFault,
  type LanguageModelStub,
  type LanguageModelStubOptions,
} from '../support/language-model-stub.js'
import { outageOf, thrownBy, failureMessages } from '../support/failures.js'
import { recordedLog, type RecordedLog } from '../support/recorded-log.js'
import { gate, until } from '../support/states.js'
import { QUICK_RETRIES } from '../support/stub-endpoint.js'

const SECRET_TEXT = 'the vault opens with 4711'
const PROMPT = { instructions: 'Name its colour.', input: SECRET_TEXT }
const SCHEMA = answerSchema<{ colour: string }>('colour', {
  type: 'object',
  required: ['colour'],
  additionalProperties: false,
  properties: { colour: { type: 'string' } },
})
const BUDGET: CompletionBudget = { maxOutputTokens: 100, lane: 'background' }
const RED = { colour: 'red' }
const formatOf = ({ body }: ChatCall) => (body.response_format as { type: string } | undefined)?.type

describe('the language model behind an endpoint', () => {
  const stubs: LanguageModelStub[] = []
  const models: LanguageModel[] = []
  afterEach(async () => {
    for (const model of models.splice(0)) await model.close()
    for (const stub of stubs.splice(0)) await stub.stop()
  })

  async function startStub(options: LanguageModelStubOptions = {}): Promise<LanguageModelStub> {
    const stub = await startLanguageModelStub({ reply: () => RED, ...options })
    stubs.push(stub)
    return stub
  }

  function modelFor(stub: LanguageModelStub, settings: Partial<HttpLanguageModelSettings> = {}, log?: RecordedLog) {
    const model = createHttpLanguageModel(
      {
        url: stub.url,
        model: 'stub',
        ...QUICK_RETRIES,
        ...settings,
      },
      log ? { log } : {},
    )
    models.push(model)
    return model
  }

  const ask = (model: LanguageModel, budget: Partial<CompletionBudget> = {}, signal?: AbortSignal) =>
    model.complete(PROMPT, SCHEMA, { ...BUDGET, ...budget }, signal)

  const outage = (work: Promise<unknown>) => outageOf('language model', work)

  /** Returns the failure of a completion that is about the prompt. */
  async function faultOf(work: Promise<unknown>): Promise<ModelCallError> {
    const error = await thrownBy(work)
    expect(error).to.be.instanceOf(ModelCallError)
    return error as ModelCallError
  }

  describe('a completion', () => {
    it('has the id of the model', async () => {
      const model = modelFor(await startStub())
      expect(model.id).to.equal('openai:stub')
      expect(model.health()).to.deep.equal({ available: true })
    })

    it('sends prompt, schema, key and limits, and returns the value', async () => {
      const stub = await startStub({ key: 'k-1' })
      expect(await ask(modelFor(stub, { key: 'k-1' }))).to.deep.equal(RED)
      const [{ body, messages }] = stub.calls as [ChatCall]
      expect(body).to.deep.include({ model: 'stub', max_tokens: 100, temperature: 0 })
      expect(body.response_format).to.deep.equal({
        type: 'json_schema',
        json_schema: { name: 'colour', schema: SCHEMA.schema },
      })
      expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user'])
      expect(messages[0]!.content).to.match(/^Name its colour\./)
      expect(messages[1]!.content).to.equal(SECRET_TEXT)
    })

    it('includes the schema in the prompt, for servers that do not', async () => {
      const stub = await startStub()
      await ask(modelFor(stub))
      expect(stub.calls[0]!.messages[0]!.content).to.contain(JSON.stringify(SCHEMA.schema))
    })

    it('never requests more tokens than the settings allow, except for reasoning', async () => {
      const stub = await startStub()
      await ask(modelFor(stub, { maxOutputTokens: 60, reasoningTokens: 500 }))
      expect(stub.calls[0]!.body.max_tokens).to.equal(560)
    })

    it('reads an answer in parts', async () => {
      const stub = await startStub({ reply: () => [{ type: 'text', text: '{"colour":' }, { text: '"red"}' }, null] })
      expect(await ask(modelFor(stub))).to.deep.equal(RED)
    })

    it('reports the tokens used, as the endpoint counts them or by length', async () => {
      const stub = await startStub()
      const spent: TokenUse[] = []
      const model = modelFor(stub)
      await ask(model, { spend: (tokens) => spent.push(tokens) })
      stub.fail('no usage')
      await ask(model, { spend: (tokens) => spent.push(tokens) })
      expect(spent[0]).to.deep.equal({ input: 120, output: 30 })
      expect(spent[1]!.output).to.equal(Math.ceil(JSON.stringify(RED).length / 4))
      expect(spent[1]!.input).to.be.greaterThan(SECRET_TEXT.length / 4)
    })

    for (const count of [12.5, -1, 1e300, '120', null])
      it(`counts by length where the endpoint reports ${count} tokens`, async () => {
        const stub = await startStub({ usage: { prompt_tokens: 120, completion_tokens: count } })
        const spent: TokenUse[] = []
        await ask(modelFor(stub), { spend: (tokens) => spent.push(tokens) })
        expect(spent).to.deep.equal([{ input: 120, output: Math.ceil(JSON.stringify(RED).length / 4) }])
      })

    it('does not read an answer of megabytes, and attributes it to the input, not the endpoint', async () => {
      let units = 5_000_000
      const stub = await startStub({ reply: () => `${JSON.stringify(RED)}${' '.repeat(units)}` })
      const model = modelFor(stub, { breakerFailures: 1 })
      expect((await thrownBy(ask(model))) as ModelCallError).to.include({ failure: 'unfit' })
      units = 0
      expect(await ask(model)).to.deep.equal(RED)
    })
  })

  describe('a server with fewer features', () => {
    const knows = (allowed: readonly string[], message: string) => (body: Readonly<Record<string, unknown>>) => {
      const format = (body.response_format as { type: string } | undefined)?.type ?? 'none'
      return allowed.includes(format) ? null : message
    }

    it('is asked for a JSON object when it rejects a schema, and then always', async () => {
      const refuses = knows(['json_object', 'none'], "'response_format.type' must be one of text, json_object")
      const stub = await startStub({ refuses })
      const model = modelFor(stub)
      expect(await ask(model)).to.deep.equal(RED)
      expect(await ask(model)).to.deep.equal(RED)
      expect(stub.calls.map(formatOf)).to.deep.equal(['json_schema', 'json_object', 'json_object'])
    })

    it('is asked for a JSON object when it rejects a schema without naming it', async () => {
      const stub = await startStub({ refuses: knows(['json_object'], 'bad request') })
      expect(await ask(modelFor(stub))).to.deep.equal(RED)
      expect(stub.calls.map(formatOf)).to.deep.equal(['json_schema', 'json_object'])
    })

    it('is asked only in the prompt when it rejects every format', async () => {
      const stub = await startStub({ refuses: knows(['none'], 'unknown field response_format') })
      expect(await ask(modelFor(stub))).to.deep.equal(RED)
      expect(stub.calls.map(formatOf)).to.deep.equal(['json_schema', 'json_object', undefined])
    })

    it('gets the newer name of the token limit, and no temperature, when it asks for that', async () => {
      const stub = await startStub({
        refuses: (body) => {
          if ('max_tokens' in body) return "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
          return 'temperature' in body ? "Unsupported value: 'temperature' does not support 0." : null
        },
      })
      const model = modelFor(stub)
      expect(await ask(model)).to.deep.equal(RED)
      expect(await ask(model)).to.deep.equal(RED)
      expect(stub.calls).to.have.length(4)
      expect(stub.calls[3]!.body).to.include({ max_completion_tokens: 100 })
      expect(stub.calls[3]!.body).to.not.have.any.keys('max_tokens', 'temperature')
      expect(formatOf(stub.calls[3]!)).to.equal('json_schema')
    })

    it('is not asked differently for a rejected prompt after it has accepted one', async () => {
      const stub = await startStub()
      const model = modelFor(stub)
      await ask(model)
      stub.fail(400)
      expect((await faultOf(ask(model))).failure).to.equal('refused')
      expect(stub.calls).to.have.length(2)
    })

    it('is not asked endlessly when it rejects everything', async () => {
      const stub = await startStub({ refuses: () => WORDS.join(' ') })
      expect((await faultOf(ask(modelFor(stub)))).failure).to.equal('refused')
      expect(stub.calls).to.have.length(5)
    })
    const WORDS = ['max_completion_tokens', 'temperature', 'response_format']
  })

  describe('an answer that does not match the schema', () => {
    it('is sent back once with its errors, and the next one counts', async () => {
      const stub = await startStub({ reply: ({ messages }) => (messages.length > 2 ? RED : { color: 'red' }) })
      const spent: TokenUse[] = []
      expect(await ask(modelFor(stub), { spend: (tokens) => spent.push(tokens) })).to.deep.equal(RED)
      const { messages } = stub.calls[1]!
      expect(messages.map(({ role }) => role)).to.deep.equal(['system', 'user', 'assistant', 'user'])
      expect(messages[2]!.content).to.equal('{"color":"red"}')
      expect(messages[3]!.content).to.contain("required property 'colour'")
      expect(spent).to.have.length(2)
    })

    for (const [what, reply] of [
      ['of another shape', { color: 'red' }],
      ['that is not JSON', 'It is red.'],
      ['that is empty', ''],
    ] as const)
      it(`fails when the next one is one ${what} too`, async () => {
        const stub = await startStub({ reply: () => reply })
        expect((await faultOf(ask(modelFor(stub)))).failure).to.equal('unfit')
        expect(stub.calls).to.have.length(2)
      })

    it('fails at once when the token limit cut it off', async () => {
      const stub = await startStub()
      stub.fail('cut off')
      expect((await faultOf(ask(modelFor(stub)))).failure).to.equal('unfit')
      expect(stub.calls).to.have.length(1)
    })

    for (const fault of ['declines', 'filtered'] as const)
      it(`is a refusal when the model ${fault}`, async () => {
        const stub = await startStub()
        stub.fail(fault)
        expect((await faultOf(ask(modelFor(stub)))).failure).to.equal('refused')
        expect(stub.calls).to.have.length(1)
      })

    it('never opens the circuit', async () => {
      const stub = await startStub({ reply: () => 'no' })
      const model = modelFor(stub, { breakerFailures: 1 })
      await faultOf(ask(model))
      expect(model.health()).to.deep.equal({ available: true })
    })

    for (const fault of ['no choices', 'no message', 'not json'] as LanguageModelFault[])
      it(`is an outage when it is no completion at all: ${fault}`, async () => {
        const stub = await startStub()
        stub.fail(fault)
        expect((await outage(ask(modelFor(stub)))).failure).to.equal('malformed')
        expect(stub.calls).to.have.length(1)
      })
  })

  describe('failing calls', () => {
    for (const fault of [500, 503, 429, 408, 'drop'] as const)
      it(`are retried after ${fault}`, async () => {
        const stub = await startStub()
        stub.fail(fault, 2)
        expect(await ask(modelFor(stub))).to.deep.equal(RED)
        expect(stub.calls).to.have.length(3)
      })

    const lasting: [status: number, failure: ModelFailure, calls: number][] = [
      [500, 'failing', 3],
      [429, 'busy', 3],
      [401, 'misconfigured', 1],
      [404, 'misconfigured', 1],
      [302, 'misconfigured', 1],
    ]
    for (const [status, failure, calls] of lasting)
      it(`fail after ${calls} answers of ${status}: ${failure}`, async () => {
        const stub = await startStub()
        stub.fail(status)
        expect(await outage(ask(modelFor(stub)))).to.include({ failure, status })
        expect(stub.calls).to.have.length(calls)
      })

    for (const status of [400, 413, 422])
      it(`are about the prompt after ${status}`, async () => {
        const stub = await startStub()
        stub.fail(status)
        expect(await faultOf(ask(modelFor(stub)))).to.include({ failure: 'refused', status })
      })

    it('each end at the time limit of a call', async () => {
      const stub = await startStub()
      stub.fail('hang')
      const failure = await outage(ask(modelFor(stub, { timeoutMs: 30, retries: 1 })))
      expect(failure.failure).to.equal('timeout')
      await until('every call is aborted', () => stub.calls.length === 2 && stub.calls.every((call) => call.aborted))
    })

    it('reveal neither prompt, answer nor key', async () => {
      const stub = await startStub({ reply: () => SECRET_TEXT })
      const log = recordedLog()
      const model = modelFor(stub, { key: 'k-secret', retries: 0, breakerFailures: 1 }, log)
      const faults = [400, 500, 'not json', 'drop', null] as const
      const told = await failureMessages({ stub, model, log, ask: () => ask(model) }, faults)
      expect(told).to.not.match(/vault|4711|k-secret/)
    })
  })

  describe('the total time limit', () => {
    it('ends a call in progress, without a retry', async () => {
      const stub = await startStub()
      stub.fail('hang')
      expect((await outage(ask(modelFor(stub), { withinMs: 50 }))).failure).to.equal('timeout')
      await until('every call is aborted', () => stub.calls.every((call) => call.aborted))
      expect(stub.calls).to.have.length(1)
    })

    it('ends the wait for a slot, and the call is never sent', async () => {
      const release = gate()
      const stub = await startStub({ before: () => release.opened })
      const model = modelFor(stub, { concurrency: 2 })
      const first = ask(model)
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      expect((await outage(ask(model, { withinMs: 20 }))).failure).to.equal('timeout')
      release.open()
      await first
      expect(stub.calls).to.have.length(1)
    })

    it('covers answer and repair together', async () => {
      const stub = await startStub({
        reply: ({ messages }) => (messages.length > 2 ? RED : {}),
        before: () => setTimeout(150),
      })
      expect((await outage(ask(modelFor(stub), { withinMs: 250 }))).failure).to.equal('timeout')
    })

    it('opens the circuit when the endpoint is always too late for it', async () => {
      const stub = await startStub()
      stub.fail('hang', 2)
      const model = modelFor(stub, { breakerFailures: 2 })
      await outage(ask(model, { withinMs: 30 }))
      await outage(ask(model, { withinMs: 30 }))
      await until('the model is unavailable', () => !model.health().available)
      await until('the model is available', () => model.health().available)
      expect(await ask(model)).to.deep.equal(RED)
    })
  })

  describe('an outage of the endpoint', () => {
    it('opens the circuit, fails at once and closes again by itself when the endpoint is back', async () => {
      const stub = await startStub()
      const log = recordedLog()
      const model = modelFor(stub, { breakerFailures: 2, retries: 1 }, log)
      await ask(model)
      await stub.stop()
      expect((await outage(ask(model))).failure).to.equal('unreachable')
      expect((await outage(ask(model))).failure).to.equal('circuit open')
      expect(model.health()).to.deep.equal({
        available: false,
        reason: 'background: The language model is not reachable (ECONNREFUSED).',
      })
      await stub.restart()
      await until('the model is available', () => model.health().available)
      expect(await ask(model)).to.deep.equal(RED)
      expect(log.lines.map(({ message }) => message)).to.deep.equal([
        'language model circuit opened',
        'language model circuit closed',
      ])
    })

    it('is logged once, and probed with one token and no data of the callers', async () => {
      const stub = await startStub()
      const log = recordedLog()
      const model = modelFor(stub, { breakerFailures: 1, retries: 0 }, log)
      stub.fail(500)
      await outage(ask(model))
      await until('the model is called four times', () => expect(stub.calls.length).to.be.at.least(4))
      expect(log.lines).to.have.length(1)
      for (const { messages, body } of stub.calls.slice(1)) {
        expect(messages).to.deep.equal([{ role: 'user', content: 'ping' }])
        expect(body.max_tokens).to.equal(1)
      }
    })

    it('is over when the endpoint rejects the probe', async () => {
      const stub = await startStub({ refuses: ({ max_tokens }) => (max_tokens === 1 ? 'too few tokens' : null) })
      const model = modelFor(stub, { breakerFailures: 1, retries: 0 })
      stub.fail(500, 1)
      await outage(ask(model))
      await until('the model is available', () => model.health().available)
    })

    it('in background work does not affect interactive requests', async () => {
      const stub = await startStub()
      const model = modelFor(stub, { breakerFailures: 1, retries: 0, breakerOpenMs: 60_000 })
      stub.fail(500, 1)
      await outage(ask(model))
      expect((await outage(ask(model))).failure).to.equal('circuit open')
      expect(await ask(model, { lane: 'interactive' })).to.deep.equal(RED)
    })
  })

  describe('an abort', () => {
    it('ends a call in progress, and does not count against the endpoint', async () => {
      const stub = await startStub()
      stub.fail('hang')
      const model = modelFor(stub, { breakerFailures: 1 })
      const stop = new AbortController()
      const asking = ask(model, {}, stop.signal)
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      stop.abort()
      expect((await outage(asking)).failure).to.equal('aborted')
      await until('the call is aborted', () => stub.calls[0]!.aborted)
      expect(model.health()).to.deep.equal({ available: true })
    })

    it('happens on close, for calls in progress and later ones', async () => {
      const stub = await startStub()
      const model = modelFor(stub)
      stub.fail('hang')
      const asking = ask(model)
      await until('the model is called', () => expect(stub.calls.length).to.equal(1))
      await model.close()
      expect((await outage(asking)).failure).to.equal('aborted')
      stub.recover()
      expect((await outage(ask(model))).failure).to.equal('aborted')
      expect(stub.calls).to.have.length(1)
    })
  })

  it('serves an interactive request while background work uses its whole share', async () => {
    const release = gate()
    const stub = await startStub({ before: ({ body }) => (body.max_tokens === 100 ? release.opened : undefined) })
    const model = modelFor(stub, { concurrency: 4 })
    const behind = Array.from({ length: 6 }, () => ask(model))
    await until('the model is called three times', () => expect(stub.calls.length).to.equal(3))
    expect(await ask(model, { lane: 'interactive', maxOutputTokens: 50 })).to.deep.equal(RED)
    expect(stub.calls).to.have.length(4)
    release.open()
    expect(await Promise.all(behind)).to.have.length(6)
  })

  it('reports the outcome and cost of each completion', async () => {
    const stub = await startStub()
    const seen: unknown[] = []
    const model = createHttpLanguageModel(
      { url: stub.url, model: 'stub', retries: 0 },
      { observe: (outcome, seconds, tokens) => seen.push([outcome, seconds > 0, { ...tokens }]) },
    )
    models.push(model)
    await ask(model)
    stub.fail('cut off', 1)
    await faultOf(ask(model))
    stub.fail(500, 1)
    await outage(ask(model))
    expect(seen).to.deep.equal([
      ['ok', true, { input: 120, output: 30 }],
      ['unfit', true, { input: 120, output: 30 }],
      ['failing', true, { input: 0, output: 0 }],
    ])
  })

  describe('an endpoint that sends Retry-After', () => {
    for (const status of [429, 503])
      it(`is not called for the time in its ${status}, when that is longer than a delay between attempts`, async () => {
        const stub = await startStub()
        const model = modelFor(stub, { breakerFailures: 1, breakerOpenMs: 1 })
        stub.fail({ status, retryAfter: '60' }, 1)
        expect((await outage(ask(model))).retryAfterMs).to.be.within(1, 60_000)
        const later = await outage(ask(model, { lane: 'interactive' }))
        expect(later.failure).to.be.oneOf(['busy', 'circuit open'])
        expect(await model.answers(new AbortController().signal)).to.equal(false)
        expect(stub.calls).to.have.length(1)
      })

    it('is called again afterwards, for seconds or a date, within one call', async () => {
      const stub = await startStub()
      // The date has whole seconds, and must still be ahead when a busy machine sends the first request.
      for (const inTime of [() => '1', () => new Date(Date.now() + 3_000).toUTCString()]) {
        const retryAfter = inTime()
        stub.calls.length = 0
        const model = modelFor(stub, { retries: 1, longestRetryDelayMs: 5_000 })
        stub.fail({ status: 429, retryAfter }, Infinity)
        const answer = ask(model)
        await until('the model is called', () => expect(stub.calls.length).to.equal(1))
        // Long before the next call, and long after it would have happened otherwise.
        await setTimeout(200)
        stub.recover()
        expect(await answer).to.deep.equal(RED)
        expect(stub.calls).to.have.length(2)
      }
    })

    for (const retryAfter of ['0', '-1', 'soon', '', 'Thu, 01 Jan 1970 00:00:00 GMT'])
      it(`is called as usual when it sends ${JSON.stringify(retryAfter)}`, async () => {
        const stub = await startStub()
        stub.fail({ status: 429, retryAfter }, 1)
        expect(await ask(modelFor(stub))).to.deep.equal(RED)
      })

    it('is not called for at most a minute', async () => {
      const stub = await startStub()
      stub.fail({ status: 429, retryAfter: '86400' }, 1)
      expect((await outage(ask(modelFor(stub)))).retryAfterMs).to.equal(60_000)
    })
  })

  describe('reports whether it answers a small request', () => {
    const answers = (model: LanguageModel) => model.answers(new AbortController().signal)

    it('though it is too late for a text, which opened the circuit', async () => {
      const late = (call: ChatCall) => call.messages.some(({ content }) => content.includes(SECRET_TEXT))
      const never = new Promise<void>(() => undefined)
      const stub = await startStub({ before: (call) => (late(call) ? never : undefined) })
      const model = modelFor(stub, { timeoutMs: 500, breakerFailures: 1, breakerOpenMs: 60_000 })
      // Reports what opened the circuit, not that it is open.
      expect((await outage(ask(model))).failure).to.equal('timeout')
      expect((await outage(ask(model))).failure).to.equal('circuit open')
      expect(await answers(model)).to.equal(true)
    })

    it('and that it does not when it hangs, fails or is unreachable', async () => {
      const stub = await startStub()
      const model = modelFor(stub)
      stub.fail('hang')
      expect(await answers(modelFor(stub, { timeoutMs: 50 }))).to.equal(false)
      for (const fault of [500, 401, 'drop'] as const) {
        stub.fail(fault)
        expect(await answers(model), String(fault)).to.equal(false)
      }
      stub.fail(400)
      expect(await answers(model)).to.equal(true)
      await model.close()
      expect(await answers(model)).to.equal(false)
    })
  })

  describe('creation', () => {
    const wrong: [settings: Partial<HttpLanguageModelSettings>, variable: string][] = [
      [{ url: 'host/v1' }, 'LLM_URL'],
      [{ url: 'http://user:k-1@host/v1' }, 'LLM_URL'],
      [{ model: '' }, 'LLM_MODEL'],
      [{ key: 'k-1\n' + 'x: y' }, 'LLM_KEY'],
      [{ concurrency: 1 }, 'LLM_CONCURRENCY'],
    ]
    for (const [settings, variable] of wrong)
      it(`refuses ${JSON.stringify(settings)}, naming ${variable}`, async () => {
        const stub = await startStub()
        expect(() => modelFor(stub, settings))
          .to.throw(ConfigError)
          .that.satisfies((error: ConfigError) => error.variable === variable && !error.message.includes('k-1'))
      })

    it('sends nothing, so that the endpoint may be unavailable', async () => {
      const stub = await startStub()
      await stub.stop()
      expect((await outage(ask(modelFor(stub)))).failure).to.equal('unreachable')
    })
  })
})
