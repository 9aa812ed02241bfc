import { dereference } from '../contract/openapi-document.js'
import type { OpenapiDocument, OperationObject, ParameterObject, Schema } from '../contract/openapi-types.js'
import type { Tool, ToolOperation } from './tools.js'

/** An argument of an operation of a tool: a part of the REST request. */
export interface Field {
  readonly name: string
  /** `tool` for an argument of the tool alone, which REST is not told. */
  readonly in: ParameterObject['in'] | 'body' | 'tool'
  /** The name that REST has for it: of a header `If-Match`, of a path `memory_id`, else the same. It is taken too, unless it is a header's. */
  readonly restName: string
  readonly isRequired: boolean
  /** True where null says something: that the field of a row is to be emptied. */
  readonly isNullable: boolean
  /** The contract's, with its references resolved. */
  readonly schema: Schema
}

type FoundOperation = OperationObject & { readonly parameters: readonly ParameterObject[] }
interface ItemsCheckedAlone {
  readonly field: string
  readonly schema: string
}
type Properties = Readonly<Record<string, Schema>>

/** Sent by the transport and not by an argument. */
const OF_TRANSPORT = ['X-Agent-ID']

/** Names of rows in paths, and how answers call them: a row has one name in all ops of a tool. */
const NAMES_OF_ROWS: Readonly<Record<string, string>> = {
  memory_id: 'id',
  entity_id: 'id',
  recall_id: 'id',
  slug: 'doc_id',
}

/** Leaves out the first rows of an answer that has no cursor. */
const SKIP: Field = {
  name: 'skip',
  in: 'tool',
  restName: 'skip',
  isRequired: false,
  isNullable: false,
  schema: { type: 'integer', minimum: 0, description: 'Rows to leave out, which an answer before had.' },
}

/** Reads the arguments of the tools' operations from the contract. */
export class ToolFields {
  readonly #operations: ReadonlyMap<string, FoundOperation>
  readonly #schemas: Readonly<Record<string, Schema>>
  readonly #fields = new WeakMap<ToolOperation, readonly Field[]>()

  constructor(document: OpenapiDocument) {
    const { paths, components } = dereference(document)
    this.#schemas = components?.schemas as Readonly<Record<string, Schema>>
    const found = Object.values(paths as Record<string, Record<string, FoundOperation>>).flatMap((item) => {
      const shared = (item.parameters ?? []) as unknown as readonly ParameterObject[]
      return Object.values(item)
        .filter(({ operationId }) => typeof operationId === 'string')
        .map((operation) => ({ ...operation, parameters: [...shared, ...(operation.parameters ?? [])] }))
    })
    this.#operations = new Map(found.map((operation) => [operation.operationId, operation]))
  }

  /** Returns the fields of an operation, the required ones first. Throws for an operation that the contract lacks. */
  of(operation: ToolOperation): readonly Field[] {
    const found = this.#fields.get(operation) ?? this.#read(operation)
    this.#fields.set(operation, found)
    return found
  }

  #read({ operationId, fixed = {}, skips = false }: ToolOperation): readonly Field[] {
    const operation = this.#operationOf(operationId)
    const body = fieldsOfBody(operation.requestBody).map((field) => this.#withItems(field, operation))
    const fields = [...operation.parameters.map(fieldOfParameter), ...body, ...(skips ? [SKIP] : [])]
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
    return this.#operationOf(operationId).requestBody !== undefined
  }

  /** Returns the least trust of a caller whom an operation may answer. */
  leastTrustOf({ operationId, leastTrust }: ToolOperation): number {
    return leastTrust ?? (this.#operationOf(operationId)['x-required-trust'] as number | undefined) ?? 0
  }

  #operationOf(operationId: string): FoundOperation {
    const operation = this.#operations.get(operationId)
    if (!operation) throw new Error(`${operationId} is not in the contract`)
    return operation
  }

  /** Gives the items that an operation checks one by one the schema that it checks them against. */
  #withItems(field: Field, operation: FoundOperation): Field {
    const alone = operation['x-items-checked-alone'] as ItemsCheckedAlone | undefined
    if (alone?.field !== field.name) return field
    return { ...field, schema: { ...field.schema, items: this.#schemas[alone.schema] } }
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
  const ofPath = location === 'path' ? NAMES_OF_ROWS[name] : undefined
  const argument = location === 'header' ? name.toLowerCase().replaceAll('-', '_') : (ofPath ?? name)
  return { name: argument, in: location, restName: name, isRequired: required, isNullable: false, schema }
}

function fieldsOfBody(requestBody: unknown): Field[] {
  if (requestBody === undefined) return []
  const { content } = requestBody as { content: Readonly<Record<string, { readonly schema: Schema }>> }
  return fieldsOfObject(content['application/json']!.schema)
}

/** Returns the fields of an object of the contract, those of its parts included. */
export function fieldsOfObject(schema: Schema): Field[] {
  const parts = [schema, ...((schema.allOf as Schema[] | undefined) ?? [])]
  const required = parts.flatMap((part) => (part.required as string[] | undefined) ?? [])
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {})) as Properties
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'body',
    restName: name,
    isRequired: required.includes(name),
    isNullable: allTypesOf(property).includes('null'),
    schema: property,
  }))
}

/** Returns the types that a schema takes, null included; empty for any. */
function allTypesOf(schema: Schema): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[]
  const branches = [schema.anyOf, schema.oneOf, schema.allOf].flat().filter((branch) => branch !== undefined)
  return [...new Set((branches as Schema[]).flatMap(allTypesOf))]
}

/** Returns the types that a schema takes beside null; empty for any. */
export function typesOf(schema: Schema): string[] {
  return allTypesOf(schema).filter((type) => type !== 'null')
}
