import type { Principal } from '../domain/principal.js'
import type { ApiContext } from './context.js'
import type { CheckedBody } from './contract/body-reader.js'
import type { operationFacts, operations } from './contract/contract.gen.js'
import type { Outside } from './outside.js'

export type OperationId = keyof operations

type SuccessStatus = 200 | 201 | 202 | 204 | 207 | 304

type Parameters<K extends OperationId, In extends 'path' | 'query' | 'header'> =
  NonNullable<operations[K]['parameters'][In]> extends never
    ? Record<string, never>
    : NonNullable<operations[K]['parameters'][In]>

/** Parameters that have a default are always there: the door puts it in. */
type WithDefaults<T, Name extends PropertyKey> = Omit<T, Name> & { [N in Name & keyof T]-?: Exclude<T[N], undefined> }

/** Makes a body required that may be left out: the door then takes it for an empty object. */
type BodyOf<K extends OperationId> = [NonNullable<operations[K]['requestBody']>] extends [never]
  ? undefined
  : NonNullable<operations[K]['requestBody']> extends { content: { 'application/json': infer Body } }
    ? Body
    : undefined

/** The principal on tenant routes; null on public ones and on those of the admin credential. */
export type CallerOf<K extends OperationId> = operationFacts[K]['security'] extends 'apiKey' ? Principal : null

/** What the contract promises of a request, checked and with its defaults; header names as the contract writes them. */
export interface InputOf<K extends OperationId> {
  readonly params: Parameters<K, 'path'>
  readonly query: WithDefaults<Parameters<K, 'query'>, operationFacts[K]['defaults']>
  readonly headers: Parameters<K, 'header'>
  readonly body: BodyOf<K>
  /** By index, for items that are checked one by one: why each is refused; empty for a sound one. In its place stands something else. */
  readonly itemFaults: CheckedBody['itemFaults']
  /** Aborted at the request's deadline and when the caller hangs up. */
  readonly signal: AbortSignal
  readonly requestId: string
  /** Waits for other services while the tenant's next request is at work. */
  readonly outside: Outside
}

type JsonOf<Response> = Response extends { content: { 'application/json': infer Body } } ? Body : undefined

/** One of the declared successes; failures are thrown as `CairnError`. */
export type AnswerOf<K extends OperationId> = {
  [Status in keyof operations[K]['responses'] & SuccessStatus]: {
    readonly status: Status
    readonly headers?: Readonly<Record<string, string>>
  } & (JsonOf<operations[K]['responses'][Status]> extends undefined
    ? { readonly body?: undefined }
    : { readonly body: JsonOf<operations[K]['responses'][Status]> })
}[keyof operations[K]['responses'] & SuccessStatus]

/** One operation of the contract: the HTTP door and the tools call the same function. */
export type Operation<K extends OperationId> = (
  context: ApiContext,
  caller: CallerOf<K>,
  input: InputOf<K>,
) => Promise<AnswerOf<K>>

/** A missing operation does not compile. */
export type OperationTable = { readonly [K in OperationId]: Operation<K> }
