import type { AnswerOf, OperationId } from '../../../api/operation.js'
import type { components } from '../../../contract/types.js'

export type Schemas = components['schemas']

export interface FailureBody {
  readonly error: Omit<Schemas['Error']['error'], 'details'> & { readonly details: Record<string, unknown> }
  readonly detail: string | Schemas['FieldError'][]
}

/** The fields of a success and of a failure together: a test looks at `status` and knows which it has. */
type BodyOf<K extends OperationId> = ([NonNullable<AnswerOf<K>['body']>] extends [never]
  ? unknown
  : NonNullable<AnswerOf<K>['body']>) &
  FailureBody

export interface ClientAnswer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** The answer of an operation. `ok()` resolves with the body instead, and throws unless the operation succeeded. */
export interface Call<K extends OperationId> extends Promise<ClientAnswer<BodyOf<K>>> {
  ok(): Promise<AnswerOf<K>['body']>
}

export type RequestHeaders = Readonly<Record<string, string>>

export interface CallInput {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: RequestHeaders
}

/** Calls an operation; the clients of the subjects are made of it. */
export type Request = <K extends OperationId>(operationId: K, input?: CallInput) => Call<K>

/** Members of a body. Tests send invalid ones too, so that they are not those of the contract. */
export type Fields = object
/** Undefined values and nulls are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

/** Returns the request function of a tenant, which names it in the body, or in the query where there is no body. */
export function requestFor(tenantId: string, request: Request): Request {
  const named = { tenant_id: tenantId }
  return (operationId, input = {}) =>
    request(operationId, {
      ...input,
      ...(input.body === undefined
        ? { query: { ...named, ...input.query } }
        : { body: { ...named, ...(input.body as Fields) } }),
    })
}

/** Returns the items of all pages. `read` returns the page behind a cursor. */
export async function pagesOf<Item>(
  read: (cursor?: string) => Promise<{ readonly items: Item[]; readonly next_cursor: string | null }>,
): Promise<Item[]> {
  const items: Item[] = []
  for (let cursor: string | undefined; ;) {
    const page = await read(cursor)
    items.push(...page.items)
    if (page.next_cursor === null) return items
    cursor = page.next_cursor
  }
}
