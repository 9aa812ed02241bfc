import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { OpenAPIRouter, OpenAPIValidator } from 'openapi-backend'
import { CairnError, InvalidArgumentsError } from '../../runtime/errors.js'
import { BodyReader, type CheckedBody, type SchemaChecks } from './body-reader.js'
import { fieldErrorsOf } from './field-errors.js'
import {
  dereference,
  openapiDocument,
  type OpenapiDocument,
  type OperationObject,
  type ParameterObject,
} from './openapi-document.js'
import { decodeComponent, parseQuery } from './query-string.js'
import { routeOf, Router, type Match, type Route } from './routes.js'
import { createAjv } from './schema-keywords.js'
import type { Schema } from './schema.js'

type Values = Record<string, unknown>

/** A request's parameters, checked, with their types and defaults; header names as the contract writes them. */
export interface CheckedParameters {
  readonly params: Values
  readonly query: Values
  readonly headers: Values
}

export interface RawParameters {
  /** Percent-encoded values by name. */
  readonly params: Readonly<Record<string, string>>
  /** The query as it came, without its question mark. */
  readonly query: string
  /** Header values by name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

type FoundOperation = OperationObject & { readonly path: string; readonly method: string }
type ParameterKind = 'integer' | 'number' | 'boolean' | 'string'

interface Checks {
  readonly parameters: readonly (ParameterObject & { readonly kind: ParameterKind })[]
  readonly parametersCheck: ValidateFunction
  readonly body: BodyReader | null
}

/**
 * The contract at work: which operation a request is for, whether it is sound, and whether an answer is. All is read and
 * compiled once; openapi-backend's own router would compile every path for every request.
 */
export class Contract {
  readonly routes: readonly Route[]
  readonly #router: Router
  readonly #first: OpenAPIValidator
  readonly #all: OpenAPIValidator
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #operations: ReadonlyMap<string, FoundOperation>
  readonly #checks = new Map<string, Checks>()

  /** Throws when the document leaves open who may call an operation or what a reference means. */
  constructor(document: OpenapiDocument) {
    const whole = dereference(document)
    this.#schemas = (whole.components?.schemas ?? {}) as Readonly<Record<string, Schema>>
    const definition = whole as unknown as OpenAPIRouter['definition']
    const router = new OpenAPIRouter({ definition })
    const operations = router.getOperations() as unknown as FoundOperation[]
    // Asked for every operation that is compiled, and built anew each time.
    router.getOperations = () => operations as unknown as ReturnType<OpenAPIRouter['getOperations']>
    this.#first = validatorOf(definition, router, createAjv({ allErrors: false }))
    this.#all = validatorOf(definition, router, createAjv({ allErrors: true }))
    this.#operations = new Map(operations.map((operation) => [operation.operationId, operation]))
    this.routes = operations.map((operation) => routeOf(operation, declaredSecurity(document, operation)))
    this.#router = new Router(this.routes)
  }

  /** `path` as it came, percent-encoded and without its query. */
  match(method: string, path: string): Match {
    return this.#router.match(method, path)
  }

  /** Throws InvalidArgumentsError, or CairnError 400 for broken percent-encoding and for headers whose grammar is broken. */
  checkParameters(route: Route, raw: RawParameters): CheckedParameters {
    const { parameters, parametersCheck } = this.#checksOf(route.operationId)
    const path = Object.fromEntries(
      Object.entries(raw.params).map(([name, value]) => [name, decodeComponent(value, ['path', name])]),
    )
    const query: Values = parseQuery(raw.query)
    const header: Values = {}
    for (const { name, in: place, kind } of parameters) {
      if (place === 'query' && name in query) query[name] = readAs(kind, query[name] as string)
      const given = place === 'header' ? raw.headers[name.toLowerCase()] : undefined
      if (given !== undefined) header[name.toLowerCase()] = readAs(kind, String(given))
    }
    if (!parametersCheck({ path, query, header })) throw invalidParameters(parametersCheck, parameters)
    const headers = parameters
      .filter(({ name, in: place }) => place === 'header' && name.toLowerCase() in header)
      .map(({ name }) => [name, header[name.toLowerCase()]])
    return { params: path, query: { ...query }, headers: Object.fromEntries(headers) as Values }
  }

  /**
   * Reads the body of a route that takes one, giving way to other requests. Throws CairnError 400 for what is not JSON in UTF-8,
   * InvalidArgumentsError with every fault, or with the first one of a large body, and the signal's reason once it is aborted.
   */
  async readBody(route: Route, bytes: Buffer, signal?: AbortSignal): Promise<CheckedBody> {
    return this.#checksOf(route.operationId).body!.read(bytes, signal)
  }

  /** What is wrong with an answer: its status is not declared, or its body is not of the declared shape. */
  checkAnswer(operationId: string, status: number, body: unknown): string[] {
    const operation = this.#operations.get(operationId)
    if (!operation) return [`${operationId} is not in the contract`]
    if (!(String(status) in operation.responses)) return [`${operationId} does not declare ${status}`]
    const declared = operation.responses[String(status)] as { content?: unknown }
    if (!declared.content) return body === undefined || body === null ? [] : [`${operationId} ${status} has no body`]
    const { errors } = this.#all.validateResponse(body, operation as never, status)
    return (errors ?? []).map(({ instancePath, message, params }) => {
      return `${operationId} ${status} ${instancePath || '/'}: ${message} ${JSON.stringify(params)}`
    })
  }

  /** Compiles what an operation's requests are checked by, which costs some 20 ms once: before its first request or with it. */
  prepare(operationId: string): void {
    this.#checksOf(operationId)
  }

  #checksOf(operationId: string): Checks {
    let checks = this.#checks.get(operationId)
    if (!checks) this.#checks.set(operationId, (checks = this.#compile(this.#operations.get(operationId)!)))
    return checks
  }

  #compile(operation: FoundOperation): Checks {
    const { operationId, parameters = [], requestBody } = operation
    return {
      parameters: parameters.map((parameter) => ({ ...parameter, kind: kindOf(parameter) })),
      parametersCheck: this.#all.getRequestValidatorsForOperation(operationId).at(-1)!,
      body: requestBody === undefined ? null : this.#bodyReaderOf(operation),
    }
  }

  #bodyReaderOf({ operationId, requestBody }: FoundOperation): BodyReader {
    const { itemsCheckedAlone } = this.routes.find((route) => route.operationId === operationId)!
    const { content } = requestBody as { content: Readonly<Record<string, { readonly schema: Schema }>> }
    const itemSchema = itemsCheckedAlone && this.#schemas[itemsCheckedAlone.schema]!
    return new BodyReader({
      schema: content['application/json']!.schema,
      checks: {
        first: this.#first.getRequestValidatorsForOperation(operationId)[0]!,
        all: () => this.#all.getRequestValidatorsForOperation(operationId)[0]!,
      },
      items: itemSchema && { ...itemsCheckedAlone, itemSchema, itemChecks: checksOf(itemSchema) },
    })
  }
}

function checksOf(schema: Schema): SchemaChecks {
  let all: ValidateFunction | undefined
  return {
    first: createAjv({ allErrors: false }).compile(schema),
    all: () => (all ??= createAjv({ allErrors: true }).compile(schema)),
  }
}

/** openapi-backend's compiler over one Ajv of ours: it would make one of draft 7, without formats, for every schema. */
function validatorOf(definition: OpenAPIRouter['definition'], router: OpenAPIRouter, ajv: Ajv2020): OpenAPIValidator {
  const validator = new OpenAPIValidator({ definition, router, lazyCompileValidators: true })
  validator.getAjv = () => ajv as unknown as ReturnType<OpenAPIValidator['getAjv']>
  return validator
}

/** As it is written: openapi-backend reads an absent requirement as "none". */
function declaredSecurity(document: OpenapiDocument, { path, method }: FoundOperation): OperationObject['security'] {
  const item = document.paths[path] as Readonly<Record<string, OperationObject>>
  return item[method]?.security ?? document.security
}

function invalidParameters(check: ValidateFunction, parameters: readonly ParameterObject[]): CairnError {
  const names = new Map(
    parameters.filter(({ in: place }) => place === 'header').map(({ name }) => [name.toLowerCase(), name]),
  )
  const errors = fieldErrorsOf(check.errors as ErrorObject[]).map((error) =>
    error.loc[0] === 'header' ? { ...error, loc: ['header', names.get(error.loc[1] ?? '') ?? error.loc[1]!] } : error,
  )
  const unreadable = errors.find(({ loc: [place, name] }) => {
    return parameters.some((parameter) => isAt(parameter, place, name) && parameter['x-refused-with'] === 400)
  })
  return unreadable ? new CairnError(400, `${unreadable.loc[1]}: ${unreadable.msg}`) : new InvalidArgumentsError(errors)
}

function isAt(parameter: ParameterObject, place: string | undefined, name: string | undefined): boolean {
  return parameter.in === place && parameter.name === name
}

function kindOf({ schema }: ParameterObject): ParameterKind {
  const types = [schema.type].flat()
  return (['integer', 'number', 'boolean'] as const).find((kind) => types.includes(kind)) ?? 'string'
}

/** Text that does not read as `kind` stays text, for the schema to refuse. */
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

/** The contract of this package, compiled once. */
export function cairnContract(): Contract {
  known ??= new Contract(openapiDocument())
  return known
}

/** What is wrong with an answer, by the contract of this package; empty when nothing is. */
export function validateAnswer(operationId: string, status: number, body: unknown): string[] {
  return cairnContract().checkAnswer(operationId, status, body)
}
