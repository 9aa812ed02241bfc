import type { Schema } from '../contract/openapi-types.js'
import { type Field, fieldsOfObject, isAsked, type ToolFields, typesOf } from './tool-fields.js'
import { TOOLS, type Tool, type ToolOperation } from './tools.js'

/** A tool as `tools/list` has it. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema & { readonly type: 'object' }
  readonly annotations: Readonly<Record<string, boolean | string>>
}

/** Keeps the list of each trust: which tools and ops a caller is shown depends on nothing else. */
export class ToolLists {
  readonly #lists = new Map<number, readonly ListedTool[]>()

  constructor(private readonly fields: ToolFields) {}

  of(trust: number): readonly ListedTool[] {
    const list = this.#lists.get(trust) ?? listTools(this.fields, trust)
    this.#lists.set(trust, list)
    return list
  }
}

/**
 * Returns the tools, with the ops that a caller's trust may call. Their schemas are flat: `op` chooses, and the description says which fields
 * each `op` takes. Clients of today drop a tool whose schema has `oneOf`, `anyOf`, `allOf` or `if` at its top, since the models' interfaces
 * refuse it, as they refuse a list without `items` and a description of more than 1,024 characters; the exact schemas are resources. A model
 * reads the list before each conversation, so it says nothing twice.
 */
export function listTools(fields: ToolFields, trust: number): readonly ListedTool[] {
  return TOOLS.map((tool) => ({ tool, ops: opsOf(tool, fields, trust) }))
    .filter(({ ops }) => ops.length > 0)
    .map(({ tool, ops }) => ({
      name: tool.name,
      title: tool.title,
      description: describe(tool, ops),
      inputSchema: flatSchemaOf(tool, ops),
      annotations: { ...tool.hints, openWorldHint: false },
    }))
}

interface ListedOp {
  readonly name: string
  readonly fields: readonly Field[]
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

function opsOf(tool: Tool, fields: ToolFields, trust: number): ListedOp[] {
  return Object.entries(tool.ops)
    .filter(([, operation]) => fields.leastTrustOf(operation) <= trust)
    .map(([name, operation]) => {
      // The tenant follows from the key. It may be given all the same, and the admin credential must.
      const shown = fields
        .of(operation)
        .filter(({ name }) => name !== 'tenant_id' && !operation.unlisted?.includes(name))
      const isRequired = (field: Field) => isAsked(field) || isAskedBy(operation, field)
      return {
        name,
        fields: shown,
        required: shown.filter(isRequired).map((field) => field.name),
        optional: shown.filter((field) => !isRequired(field)).map((field) => field.name),
      }
    })
}

function isAskedBy({ asked = [] }: ToolOperation, { name }: Field): boolean {
  return asked.includes(name)
}

/** Says what a tool is for, without the sentences on ops that the caller is not shown, and what each op takes. */
function describe({ description, example, ops: all }: Tool, ops: readonly ListedOp[]): string {
  const isShown = (op: string) => ops.some(({ name }) => name === op)
  const hidden = Object.keys(all).filter((op) => !isShown(op))
  const sentences = description
    .split(/(?<=\.) /)
    .filter((sentence) => !hidden.some((op) => sentence.includes(`\`${op}\``)))
  const examples = isShown(String(example.op)) ? [`Example: ${JSON.stringify(example)}`] : []
  return [sentences.join(' '), ...linesOf(ops), ...examples].join('\n')
}

/** Returns a line for each op: its arguments, or those of an op above by that one's name where this is shorter. */
function linesOf(ops: readonly ListedOp[]): string[] {
  const above: ListedOp[] = []
  return ops.map((op) => {
    const plain = listed(op.required, op.optional)
    const shared = above.map((other) => sharedWith(op, other))
    const shortest = shared.reduce((least, one) => (one.length < least.length ? one : least), plain)
    if (shortest === plain) above.push(op)
    return `${op.name}(${shortest})`
  })
}

function sharedWith({ required, optional }: ListedOp, other: ListedOp): string {
  const others = [...other.required, ...other.optional]
  const left = others.filter((name) => !required.includes(name) && !optional.includes(name))
  const own = optional.filter((name) => !others.includes(name))
  const except = left.length > 0 ? ` but ${left.join(', ')}` : ''
  return [listed(required, own), `the rest of ${other.name}${except}`].filter(Boolean).join(', ')
}

function listed(required: readonly string[], optional: readonly string[]): string {
  return [...required, ...optional.map((name) => `${name}?`)].join(', ')
}

function flatSchemaOf(tool: Tool, ops: readonly ListedOp[]): ListedTool['inputSchema'] {
  const names = [...new Set(ops.flatMap(({ fields }) => fields.map(({ name }) => name)))]
  const properties = names.map((name): [string, Schema] => {
    const found = ops.flatMap((op) =>
      op.fields.filter((field) => field.name === name).map(({ schema }) => ({ op, schema })),
    )
    return [
      name,
      merge(
        found.map(({ op, schema }) => ({ op: op.name, schema: brief(schema) })),
        tool.says?.[name],
      ),
    ]
  })
  return {
    type: 'object',
    // A tool of one op needs no op.
    ...(Object.keys(tool.ops).length > 1 && { required: ['op'] }),
    properties: { op: { type: 'string', enum: ops.map(({ name }) => name) }, ...Object.fromEntries(properties) },
  }
}

/** Longest description of a field, in characters, that is listed: longer ones tell limits. */
const MOST_DESCRIBED = 90

/** Keeps of a schema what a model chooses a value by: its type, its choices, its format, its items. The limits are told when they are broken. */
function brief(schema: Schema): Schema {
  const { enum: choices, items, format, description } = schema
  const [type, ...others] = typesOf(schema)
  const said = typeof description === 'string' && description.length <= MOST_DESCRIBED ? description : undefined
  const shape = items === undefined ? null : shapeOf(items as Schema)
  return {
    ...(type !== undefined && others.length === 0 && { type }),
    ...(choices !== undefined && { enum: (choices as unknown[]).filter((choice) => choice !== null) }),
    ...(format === 'date-time' && { format }),
    ...(items !== undefined && { items: briefItem(items as Schema) }),
    ...((said || shape) && { description: [said, shape && `Each is ${shape}.`].filter(Boolean).join(' ') }),
  }
}

/** Most keys of an item that are listed one by one; of larger ones the required. */
const MOST_KEYS = 6

function briefItem(schema: Schema): Schema {
  const fields = fieldsOfObject(schema)
  const shown = fields.length > MOST_KEYS ? fields.filter(({ isRequired }) => isRequired) : fields
  const properties = shown.map((field): [string, Schema] => [field.name, { type: typesOf(field.schema)[0] }])
  return {
    type: typesOf(schema)[0],
    ...(schema.enum !== undefined && { enum: schema.enum }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  }
}

/** Returns the shape of an object in a line, such as `{entity_id or name, role?}`; null for an object of the caller's own. */
function shapeOf(schema: Schema): string | null {
  const fields = fieldsOfObject(schema)
  if (fields.length === 0) return null
  const either = ((schema.oneOf as Schema[] | undefined) ?? []).flatMap(({ required }) => (required as string[]) ?? [])
  const others = fields.filter(({ name }) => !either.includes(name))
  const names = others.map(({ name, isRequired }) => (isRequired ? name : `${name}?`))
  return `{${[...(either.length > 0 ? [either.join(' or ')] : []), ...names].join(', ')}}`
}

interface SchemaOfOp {
  readonly op: string
  readonly schema: Schema
}

/**
 * Returns one schema for a name that several ops take: the first with a description, which says what an op does not take of the choices that
 * they have together. Throws where their types differ: models' interfaces want one.
 */
function merge(found: readonly SchemaOfOp[], says: string | undefined): Schema {
  const schemas = found.map(({ schema }) => schema)
  const types = new Set(schemas.map(({ type, items }) => JSON.stringify([type, items])))
  if (types.size > 1) throw new Error(`one argument has the types ${[...types].join(' and ')}`)
  const description = says ?? schemas.map((schema) => schema.description).find((one) => one !== undefined)
  const choices = schemas.every((schema) => schema.enum !== undefined)
    ? [...new Set(schemas.flatMap((schema) => schema.enum as string[]))]
    : undefined
  const said = [description, choices && exceptionsOf(found, choices)].filter(Boolean).join(' ')
  return {
    ...schemas[0],
    ...(choices && { enum: choices }),
    ...(said !== '' && { description: said }),
  }
}

/** Says which of the choices some ops do not take, the ops that leave out the same ones together. */
function exceptionsOf(found: readonly SchemaOfOp[], choices: readonly string[]): string {
  const opsByLeftOut = new Map<string, string[]>()
  for (const { op, schema } of found) {
    const leftOut = choices.filter((choice) => !(schema.enum as string[]).includes(choice)).join(', ')
    if (leftOut !== '') opsByLeftOut.set(leftOut, [...(opsByLeftOut.get(leftOut) ?? []), op])
  }
  return [...opsByLeftOut].map(([leftOut, ops]) => `${ops.join(', ')}: not ${leftOut}.`).join(' ')
}
