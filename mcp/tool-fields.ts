import {
  dereference,
  type OpenapiDocument,
  type OperationObject,
  type ParameterObject,
} from '../contract/openapi-document.js'
import type { Schema } from '../contract/schema.js'
import type { Tool, ToolOperation } from './tools.js'

/** An argument of an operation of a tool: a part of the REST request. */
export interface Field {
  readonly name: string
  readonly in: ParameterObject['in'] | 'body'
  /** The name that REST has for it: of a header `If-Match`, else the same. */
  readonly restName: string
  readonly isRequired: boolean
  /** The contract's, with its references resolved. */
  readonly schema: Schema
}

type FoundOperation = OperationObject & { readonly parameters: readonly ParameterObject[] }
type Properties = Readonly<Record<string, Schema>>

/** Sent by the transport and not by an argument. */
const OF_TRANSPORT = ['X-Agent-ID']

/** Reads the arguments of the tools' operations from the contract. */
export class ToolFields {
  readonly #operations: ReadonlyMap<string, FoundOperation>

  constructor(document: OpenapiDocument) {
    const { paths } = dereference(document)
    const found = Object.values(paths as Record<string, Record<string, FoundOperation>>).flatMap((item) => {
      const shared = (item.parameters ?? []) as unknown as readonly ParameterObject[]
      return Object.values(item)
        .filter(({ operationId }) => typeof operationId === 'string')
        .map((operation) => ({ ...operation, parameters: [...shared, ...(operation.parameters ?? [])] }))
    })
    this.#operations = new Map(found.map((operation) => [operation.operationId, operation]))
  }

  /** Returns the fields of an operation, the required ones first. Throws for an operation that the contract lacks. */
  of({ operationId, fixed = {} }: ToolOperation): readonly Field[] {
    const operation = this.#operations.get(operationId)
    if (!operation) throw new Error(`${operationId} is not in the contract`)
    const fields = [...operation.parameters.map(fieldOfParameter), ...fieldsOfBody(operation.requestBody)]
    return (
      fields
        // The tenant may stand in the query and in the body: the parameter is the one that is set.
        .filter(({ name }, i) => fields.findIndex((field) => field.name === name) === i)
        .filter(({ name, restName }) => !Object.hasOwn(fixed, name) && !OF_TRANSPORT.includes(restName))
        .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
    )
  }

  /** Returns the values that an operation's `fixed` arguments go to. */
  fixedOf({ operationId, fixed = {} }: ToolOperation): readonly (Field & { readonly value: unknown })[] {
    return this.of({ operationId })
      .filter(({ name }) => Object.hasOwn(fixed, name))
      .map((field) => ({ ...field, value: fixed[field.name] }))
  }

  /** Returns whether an operation takes a body. */
  takesBody({ operationId }: ToolOperation): boolean {
    return this.#operations.get(operationId)?.requestBody !== undefined
  }

  /** Returns the exact schema of a tool's arguments: one alternative for each `op`, with its own fields and all limits. */
  exactSchemaOf({ ops }: Pick<Tool, 'ops'>): Schema {
    const alternatives = Object.entries(ops).map(([op, operation]) => {
      const fields = this.of(operation)
      return {
        title: op,
        type: 'object',
        required: ['op', ...fields.filter(isAsked).map(({ name }) => name)],
        properties: { op: { const: op }, ...Object.fromEntries(fields.map(({ name, schema }) => [name, schema])) },
        additionalProperties: false,
      }
    })
    return { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', oneOf: alternatives }
  }
}

/** Returns true for a field that a caller must give: `tenant_id` follows from the key. */
export function isAsked({ name, isRequired }: Field): boolean {
  return isRequired && name !== 'tenant_id'
}

function fieldOfParameter({ name, in: location, required = false, schema }: ParameterObject): Field {
  const argument = location === 'header' ? name.toLowerCase().replaceAll('-', '_') : name
  return { name: argument, in: location, restName: name, isRequired: required, schema }
}

function fieldsOfBody(requestBody: unknown): Field[] {
  if (requestBody === undefined) return []
  const { content } = requestBody as { content: Readonly<Record<string, { readonly schema: Schema }>> }
  const { schema } = content['application/json']!
  const parts = [schema, ...((schema.allOf as Schema[] | undefined) ?? [])]
  const required = parts.flatMap((part) => (part.required as string[] | undefined) ?? [])
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Properties
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'body',
    restName: name,
    isRequired: required.includes(name),
    schema: property,
  }))
}
