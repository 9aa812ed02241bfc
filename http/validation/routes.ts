import { isTrust, type Trust } from '../../domain/trust.js'
import type { OperationObject } from '../../contract/openapi-types.js'
import { RATE_LIMITINGS, type RateLimiting } from '../rate-class.js'

/** The credential that an operation requires. */
type Security = 'public' | 'apiKey' | 'adminKey'

/** An operation of the contract, with all that the transport needs to know of it. */
export interface Route {
  readonly operationId: string
  /** HTTP method in upper case. */
  readonly method: string
  readonly path: string
  readonly security: Security
  /** Least trust of a caller; null where the transport does not check it. */
  readonly requiredTrust: Trust | null
  readonly rateLimiting: RateLimiting
  readonly takesBody: boolean
  readonly bodyLimitBytes: number
  readonly deadlineMs: number
  /** The path parameters that may contain slashes. */
  readonly slashedParameters: readonly string[]
  /** Null where a body is accepted or refused as a whole. */
  readonly itemsCheckedAlone: ItemsCheckedAlone | null
  /** The row of a tenant that its callers write one after another; null where they need not wait for one another. */
  readonly writtenRow: WrittenRow | null
  /** Says how many permits a call needs; null for one, whatever it asks for. */
  readonly weighing: Weighing | null
  /** True when it changes keys or agents; cached identities are cleared after it. */
  readonly changesIdentities: boolean
  /** True when it also answers on a literal path of the contract that its path template matches, if that path lacks its method. */
  readonly reachesLiterals: boolean
}

/** Holds for every route beside those of the contract. */
export const BESIDE_CONTRACT = {
  requiredTrust: null,
  rateLimiting: 'none',
  slashedParameters: [],
  itemsCheckedAlone: null,
  writtenRow: null,
  weighing: null,
  changesIdentities: false,
  reachesLiterals: false,
} as const satisfies Partial<Route>

/** A list in the body whose items are checked and refused one by one. */
export interface ItemsCheckedAlone {
  readonly field: string
  /** Name of the schema that each item is checked against. */
  readonly schema: string
  /** Fields of the body that no item may have, whatever its schema says; the whole request is refused then. */
  readonly beside: readonly string[]
}

/** Names a row, with the fields of the path or of the body that tell it from others of its kind. */
export interface WrittenRow {
  readonly row: string
  readonly by: readonly string[]
}

/** A permit for each so many of a field of the body, for half as many where another field is true. */
export interface Weighing {
  readonly of: string
  readonly each: number
  readonly doubledBy: string
}

const DEFAULT_BODY_LIMIT_BYTES = 1_048_576
const DEFAULT_DEADLINE_MS = 30_000

/** Returns the route of an operation. Throws when the contract leaves open what the transport must know, such as who may call it. */
export function routeOf(
  operation: OperationObject & { readonly path: string; readonly method: string },
  security: OperationObject['security'],
): Route {
  return {
    operationId: operation.operationId,
    method: operation.method.toUpperCase(),
    path: operation.path,
    security: securityOf(operation.operationId, security),
    requiredTrust: trustOf(operation),
    rateLimiting: rateLimitingOf(operation),
    takesBody: operation.requestBody !== undefined,
    bodyLimitBytes: numberOf(operation, 'x-body-limit-bytes') ?? DEFAULT_BODY_LIMIT_BYTES,
    deadlineMs: numberOf(operation, 'x-deadline-ms') ?? DEFAULT_DEADLINE_MS,
    slashedParameters: [(operation['x-parameter-with-slashes'] as string | string[] | undefined) ?? []].flat(),
    itemsCheckedAlone: (operation['x-items-checked-alone'] as ItemsCheckedAlone | undefined) ?? null,
    writtenRow: (operation['x-writes-row'] as WrittenRow | undefined) ?? null,
    weighing: (operation['x-permits'] as Weighing | undefined) ?? null,
    changesIdentities: operation['x-changes-identities'] === true,
    reachesLiterals: operation['x-shadowed-by-literals'] === true,
  }
}

/** Security schemes of the contract: a key may be sent in either header. */
const SCHEMES: Readonly<Record<string, Security>> = {
  apiKey: 'apiKey',
  bearerKey: 'apiKey',
  adminKey: 'adminKey',
  bearerAdminKey: 'adminKey',
}

/** Accepts one kind of key, in either header, or the empty list for a public route. Throws on anything else, also when there is none. */
function securityOf(operationId: string, security: OperationObject['security']): Security {
  if (security?.length === 0) return 'public'
  const kinds = (security ?? []).map((requirement) => {
    const schemes = Object.keys(requirement)
    return schemes.length === 1 && Object.hasOwn(SCHEMES, schemes[0]!) ? SCHEMES[schemes[0]!] : undefined
  })
  const [kind] = kinds
  if (kind === undefined || kinds.some((other) => other !== kind)) {
    throw new Error(`${operationId}: unknown security ${JSON.stringify(security ?? null)}`)
  }
  return kind
}

function trustOf(operation: OperationObject): Trust | null {
  const trust = numberOf(operation, 'x-required-trust')
  if (trust === null || isTrust(trust)) return trust
  throw new Error(`${operation.operationId}: unknown trust level ${trust}`)
}

function rateLimitingOf(operation: OperationObject): RateLimiting {
  const said = operation['x-rate-limit']
  const limiting = RATE_LIMITINGS.find((known) => known === said)
  if (limiting === undefined)
    throw new Error(`${operation.operationId}: x-rate-limit must be one of ${RATE_LIMITINGS.join(', ')}`)
  return limiting
}

function numberOf(operation: OperationObject, extension: `x-${string}`): number | null {
  const value = operation[extension]
  if (value === undefined) return null
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw new Error(`${operation.operationId}: ${extension} must be a whole number`)
}
