import type { operations } from './contract.gen.js'
import type { RetryPolicy } from './retries.js'

/** Name of an operation of the contract. */
export type OperationId = keyof operations

type Given<T> = [NonNullable<T>] extends [never] ? unknown : NonNullable<T>
type PathOf<K extends OperationId> = Given<operations[K]['parameters']['path']>
type QueryOf<K extends OperationId> = Given<operations[K]['parameters']['query']>
type BodyOf<K extends OperationId> = operations[K] extends {
  requestBody?: { content: { 'application/json': infer Body } }
}
  ? Body
  : unknown

/** Operations of tenants, whose tenant is the key's own unless it is named. */
type OfTenant<K extends OperationId> = 'X-Agent-ID' extends keyof NonNullable<operations[K]['parameters']['header']>
  ? true
  : false

/** Keeps index signatures and members of unions, which `Omit` would lose. */
type WithOptionalTenant<T> = T extends { tenant_id?: unknown }
  ? { [F in keyof T as F extends 'tenant_id' ? never : F]: T[F] } & { tenant_id?: T['tenant_id'] }
  : T

type Flat<T> = T extends unknown ? { [F in keyof T]: T[F] } : never

/** The input of an operation: the fields of its path, query and body in one object. */
export type Arguments<K extends OperationId> = Flat<
  OfTenant<K> extends true
    ? PathOf<K> & WithOptionalTenant<QueryOf<K>> & WithOptionalTenant<BodyOf<K>>
    : PathOf<K> & QueryOf<K> & BodyOf<K>
>

type Responses<K extends OperationId> = operations[K]['responses']
type SuccessStatus<K extends OperationId> = Extract<keyof Responses<K>, 200 | 201 | 202 | 204 | 207 | 304>
/** The body of an answer: JSON, or bytes. */
type ContentOf<R> = R extends { content: { 'application/json': infer Body } }
  ? Body
  : R extends { content: { 'application/octet-stream': unknown } }
    ? Uint8Array
    : undefined

/** An answer that is not an error. */
export type Answer<K extends OperationId> = {
  [Status in SuccessStatus<K>]: {
    readonly status: Status
    readonly headers: Headers
    readonly body: ContentOf<Responses<K>[Status]>
  }
}[SuccessStatus<K>]

type Success<K extends OperationId> = Exclude<Answer<K>, { readonly status: 304 }>['body']

export interface CallOptions extends Partial<RetryPolicy> {
  /** Ends the call, its waits and retries included. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds for each attempt. */
  readonly timeoutMs?: number | undefined
}

interface HeaderOptions {
  readonly 'X-Agent-ID': 'agentId'
  readonly 'Idempotency-Key': 'idempotencyKey'
  readonly 'If-Match': 'ifMatch'
  readonly 'If-None-Match': 'ifNoneMatch'
}

/** Options of a call: those of every call, and the headers that the operation takes. */
export type OptionsOf<K extends OperationId> = CallOptions & {
  readonly [
    H in keyof HeaderOptions as H extends keyof NonNullable<operations[K]['parameters']['header']>
      ? HeaderOptions[H]
      : never
  ]?: string | undefined
}

/** The body of an answer, and for a list with a cursor the items of all its pages, read as the loop goes on. */
export type Result<Body> = Body extends { items: readonly (infer Item)[]; next_cursor: string | null }
  ? Promise<Body> & AsyncIterable<Item>
  : Promise<Body>

/** Only `request` tells an answer of 304 from others. */
type MethodOptions<K extends OperationId> = Omit<OptionsOf<K>, 'ifNoneMatch'>

type Parameters<K extends OperationId, A> =
  Record<never, never> extends A ? [args?: A, options?: MethodOptions<K>] : [args: A, options?: MethodOptions<K>]

type PlainMethod<K extends OperationId> = (...given: Parameters<K, Arguments<K>>) => Result<Success<K>>

/** An operation whose list is bare unless `envelope` is true. */
interface EnvelopeMethod<K extends OperationId> {
  (
    args: Omit<Arguments<K>, 'envelope'> & { readonly envelope: true },
    options?: MethodOptions<K>,
  ): Promise<Exclude<Success<K>, readonly unknown[]>>
  (
    args?: Omit<Arguments<K>, 'envelope'> & { readonly envelope?: false },
    options?: MethodOptions<K>,
  ): Promise<Extract<Success<K>, readonly unknown[]>>
}

export type Method<K extends OperationId> = 'envelope' extends keyof Arguments<K> ? EnvelopeMethod<K> : PlainMethod<K>

/** The facts of an operation that a request needs. */
export interface OperationFacts {
  readonly method: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'
  readonly path: string
  /** Names of the query parameters; what is neither one nor in the path is of the body. */
  readonly query: readonly string[]
  readonly takesBody: boolean
  /** `required`: the operation needs a tenant; `optional`: the key's own is meant; `none`: it is not of tenants. */
  readonly tenant: 'required' | 'optional' | 'none'
  readonly takesIdempotencyKey: boolean
  /** True when sending it twice leaves the same state as sending it once. */
  readonly isIdempotent: boolean
  /** True when its answer is a page of `items` with `next_cursor`. */
  readonly isPaged: boolean
}
