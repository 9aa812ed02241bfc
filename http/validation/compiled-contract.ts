import type { Ajv2020, ValidateFunction } from 'ajv/dist/2020.js'
import { OpenAPIRouter, OpenAPIValidator } from 'openapi-backend'
import { dereference } from '../../contract/openapi-document.js'
import type { OpenapiDocument, OperationObject, ParameterObject, Schema } from '../../contract/openapi-types.js'
import { MAX_BYTES } from './scan-unit.js'
import { BodyReader, type SchemaChecks } from './body-reader.js'
import { type Route, routeOf } from './routes.js'
import { createAjv } from './schema-keywords.js'

type FoundOperation = OperationObject & { readonly path: string; readonly method: string }
export type ParameterKind = 'integer' | 'number' | 'boolean' | 'string'

/** The checks of one operation's requests. */
export interface Checks {
  readonly parameters: readonly (ParameterObject & { readonly kind: ParameterKind })[]
  readonly parametersCheck: ValidateFunction
  readonly body: BodyReader | null
}

/** Compiles the contract's schemas by openapi-backend: of each operation when it is asked for, which costs some 20 ms. */
export class CompiledContract {
  readonly routes: readonly Route[]
  readonly #first: OpenAPIValidator
  readonly #all: OpenAPIValidator
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #operations: ReadonlyMap<string, FoundOperation>

  /** Throws when the document does not say who may call an operation, or has a broken reference. */
  constructor(document: OpenapiDocument) {
    const whole = dereference(document)
    this.#schemas = (whole.components?.schemas ?? {}) as Readonly<Record<string, Schema>>
    const definition = whole as unknown as OpenAPIRouter['definition']
    const router = new OpenAPIRouter({ definition })
    const operations = router.getOperations() as unknown as FoundOperation[]
    // The library calls this for every operation that it compiles, and would build the list anew each time.
    router.getOperations = () => operations as unknown as ReturnType<OpenAPIRouter['getOperations']>
    this.#first = validatorOf(definition, router, createAjv({ allErrors: false }))
    this.#all = validatorOf(definition, router, createAjv({ allErrors: true }))
    this.#operations = new Map(operations.map((operation) => [operation.operationId, operation]))
    this.routes = operations.map((operation) => routeOf(operation, declaredSecurity(document, operation)))
  }

  /** Compiles what the requests of an operation are checked by. */
  checksOf(operationId: string): Checks {
    const operation = this.#operations.get(operationId)!
    const { parameters = [], requestBody } = operation
    return {
      parameters: parameters.map((parameter) => ({ ...parameter, kind: kindOf(parameter) })),
      parametersCheck: this.#all.getRequestValidatorsForOperation(operationId).at(-1)!,
      body: requestBody === undefined ? null : this.#bodyReaderOf(operation),
    }
  }

  #bodyReaderOf({ operationId, method, requestBody }: FoundOperation): BodyReader {
    const { itemsCheckedAlone, bodyLimitBytes } = this.routes.find((route) => route.operationId === operationId)!
    const { content } = requestBody as { content: Readonly<Record<string, { readonly schema: Schema }>> }
    const itemSchema = itemsCheckedAlone && this.#schemas[itemsCheckedAlone.schema]!
    return new BodyReader({
      schema: content['application/json']!.schema,
      checks: {
        first: this.#first.getRequestValidatorsForOperation(operationId)[0]!,
        all: () => this.#all.getRequestValidatorsForOperation(operationId)[0]!,
      },
      keepsNulls: method.toLowerCase() === 'patch',
      mostBytes: itemsCheckedAlone ? MAX_BYTES : bodyLimitBytes,
      items: itemSchema && { ...itemsCheckedAlone, itemSchema, itemChecks: checksOfItem(itemSchema) },
    })
  }

  /** Returns the faults of a response: an undeclared status, or a body that does not match its schema. */
  faultsOfAnswer(operationId: string, status: number, body: unknown): string[] {
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
}

function checksOfItem(schema: Schema): SchemaChecks {
  let all: ValidateFunction | undefined
  return {
    first: createAjv({ allErrors: false }).compile(schema),
    all: () => (all ??= createAjv({ allErrors: true }).compile(schema)),
  }
}

/** Returns openapi-backend's validator with `ajv`: by itself it would create one for draft 7, without formats, for every schema. */
function validatorOf(definition: OpenAPIRouter['definition'], router: OpenAPIRouter, ajv: Ajv2020): OpenAPIValidator {
  const validator = new OpenAPIValidator({ definition, router, lazyCompileValidators: true })
  validator.getAjv = () => ajv as unknown as ReturnType<OpenAPIValidator['getAjv']>
  return validator
}

/** Returns an operation's security as the document states it: openapi-backend reads an absent requirement as "none". */
function declaredSecurity(document: OpenapiDocument, { path, method }: FoundOperation): OperationObject['security'] {
  const item = document.paths[path] as Readonly<Record<string, OperationObject>>
  return item[method]?.security ?? document.security
}

function kindOf({ schema }: ParameterObject): ParameterKind {
  const types = [schema.type].flat()
  return (['integer', 'number', 'boolean'] as const).find((kind) => types.includes(kind)) ?? 'string'
}
