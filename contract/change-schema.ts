import type { Schema } from './openapi-types.js'

/**
 * Returns the schema of a change with `x-change-of`: any part of a tree of settings, with null for the default at any depth. It has no
 * required fields and no defaults; `change` keeps its own description, and its own properties beside the tree's.
 */
export function changeSchema(change: Schema, whole: Schema): Schema {
  const { properties } = partOf(whole)
  const own = change.properties as object
  return { ...change, additionalProperties: false, properties: { ...own, ...(properties as object) } }
}

function partOf(schema: Schema): Schema {
  const { default: _default, required: _required, properties, enum: values, ...rest } = schema
  return {
    ...rest,
    type: [schema.type, 'null'],
    ...(values !== undefined && { enum: [...(values as unknown[]), null] }),
    ...(properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(properties as Record<string, Schema>).map(([name, inner]) => [name, partOf(inner)]),
      ),
    }),
  }
}
