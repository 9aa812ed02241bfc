import type { Schema } from '../contract/schema.js'
import { isAsked, type Field, type ToolFields } from './tool-fields.js'
import { TOOLS, type Tool } from './tools.js'

/** A tool as `tools/list` has it. */
export interface ListedTool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: Schema & { readonly type: 'object' }
  readonly annotations: Readonly<Record<string, boolean | string>>
}

/**
 * Returns the list of tools. Its schemas are flat: `op` chooses, and the description says which fields each `op` takes. Clients of today
 * drop a tool whose schema has `oneOf`, `anyOf`, `allOf` or `if` at its top, since the models' interfaces refuse it; the exact schemas, which
 * have it, are resources. It is read by a model before each conversation, so it says nothing twice.
 */
export function listTools(fields: ToolFields): readonly ListedTool[] {
  return TOOLS.map((tool) => ({
    name: tool.name,
    title: tool.title,
    description: describe(tool, fields),
    inputSchema: flatSchemaOf(tool, fields),
    annotations: { ...tool.hints, openWorldHint: false },
  }))
}

function describe(tool: Tool, fields: ToolFields): string {
  const lines = Object.entries(tool.ops).map(([op, operation]) => {
    const names = fields
      .of(operation)
      .filter(isShown)
      .map((field) => (isAsked(field) ? field.name : `${field.name}?`))
    return `${op}(${names.join(', ')})`
  })
  return [tool.description, ...lines, `Example: ${JSON.stringify(tool.example)}`].join('\n')
}

/** Leaves out what follows from the key. It may be given all the same, and the admin credential must. */
function isShown({ name }: Field): boolean {
  return name !== 'tenant_id'
}

function flatSchemaOf(tool: Tool, fields: ToolFields): ListedTool['inputSchema'] {
  const schemas = new Map<string, Schema[]>()
  for (const operation of Object.values(tool.ops))
    for (const field of fields.of(operation).filter(isShown))
      schemas.set(field.name, [...(schemas.get(field.name) ?? []), brief(field.schema)])
  const properties = [...schemas].map(([name, found]) => [name, merge(found)])
  return {
    type: 'object',
    required: ['op'],
    properties: { op: { type: 'string', enum: Object.keys(tool.ops) }, ...Object.fromEntries(properties) },
  }
}

/** Longest description of a field, in characters, that is listed: longer ones tell limits. */
const MOST_DESCRIBED = 90

/** Keeps of a schema what a model chooses a value by: its type, its choices, its format. The limits are told when they are broken. */
function brief(schema: Schema): Schema {
  const { type, enum: choices, items, format, description } = schema
  const types = [type].flat().filter((one) => one !== 'null' && one !== undefined)
  return {
    ...(types.length === 1 && { type: types[0] }),
    ...(types.length > 1 && { type: types }),
    ...(choices !== undefined && { enum: (choices as unknown[]).filter((choice) => choice !== null) }),
    ...(format === 'date-time' && { format }),
    ...(items !== undefined && { items: brief(items as Schema) }),
    ...(typeof description === 'string' && description.length <= MOST_DESCRIBED && { description }),
  }
}

/** Returns one schema for a name that several operations take: theirs where they agree, else what all of them allow. */
function merge(schemas: readonly Schema[]): Schema {
  const distinct = [...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values()]
  if (distinct.length === 1) return distinct[0]!
  const choices = distinct.map((schema) => schema.enum as unknown[] | undefined)
  const types = [...new Set(distinct.flatMap(({ type }) => type ?? []))]
  if (types.length !== 1) return types.length === 0 ? {} : { type: types }
  return choices.every((list) => list !== undefined)
    ? { type: types[0], enum: [...new Set(choices.flat())] }
    : { type: types[0] }
}
