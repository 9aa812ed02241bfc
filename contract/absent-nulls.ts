import type { OpenapiDocument, Schema } from './openapi-types.js'

/** A property of an object of a body. */
export interface BodyField {
  readonly name: string
  /** The schemas that it has, in each part of the object's schema that declares it. */
  readonly declared: readonly { readonly holder: Schema; readonly schema: Schema }[]
  readonly isRequired: boolean
  /** True where null means that the field is absent: it is optional, and none of its schemas takes null. */
  readonly isAbsentAsNull: boolean
}

type Resolve = (schema: Schema) => Schema

/** Returns the fields of an object's schema, those of its parts and alternatives included. `resolve` follows references, if there are any. */
export function fieldsOfBody(schema: Schema, resolve: Resolve = (same) => same): BodyField[] {
  const parts = partsOf(schema, resolve)
  const required = new Set(parts.filter((part) => !part.isAlternative).flatMap((part) => requiredOf(part.schema)))
  const declared = new Map<string, BodyField['declared']>()
  for (const { schema: holder } of parts)
    for (const [name, one] of propertiesOf(holder))
      declared.set(name, [...(declared.get(name) ?? []), { holder, schema: one }])
  return [...declared].map(([name, places]) => ({
    name,
    declared: places,
    isRequired: required.has(name),
    isAbsentAsNull: !required.has(name) && !places.some((place) => takesNull(place.schema, resolve)),
  }))
}

/** Returns the schema of a list's items; undefined for what is no list. */
export function itemsOfBody(schema: Schema, resolve: Resolve = (same) => same): Schema | undefined {
  return partsOf(schema, resolve).find((part) => part.schema.items)?.schema.items as Schema | undefined
}

/**
 * Returns the contract as callers read it: a field of a body that is absent when it is null takes null too. What requires such a field requires
 * it without null: an alternative, as in `oneOf` of the selectors of an erasure, and a schema with a part that another has too. In PATCH null
 * clears, so that this holds in its lists alone.
 */
export function withAbsentNulls(document: OpenapiDocument): OpenapiDocument {
  const resolve = resolverOf(document)
  const changes = new Map<Schema, Map<string, () => Schema>>()
  const wholes = new Set<Schema>()
  for (const { schema, keepsNulls } of bodiesOf(document, resolve)) collect(schema, keepsNulls)
  for (const whole of wholes) keepRequired(whole)
  return copy(document)

  function collect(schema: Schema, keepsNulls: boolean): void {
    const fields = fieldsOfBody(schema, resolve)
    wholes.add(resolve(schema))
    for (const field of fields) if (field.isAbsentAsNull && !keepsNulls) change(field, schema)
    for (const { declared } of fields) for (const place of declared) collect(place.schema, keepsNulls)
    const items = itemsOfBody(schema, resolve)
    if (items) collect(items, false)
  }

  function change({ name, declared }: BodyField, whole: Schema): void {
    const asking = partsOf(whole, resolve).filter(
      (part) => part.isAlternative && requiredOf(part.schema).includes(name),
    )
    for (const { holder, schema } of declared) set(holder, name, () => nullable(copy(schema)))
    for (const { schema } of asking) set(schema, name, () => copy(declared[0]!.schema))
  }

  function keepRequired(whole: Schema): void {
    for (const { name, declared, isRequired } of fieldsOfBody(whole, resolve))
      if (isRequired && declared.some(({ holder }) => changes.get(holder)?.has(name)))
        set(whole, name, () => copy(declared[0]!.schema))
  }

  function set(holder: Schema, name: string, property: () => Schema): void {
    changes.set(holder, (changes.get(holder) ?? new Map<string, () => Schema>()).set(name, property))
  }

  function copy<T>(node: T): T {
    if (Array.isArray(node)) return node.map((item: unknown) => copy(item)) as T
    if (typeof node !== 'object' || node === null) return node
    const copied = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, copy<unknown>(value)]))
    const changed = [...(changes.get(node as Schema) ?? [])].map(([name, property]) => [name, property()] as const)
    if (changed.length === 0) return copied as T
    return { ...copied, properties: { ...(copied.properties as object), ...Object.fromEntries(changed) } } as T
  }
}

/** Returns the schemas of the operations' bodies, and of items that are checked one by one; whether null has a meaning in their fields. */
function bodiesOf({ paths }: OpenapiDocument, resolve: Resolve): { schema: Schema; keepsNulls: boolean }[] {
  const operations = Object.values(paths as Record<string, Record<string, Schema>>).flatMap((item) =>
    Object.entries(item),
  )
  return operations.flatMap(([method, { requestBody, 'x-items-checked-alone': alone }]) => {
    if (requestBody === undefined) return []
    const { content } = resolve(requestBody as Schema) as { content: Record<string, { schema: Schema }> }
    const items = alone ? [{ $ref: `#/components/schemas/${(alone as { schema: string }).schema}` }] : []
    return [content['application/json']!.schema, ...items].map((schema: Schema) => ({
      schema,
      keepsNulls: method === 'patch',
    }))
  })
}

function resolverOf(document: OpenapiDocument): Resolve {
  return function resolve(schema) {
    if (typeof schema.$ref !== 'string') return schema
    const keys = schema.$ref.replace(/^#\//, '').split('/')
    return resolve(keys.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], document) as Schema)
  }
}

interface Part {
  readonly schema: Schema
  /** True for what holds only where no other alternative does. */
  readonly isAlternative: boolean
}

function partsOf(schema: Schema, resolve: Resolve, isAlternative = false): Part[] {
  const whole = resolve(schema)
  const inner = (key: string, alternative: boolean) =>
    ((whole[key] ?? []) as Schema[]).flatMap((part) => partsOf(part, resolve, alternative))
  return [
    { schema: whole, isAlternative },
    ...inner('allOf', isAlternative),
    ...['oneOf', 'anyOf'].flatMap((key) => inner(key, true)),
  ]
}

function requiredOf({ required }: Schema): readonly string[] {
  return (required ?? []) as string[]
}

function propertiesOf({ properties }: Schema): [string, Schema][] {
  return Object.entries((properties ?? {}) as Record<string, Schema>)
}

function takesNull(schema: Schema, resolve: Resolve): boolean {
  const { type, enum: values, allOf, oneOf, anyOf, ...rest } = resolve(schema)
  if (type !== undefined && ![type].flat().includes('null')) return false
  if (values !== undefined && !(values as unknown[]).includes(null)) return false
  if ('const' in rest && rest.const !== null) return false
  const choices = [oneOf, anyOf].filter((list) => list !== undefined) as Schema[][]
  return (
    ((allOf ?? []) as Schema[]).every((part) => takesNull(part, resolve)) &&
    choices.every((list) => list.some((part) => takesNull(part, resolve)))
  )
}

/** Returns a schema that takes null too. */
function nullable(schema: Schema): Schema {
  const isPlain = schema.type !== undefined && !['const', 'allOf', 'oneOf', 'anyOf'].some((key) => key in schema)
  const values = schema.enum as unknown[] | undefined
  if (isPlain) return { ...schema, type: [schema.type, 'null'].flat(), ...(values && { enum: [...values, null] }) }
  const { description, default: usual, ...value } = schema
  return {
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
    anyOf: [value, { type: 'null' }],
  }
}
