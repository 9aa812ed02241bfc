import { isTrust, type Trust } from '../../domain/trust.js'
import { RATE_LIMITINGS, type RateLimiting } from '../rate-class.js'
import type { OperationObject } from '../../contract/openapi-types.js'

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
  /** The path parameter that may contain slashes; null for none. */
  readonly slashedParameter: string | null
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
  slashedParameter: null,
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
    slashedParameter: (operation['x-parameter-with-slashes'] as string | undefined) ?? null,
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

export type Match =
  | { readonly kind: 'route'; readonly route: Route; readonly rawParams: Readonly<Record<string, string>> }
  | { readonly kind: 'method'; readonly allow: string }
  /** `because` says why, where more is known than that there is none. */
  | { readonly kind: 'none'; readonly because?: string }

interface PathItem {
  readonly expression: RegExp
  readonly literalLength: number
  readonly names: readonly string[]
  readonly byMethod: Map<string, Target>
}

/** The route of a method of a path, and how its parameters are read. */
interface Target extends Pick<PathItem, 'expression' | 'names'> {
  readonly route: Route
}

/** Finds the route of a method and a raw path. Literal paths are looked up in a map; expressions are compiled once. */
export class Router {
  readonly #literal = new Map<string, PathItem>()
  readonly #templates: PathItem[] = []

  constructor(routes: readonly Route[]) {
    for (const path of new Set(routes.map((route) => trimSlash(route.path)))) {
      const item = pathItemOf(
        path,
        routes.filter((route) => trimSlash(route.path) === path),
      )
      if (item.names.length === 0) this.#literal.set(path, item)
      else this.#templates.push(item)
    }
    // A path with more literal text is the more specific one.
    this.#templates.sort((a, b) => b.literalLength - a.literalLength)
    this.#reachLiterals()
  }

  /** Finds the route of a request. `path` is percent-encoded, with or without a trailing slash. HEAD matches where GET does. */
  match(method: string, path: string): Match {
    const trimmed = trimSlash(path)
    const wanted = method === 'HEAD' ? 'GET' : method
    const literal = this.#literal.get(trimmed)
    const items = literal ? [literal] : this.#templates.filter(({ expression }) => expression.test(trimmed))
    if (items.length === 0) return { kind: 'none' }
    // A value with slashes may look like a longer path: `/skills-inbox/agent/approve` is the skill `agent/approve`.
    const target = items.find(({ byMethod }) => byMethod.has(wanted))?.byMethod.get(wanted)
    if (!target) return { kind: 'method', allow: allowOf(items[0]!) }
    const { route, expression, names } = target
    const values = expression.exec(trimmed) ?? []
    return { kind: 'route', route, rawParams: Object.fromEntries(names.map((name, i) => [name, values[i + 1]!])) }
  }

  #reachLiterals(): void {
    for (const { expression, byMethod } of this.#templates)
      for (const [path, literal] of this.#literal)
        if (expression.test(path))
          for (const [method, target] of byMethod)
            if (target.route.reachesLiterals && !literal.byMethod.has(method)) literal.byMethod.set(method, target)
  }
}

function allowOf({ byMethod }: PathItem): string {
  return [...byMethod.keys()].flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

function trimSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

function pathItemOf(path: string, routes: readonly Route[]): PathItem {
  const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name!)
  const literals = path.split(/\{[^}]+\}/).map((literal) => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const slashed = new Set(routes.map(({ slashedParameter }) => slashedParameter))
  const values = names.map((name) => (slashed.has(name) ? '(.+)' : '([^/]+)'))
  const expression = new RegExp(`^${literals.map((literal, i) => literal + (values[i] ?? '')).join('')}$`)
  const byMethod = new Map(routes.map((route) => [route.method, { route, expression, names }]))
  return { expression, literalLength: literals.join('').length, names, byMethod }
}
