import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { withAbsentNulls } from './absent-nulls.js'
import { changeSchema } from './change-schema.js'
import type { OpenapiDocument, Schema } from './openapi-types.js'

let document: OpenapiDocument | undefined

/**
 * Returns the contract that requests are checked by, once the nulls that mean absent are removed from their bodies. It is read once from the
 * package's root, with every `x-change-of` expanded.
 */
export function openapiDocument(): OpenapiDocument {
  document ??= expandChanges(parse(readFileSync(contractPath(), 'utf8'), { merge: true }) as OpenapiDocument)
  return document
}

/** Returns the contract as callers read it, with the nulls that bodies may have. */
export function servedDocument(): OpenapiDocument {
  return withAbsentNulls(openapiDocument())
}

function expandChanges(source: OpenapiDocument): OpenapiDocument {
  const schemas = source.components?.schemas as Readonly<Record<string, Schema>>
  const expanded = Object.entries(schemas).map(([name, schema]) => {
    const whole = schemas[schema['x-change-of'] as string]
    return [name, whole ? changeSchema(schema, whole) : schema]
  })
  return { ...source, components: { ...source.components, schemas: Object.fromEntries(expanded) as typeof schemas } }
}

/** Returns the path of `openapi.yaml`. The package's root is one level up from the source and two from the build. */
function contractPath(): string {
  const paths = ['../openapi.yaml', '../../openapi.yaml'].map((path) => fileURLToPath(new URL(path, import.meta.url)))
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error('openapi.yaml is missing from the package')
  return found
}

/**
 * Returns the document with every reference replaced by a copy of its target. Copies, because openapi-backend replaces the second
 * occurrence of an object by a pointer whose keys it does not escape. Throws on a reference without a target, and on a circular one.
 */
export function dereference(source: OpenapiDocument): OpenapiDocument {
  return copy(source, [])

  function copy<T>(node: T, ancestors: readonly string[]): T {
    if (Array.isArray(node)) return node.map((item: unknown) => copy(item, ancestors)) as T
    if (typeof node !== 'object' || node === null) return node
    const reference = (node as { $ref?: unknown }).$ref
    if (typeof reference !== 'string') {
      return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, copy<unknown>(value, ancestors)])) as T
    }
    if (ancestors.includes(reference)) throw new Error(`${reference} refers to itself`)
    return copy(targetOf(reference), [...ancestors, reference]) as T
  }

  function targetOf(reference: string): unknown {
    const keys = reference.replace(/^#\//, '').split('/')
    const target = keys.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], source)
    if (target === undefined) throw new Error(`${reference} has no target`)
    return target
  }
}
