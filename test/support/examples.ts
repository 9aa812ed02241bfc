import { expect } from 'chai'
import { dereference, openapiDocument } from '../../contract/openapi-document.js'
import type { OperationObject, ParameterObject } from '../../contract/openapi-types.js'
import type { OperationId } from '../../api/operation.js'
import type { Client } from './client.js'
import type { Call, CallInput } from './clients/request.js'

/** One call of an operation, in the words of the contract. */
export interface Example {
  readonly operationId: OperationId
  readonly request: CallInput
  readonly status: number
  /** Undefined where the answer has no body. */
  readonly answer: unknown
}

interface Media {
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Body {
  readonly content?: Readonly<Record<string, Media>>
}

interface DocumentedOperation extends OperationObject {
  readonly description?: string
  readonly parameters: readonly (ParameterObject & { readonly example?: unknown })[]
}

/** Members that differ between two runs of the same requests. Of these only the type is compared. */
const TIMES = /^(at|.*_at|known_(from|until)|from|to|start)$/
const MEASURED = new Set([
  'uptime_s',
  'recall_ms',
  'search_ms',
  'seconds',
  'oldest_waiting_age_s',
  'oldest_pending_age_s',
])
/** The verdict on a skill, which an answer waits a second for. */
const LATE = new Set(['scan'])
/** Ids, tags and hashes of random things: one of an example always stands for the same one of the run. */
const IDENTIFIERS = new Set(['id', 'key_id', 'api_key', 'etag', 'hash'])
const INDEX_NAME = /\.index\.name$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
/** Scores depend a little on how long ago something was written. */
const TOLERANCE = 0.001
/** Long lists and objects, of which the examples show the beginning. */
const ABRIDGED = new Set(['language_codes', 'places', 'vacuumed', 'getOpenapi'])

/** Returns the operations of the contract by name, references resolved. */
export function documentedOperations(): ReadonlyMap<OperationId, DocumentedOperation> {
  const { paths } = dereference(openapiDocument())
  const operations = Object.values(paths as Record<string, Record<string, DocumentedOperation>>).flatMap((item) =>
    Object.values(item)
      .filter((operation) => 'operationId' in operation)
      .map((operation) => {
        const shared = (item.parameters ?? []) as unknown as ParameterObject[]
        return { ...operation, parameters: [...shared, ...(operation.parameters ?? [])] }
      }),
  )
  return new Map(operations.map((operation) => [operation.operationId as OperationId, operation]))
}

/** Returns the examples of an operation by name; one that stands alone has the name ''. */
export function examplesOf(operation: DocumentedOperation): ReadonlyMap<string, Example> {
  const operationId = operation.operationId as OperationId
  const bodies = valuesOf(operation.requestBody as Body | undefined)
  const answers = Object.entries(operation.responses as Record<string, Body>)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, response]): [string, Pick<Example, 'status' | 'answer'>][] =>
      response.content
        ? [...valuesOf(response)].map(([name, answer]) => [name, { status: Number(status), answer }])
        : [['', { status: Number(status), answer: undefined }]],
    )
  return new Map(
    answers.map(([name, answer]) => [
      name,
      { operationId, request: { ...parametersOf(operation), body: bodies.get(name) }, ...answer },
    ]),
  )
}

function parametersOf({ parameters }: DocumentedOperation): CallInput {
  const given = (place: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === place && parameter.example !== undefined)
        .map(({ name, example }) => [name, String(example)]),
    )
  return { params: given('path'), query: given('query'), headers: given('header') }
}

function valuesOf(body: Body | undefined): ReadonlyMap<string, unknown> {
  const { example, examples = {} } =
    body?.content?.['application/json'] ?? body?.content?.['application/octet-stream'] ?? {}
  const named = Object.entries(examples).map(([name, { value }]) => [name, value] as const)
  return new Map(example === undefined ? named : [['', example], ...named])
}

interface SendOptions<K extends OperationId> {
  /** The example's name, where the operation has several. */
  readonly name?: string
  /** Returns what of the body is compared. */
  readonly compared?: (body: Awaited<Call<K>>['body']) => unknown
}

/** Sends examples of the contract one after the other, and compares the answers with them. */
export class ExampleWalk {
  readonly sent = new Set<string>()
  /** Real ids by those of the examples. */
  readonly #ids = new Map<string, string>()
  readonly #operations = documentedOperations()

  /** Sends an example as it stands, with ids of this run. Returns the answer. */
  async send<K extends OperationId>(client: Client, operationId: K, options: SendOptions<K> = {}) {
    const { name = '', compared = (body) => body } = options
    const example = examplesOf(this.#operations.get(operationId)!).get(name)
    if (example === undefined) throw new Error(`${operationId} has no example ${name}`)
    const answer = await client.call(operationId, this.#withRealIds(example.request) as CallInput)
    const title = [operationId, name].filter(Boolean).join(' ')
    expect(answer.status, `${title}: ${JSON.stringify(answer.body)}`).to.equal(example.status)
    this.#compare(compared(answer.body), example.answer, title)
    this.sent.add(`${operationId} ${name}`.trim())
    return answer
  }

  /** Says what an id of the examples is in this run, where no body shows it. */
  bind(id: string, real: string): void {
    this.#ids.set(id, real)
  }

  /** Returns the real id of an example's. */
  idOf(id: string): string {
    return this.#ids.get(id) ?? id
  }

  #withRealIds(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
      typeof inner === 'string' ? this.idOf(inner) : inner,
    )
  }

  #compare(actual: unknown, example: unknown, at: string): void {
    const member = at.split('.').at(-1)!
    expect(typeOf(actual), `the type of ${at}`).to.equal(typeOf(example))
    if (LATE.has(member) || MEASURED.has(member) || TIMES.test(member) || INDEX_NAME.test(at)) return
    if (typeof example === 'object' && example !== null) {
      const [names, expected] = [Object.keys(actual as object), Object.keys(example)]
      if (ABRIDGED.has(member)) expect(names, at).to.include.members(expected)
      else expect(names, at).to.have.members(expected)
      for (const [name, value] of Object.entries(example))
        this.#compare((actual as Record<string, unknown>)[name], value, `${at}.${name}`)
    } else if (typeof example === 'string' && (IDENTIFIERS.has(member) || UUID.test(example) || this.#ids.has(example)))
      expect(actual, at).to.equal(this.#realIdOf(example, actual as string))
    else if (typeof example === 'number' && !(Number.isInteger(example) && Number.isInteger(actual)))
      expect(actual, at).to.be.closeTo(example, TOLERANCE)
    else expect(actual, at).to.equal(example)
  }

  /** Returns the id that stands for an example's in this run: the first one that was seen in its place. */
  #realIdOf(example: string, actual: string): string {
    if (!this.#ids.has(example)) this.#ids.set(example, actual)
    return this.#ids.get(example)!
  }
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
}
