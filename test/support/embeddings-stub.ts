import { setTimeout as sleep } from 'node:timers/promises'
import {
  Refusal,
  startStubEndpoint,
  type EndpointCall,
  type EndpointFault,
  type StubEndpoint,
  type StubOptions,
} from './stub-endpoint.js'

/** Faults of the stub. */
export type EmbeddingsFault = EndpointFault | AnswerFault
type AnswerFault = 'no data' | 'too few' | 'wrong dimensions' | 'repeated index' | 'no index' | 'not numbers'

interface EmbeddingsCall extends EndpointCall {
  readonly model: unknown
  readonly input: readonly string[]
  readonly encodingFormat: unknown
}

export interface EmbeddingsStubOptions extends StubOptions<EmbeddingsCall> {
  readonly dimensions?: number
  /**
   * The only models that exist, each with vectors of its own; any other is a 404. Without it every model is the same.
   */
  readonly models?: readonly string[]
  /** Answers 400 to a call with such a text. */
  readonly refuses?: (text: string) => boolean
  /** True to return the entries of `data` in reverse order, each with its right `index`. */
  readonly reversed?: boolean
}

export type EmbeddingsStub = StubEndpoint<EmbeddingsCall, EmbeddingsFault>

/**
 * Starts an OpenAI-compatible /embeddings on a free loopback port, whose vectors are `stubVector` of the texts, not
 * unit length.
 */
export function startEmbeddingsStub(options: EmbeddingsStubOptions = {}): Promise<EmbeddingsStub> {
  const { dimensions = 64, reversed = false, key, before } = options
  return startStubEndpoint<EmbeddingsCall, AnswerFault>({
    path: '/embeddings',
    ...(key !== undefined && { key }),
    ...(before && { before }),
    read: (body: { model?: unknown; input?: unknown; encoding_format?: unknown }) => ({
      model: body.model,
      input: (Array.isArray(body.input) ? body.input : [body.input]) as string[],
      encodingFormat: body.encoding_format,
    }),
    quote: ({ input }) => input.join(' '),
    answer({ model, input }, fault) {
      if (options.models && !options.models.includes(String(model))) throw new Refusal(404, {})
      if (input.some((text) => options.refuses?.(text))) throw new Refusal(400, {})
      const own = options.models ? String(model) : ''
      const data = faulty(
        input.map((text, index) => ({ object: 'embedding', index, embedding: stubVector(text, dimensions, own) })),
        fault,
      )
      return { object: 'list', model, data: reversed ? data?.reverse() : data }
    },
  })
}

export interface TwoModels {
  readonly stub: EmbeddingsStub
  /** Allows `beta` to be asked for this many more texts; calls beyond them wait. */
  allow(texts: number): void
}

/**
 * Starts an endpoint with the models `alpha` and `beta`, the second of which answers nothing before it is allowed to.
 */
export async function startTwoModels(): Promise<TwoModels> {
  let allowed = 0
  const stub = await startEmbeddingsStub({
    models: ['alpha', 'beta'],
    before: async ({ model, input }) => {
      if (model !== 'beta') return
      allowed -= input.length
      while (allowed < 0) await sleep(20)
    },
  })
  return { stub, allow: (texts) => void (allowed = texts) }
}

/**
 * Returns the sum of one pseudo-random ±1 vector per word and model, ignoring case and plural endings: texts that share
 * words are near, others nearly orthogonal. A text without words gets zeros.
 */
export function stubVector(text: string, dimensions: number, model = ''): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let state = hash(model + word.replace(/(?<=\w{3})s$/, ''))
    for (let i = 0; i < dimensions; i++) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      vector[i]! += state & 0x80000000 ? 1 : -1
    }
  }
  return vector
}

/** Returns the FNV-1a hash, 32 bits. */
function hash(word: string): number {
  let state = 0x811c9dc5
  for (const byte of Buffer.from(word)) state = Math.imul(state ^ byte, 0x01000193) >>> 0
  return state
}

interface Entry {
  index?: number
  embedding: unknown[]
}

function faulty(data: Entry[], fault: AnswerFault | undefined): Entry[] | undefined {
  switch (fault) {
    case 'no data':
      return undefined
    case 'too few':
      return data.slice(1)
    case 'wrong dimensions':
      return data.map((entry) => ({ ...entry, embedding: entry.embedding.slice(1) }))
    case 'repeated index':
      return data.map((entry) => ({ ...entry, index: 0 }))
    case 'no index':
      return data.map(({ embedding }) => ({ embedding }))
    case 'not numbers':
      return data.map((entry) => ({ ...entry, embedding: entry.embedding.map(() => null) }))
    default:
      return data
  }
}
