import { isTrust, type Trust } from '../../domain/trust.js'
import { RATE_LIMITINGS, type RateLimiting } from '../limits/rate-class.js'
import type { OperationObject } from './openapi-document.js'

/** What an operation asks of its caller's credential. */
export type Security = 'public' | 'apiKey' | 'adminKey'

/** An operation of the contract with all that the door needs to know of it. */
export interface Route {
  readonly operationId: string
  /** In capitals. */
  readonly method: string
  readonly path: string
  readonly security: Security
  /** Null: no gate at the door. */
  readonly requiredTrust: Trust | null
  readonly rateLimiting: RateLimiting
  readonly takesBody: boolean
  readonly bodyLimitBytes: number
  readonly deadlineMs: number
  /** The path parameter that may hold slashes. */
  readonly slashedParameter: string | null
  /** Null where a body is taken or refused as a whole. */
  readonly itemsCheckedAlone: ItemsCheckedAlone | null
  /** It changes keys or agents, so what is remembered of them is forgotten after it. */
  readonly changesIdentities: boolean
  /** It also answers where the value of its path's parameter makes another path of the contract, which has no such method. */
  readonly reachesLiterals: boolean
}

/** A list of the body whose items are refused one by one. */
export interface ItemsCheckedAlone {
  readonly field: string
  /** The name of the schema that each is checked against. */
  readonly schema: string
  /** Fields of the body that an item may not name, whatever its schema says: the whole request is refused then. */
  readonly beside: readonly string[]
}

export const DEFAULT_BODY_LIMIT_BYTES = 1_048_576
export const DEFAULT_DEADLINE_MS = 30_000

/** Throws when the contract leaves anything open that the door must know: above all who may call. */
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
    changesIdentities: operation['x-changes-identities'] === true,
    reachesLiterals: operation['x-shadowed-by-literals'] === true,
  }
}

/** The schemes of the contract: a key may come in either header. */
const SCHEMES: Readonly<Record<string, Security>> = {
  apiKey: 'apiKey',
  bearerKey: 'apiKey',
  adminKey: 'adminKey',
  bearerAdminKey: 'adminKey',
}

/** One kind of key in whichever header, or the empty list for everybody. Anything else, absence too, is not understood and refused. */
function securityOf(operationId: string, security: OperationObject['security']): Security {
  if (security?.length === 0) return 'public'
  const kinds = (security ?? []).map((requirement) => {
    const schemes = Object.keys(requirement)
    return schemes.length === 1 && Object.hasOwn(SCHEMES, schemes[0]!) ? SCHEMES[schemes[0]!] : undefined
  })
  const [kind] = kinds
  if (kind === undefined || kinds.some((other) => other !== kind)) {
    throw new Error(`${operationId}: the door does not know the security ${JSON.stringify(security ?? null)}`)
  }
  return kind
}

function trustOf(operation: OperationObject): Trust | null {
  const trust = numberOf(operation, 'x-required-trust')
  if (trust === null || isTrust(trust)) return trust
  throw new Error(`${operation.operationId}: there is no trust level ${trust}`)
}

function rateLimitingOf(operation: OperationObject): RateLimiting {
  const said = operation['x-rate-limit']
  const limiting = RATE_LIMITINGS.find((known) => known === said)
  if (limiting === undefined)
    throw new Error(`${operation.operationId}: x-rate-limit is one of ${RATE_LIMITINGS.join(', ')}`)
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
  | { readonly kind: 'none' }

interface PathItem {
  readonly expression: RegExp
  readonly literalLength: number
  readonly names: readonly string[]
  readonly byMethod: Map<string, Target>
}

/** What a method of a path leads to, and how its parameters are read. */
interface Target extends Pick<PathItem, 'expression' | 'names'> {
  readonly route: Route
}

/** Finds the route of a method and a raw path; every expression is compiled once, literal paths are looked up. */
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

  /** `path` as it came, percent-encoded; with or without a slash at its end. HEAD is answered where GET is. */
  match(method: string, path: string): Match {
    const trimmed = trimSlash(path)
    const item = this.#literal.get(trimmed) ?? this.#templates.find(({ expression }) => expression.test(trimmed))
    if (!item) return { kind: 'none' }
    const target = item.byMethod.get(method === 'HEAD' ? 'GET' : method)
    if (!target) return { kind: 'method', allow: allowOf(item) }
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
