import type { Route } from '../../http/validation/routes.js'
import { dereference, openapiDocument } from '../../contract/openapi-document.js'
import type { ParameterObject } from '../../contract/openapi-types.js'
import type { Schema } from '../../contract/openapi-types.js'

interface DescribedSchema {
  readonly parameters?: readonly ParameterObject[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}
type PathItem = Pick<DescribedSchema, 'parameters'> & Readonly<Record<string, DescribedSchema>>

/** A request that the contract accepts, with what it requires and little else. */
export interface ValidRequest {
  readonly method: string
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** JSON; null where the route takes no body. */
  readonly body: string | null
}

const whole = dereference(openapiDocument())

/** Builds a request for any route from its schemas alone, so that a new operation needs nothing written for it. */
export function validRequest({ method, path }: Route, tenantId: string): ValidRequest {
  const item = whole.paths[path] as PathItem
  const operation = item[method.toLowerCase()]!
  const required = [...(item.parameters ?? []), ...(operation.parameters ?? [])].filter(
    (parameter) => parameter.required === true || parameter.in === 'path',
  )
  const valuesIn = (place: ParameterObject['in']) =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => [name, name === 'tenant_id' ? tenantId : String(sample(schema))])
  const filled = valuesIn('path').reduce((at, [name, value]) => at.replace(`{${name}}`, value!), path)
  const query = new URLSearchParams(valuesIn('query') as [string, string][]).toString()
  const schema = operation.requestBody?.content['application/json']?.schema
  const body = schema && (sample(schema) as { tenant_id?: unknown })
  if (body && 'tenant_id' in body) body.tenant_id = tenantId
  return {
    method,
    path: query === '' ? filled : `${filled}?${query}`,
    headers: Object.fromEntries(valuesIn('header')) as Record<string, string>,
    body: body ? JSON.stringify(body) : null,
  }
}

function sample(schema: Schema): unknown {
  const merged = flatten(schema)
  if ('const' in merged) return merged.const
  if (merged.enum) return (merged.enum as unknown[])[0]
  switch ([merged.type].flat()[0]) {
    case 'object':
      return sampleObject(merged)
    case 'array':
      return [sample(merged.items as Schema)]
    case 'integer':
    case 'number':
      return Math.max(1, (merged.minimum as number | undefined) ?? 1)
    case 'boolean':
      return true
    default:
      return sampleText(merged)
  }
}

/** Merges the parts of a schema: every part of `allOf`, and the first choice of others. */
function flatten(schema: Schema): Schema {
  const [choice] = (schema.oneOf ?? schema.anyOf ?? []) as Schema[]
  const parts = [...((schema.allOf ?? []) as Schema[]), ...(choice ? [choice] : [])]
  return parts.map(flatten).reduce<Schema>(
    (all, part) => ({
      ...part,
      ...all,
      properties: { ...propertiesOf(part), ...propertiesOf(all) },
      required: [...requiredOf(all), ...requiredOf(part)],
    }),
    schema,
  )
}

function sampleObject(schema: Schema): object {
  const properties = propertiesOf(schema)
  const names = requiredOf(schema)
  const others = Object.keys(properties).filter((name) => name !== 'tenant_id' && !names.includes(name))
  const least = Math.max(0, ((schema.minProperties as number | undefined) ?? 0) - names.length)
  const filled = [...names, ...others.slice(0, least)]
  return Object.fromEntries(filled.map((name) => [name, sample(properties[name] ?? {})]))
}

function sampleText({ format }: Schema): string {
  if (format === 'uuid') return '0192f3a4-0000-7000-8000-000000000000'
  if (format === 'date-time') return '2999-01-01T00:00:00Z'
  return 'x'
}

function requiredOf(schema: Schema): readonly string[] {
  return (schema.required ?? []) as string[]
}

function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  return (schema.properties ?? {}) as Readonly<Record<string, Schema>>
}
