import type { Principal } from '../domain/principal.js'
import type { ServiceContext } from '../services/context.js'
import type { CheckedBody } from '../http/validation/body-reader.js'
import type { operationFacts } from '../contract/facts.gen.js'
import type { operations, WithDefaults } from '../contract/types.js'
import type { ExternalCalls } from '../runtime/external-calls.js'

export type OperationId = keyof operations

type SuccessStatus = 200 | 201 | 202 | 204 | 207 | 304

type Parameters<K extends OperationId, In extends 'path' | 'query' | 'header'> =
  NonNullable<operations[K]['parameters'][In]> extends never
    ? Record<string, never>
    : NonNullable<operations[K]['parameters'][In]>

/** Makes an optional body required: an absent one is read as an empty object. */
type BodyOf<K extends OperationId> = [NonNullable<operations[K]['requestBody']>] extends [never]
  ? undefined
  : NonNullable<operations[K]['requestBody']> extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined

/** The caller's principal on tenant routes; null on public routes and on routes of the admin credential. */
type CallerOf<K extends OperationId> = operationFacts[K]['security'] extends 'apiKey' ? Principal : null

/** An operation's input, checked against the contract and with its defaults; header names as the contract writes them. */
export interface InputOf<K extends OperationId> {
  readonly params: Parameters<K, 'path'>
  readonly query: WithDefaults<Parameters<K, 'query'>, operationFacts[K]['query']>
  readonly headers: Parameters<K, 'header'>
  readonly body: WithDefaults<BodyOf<K>, operationFacts[K]['body']>
  /** Faults of the items that are checked one by one, by index; empty for a valid item. The body holds a placeholder for a refused one. */
  readonly itemFaults: CheckedBody['itemFaults']
  /** Aborted at the request's deadline and when the caller disconnects. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Waits for other services while the tenant's next request uses the permit. */
  readonly externalCalls: ExternalCalls
}

/** The body of an answer: JSON, or bytes. */
type ContentOf<Response> = Response extends { content: { 'application/json': infer Body } }
  ? Body
  : Response extends { content: { 'application/octet-stream': unknown } }
    ? Buffer
    : undefined

/** A declared success response; failures are thrown as `CairnError`. */
export type AnswerOf<K extends OperationId> = {
  [Status in keyof operations[K]['responses'] & SuccessStatus]: {
    readonly status: Status
    readonly headers?: Readonly<Record<string, string>>
  } & (ContentOf<operations[K]['responses'][Status]> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: ContentOf<operations[K]['responses'][Status]> })
}[keyof operations[K]['responses'] & SuccessStatus]

/** The function of one operation of the contract, called by every transport alike. */
export type Operation<K extends OperationId> = (
  context: ServiceContext,
  caller: CallerOf<K>,
  input: InputOf<K>,
) => Promise<AnswerOf<K>>

/** The functions of all operations; a missing one does not compile. */
export type OperationTable = { readonly [K in OperationId]: Operation<K> }
