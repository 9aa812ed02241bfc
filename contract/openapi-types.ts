/** A JSON Schema of the contract, with references, or without them after `dereference`. */
export type Schema = Readonly<Record<string, unknown>>

export interface ParameterObject {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  /** Status that refuses a value that violates the schema; 422 where absent. */
  readonly 'x-refused-with'?: 400
  /** True for a header whose value is percent-encoded UTF-8. */
  readonly 'x-percent-encoded'?: boolean
  readonly schema: Schema
}

export interface OperationObject {
  readonly operationId: string
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: unknown
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly [extension: `x-${string}`]: unknown
}

export interface OpenapiDocument {
  readonly openapi: string
  readonly security?: OperationObject['security']
  readonly paths: Readonly<Record<string, unknown>>
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [key: string]: unknown
}
