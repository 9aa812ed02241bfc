import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { openapiDocument } from '../../contract/openapi-document.js'
import type { OpenapiDocument, ParameterObject } from '../../contract/openapi-types.js'
import { HttpError, InvalidRequestError } from '../errors.js'
import type { CheckedBody } from './body-reader.js'
import { type Checks, CompiledContract, type ParameterKind } from './compiled-contract.js'
import { fieldErrorsOf } from './field-errors.js'
import { nearRoute } from './near-route.js'
import { decodeComponent, decodeHeader, parseQuery } from './query-string.js'
import { type Match, Router } from './router.js'
import type { Route } from './routes.js'

type Values = Record<string, unknown>

/** A request's parameters after their check, with their types and defaults; header names as the contract writes them. */
export interface CheckedParameters {
  readonly params: Values
  readonly query: Values
  readonly headers: Values
}

interface RawParameters {
  /** Percent-encoded values by name. */
  readonly params: Readonly<Record<string, string>>
  /** The raw query, without its question mark. */
  readonly query: string
  /** Header values by lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Routes requests to the contract's operations and checks requests and responses against it. Everything is read and compiled once;
 * openapi-backend's own router would compile every path for every request.
 */
export class Contract {
  readonly routes: readonly Route[]
  readonly #router: Router
  readonly #compiled: CompiledContract
  readonly #checks = new Map<string, Checks>()

  /** Throws when the document does not say who may call an operation, or has a broken reference. */
  constructor(document: OpenapiDocument) {
    this.#compiled = new CompiledContract(document)
    this.routes = this.#compiled.routes
    this.#router = new Router(this.routes)
  }

  /** Finds the route of a request. `path` is raw: percent-encoded and without its query. */
  match(method: string, path: string): Match {
    return this.#router.match(method, path)
  }

  /** Returns the method and the path of the route that is probably meant by a request that has none; null for none. */
  near(method: string, path: string): string | null {
    return nearRoute(this.routes, method, path)
  }

  /**
   * Parses and checks a request's parameters. Throws InvalidRequestError, or HttpError 400 for broken percent-encoding and for headers
   * with broken syntax.
   */
  checkParameters(route: Route, raw: RawParameters): CheckedParameters {
    const { parameters, parametersCheck } = this.#checksOf(route.operationId)
    const path: Values = Object.fromEntries(
      Object.entries(raw.params).map(([name, value]) => [name, decodeComponent(value, ['path', name])]),
    )
    const query: Values = parseQuery(raw.query)
    const header: Values = {}
    for (const { name, in: location, kind, 'x-percent-encoded': isEncoded } of parameters) {
      const values = location === 'path' ? path : location === 'query' ? query : {}
      if (name in values) values[name] = readAs(kind, values[name] as string)
      const given = location === 'header' ? raw.headers[name.toLowerCase()] : undefined
      if (given === undefined) continue
      const text = isEncoded ? decodeHeader(String(given), ['header', name]) : String(given)
      header[name.toLowerCase()] = readAs(kind, text)
    }
    if (!parametersCheck({ path, query, header })) throw invalidParameters(parametersCheck, parameters)
    const headers = parameters
      .filter(({ name, in: location }) => location === 'header' && name.toLowerCase() in header)
      .map(({ name }) => [name, header[name.toLowerCase()]])
    return { params: path, query: { ...query }, headers: Object.fromEntries(headers) as Values }
  }

  /**
   * Parses and checks the body of a route that takes one, and yields to the event loop. Throws HttpError 400 for anything but JSON in
   * UTF-8, InvalidRequestError with all faults, or with the first fault of a large body, and the signal's reason once it is aborted.
   */
  async readBody(route: Route, bytes: Buffer, signal?: AbortSignal): Promise<CheckedBody> {
    return this.#checksOf(route.operationId).body!.read(bytes, signal)
  }

  /** Returns the faults of a response: an undeclared status, or a body that does not match its schema. */
  checkAnswer(operationId: string, status: number, body: unknown): string[] {
    return this.#compiled.faultsOfAnswer(operationId, status, body)
  }

  /** Compiles what an operation's requests are checked by, which costs some 20 ms once: before its first request or with it. */
  prepare(operationId: string): void {
    this.#checksOf(operationId)
  }

  #checksOf(operationId: string): Checks {
    let checks = this.#checks.get(operationId)
    if (!checks) this.#checks.set(operationId, (checks = this.#compiled.checksOf(operationId)))
    return checks
  }
}

function invalidParameters(check: ValidateFunction, parameters: readonly ParameterObject[]): HttpError {
  const names = new Map(
    parameters.filter(({ in: location }) => location === 'header').map(({ name }) => [name.toLowerCase(), name]),
  )
  const errors = fieldErrorsOf(check.errors as ErrorObject[]).map((error) =>
    error.loc[0] === 'header' ? { ...error, loc: ['header', names.get(error.loc[1] ?? '') ?? error.loc[1]!] } : error,
  )
  const unreadable = errors.find(({ loc: [location, name] }) => {
    return parameters.some((parameter) => isAt(parameter, location, name) && parameter['x-refused-with'] === 400)
  })
  return unreadable ? new HttpError(400, `${unreadable.loc[1]}: ${unreadable.msg}`) : new InvalidRequestError(errors)
}

function isAt(parameter: ParameterObject, location: string | undefined, name: string | undefined): boolean {
  return parameter.in === location && parameter.name === name
}

/** Converts a parameter's text to `kind`. Text that cannot be converted stays text, for the schema to refuse. */
function readAs(kind: ParameterKind, text: string): unknown {
  switch (kind) {
    case 'integer':
      return /^-?\d{1,15}$/.test(text) ? Number(text) : text
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'string':
      return text
  }
}

let known: Contract | undefined

/** Returns the contract of this package, compiled once. */
export function cairnContract(): Contract {
  known ??= new Contract(openapiDocument())
  return known
}

/** Returns the faults of a response under the contract of this package; empty when it has none. */
export function validateAnswer(operationId: string, status: number, body: unknown): string[] {
  return cairnContract().checkAnswer(operationId, status, body)
}
