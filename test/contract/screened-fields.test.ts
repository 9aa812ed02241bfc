import { expect } from 'chai'
import { SCREENED_FIELDS } from '../../api/screened-fields.js'
import { dereference, openapiDocument } from '../../contract/openapi-document.js'

/** Operations that screen their texts where these are stored, with what is found beside them. */
const SCREENED_WHERE_STORED = [
  ...['createMemory', 'createMemories', 'patchMemory', 'setKeystone', 'putDocument', 'putDocuments'],
]

/** Fields that are not screened, and why. */
const UNSCREENED: Readonly<Record<string, string>> = {
  tenant_id: 'names the tenant of the credential',
  agent_id: 'names an agent, as the operator calls it',
  fleet_id: 'names a fleet, as the operator calls it',
  fleet_ids: 'filters, by names of fleets',
  filter_agent_id: 'filters, by the name of an agent',
  from_agent_id: 'names an agent',
  to_agent_id: 'names an agent',
  etag: 'is a tag of the service, else refused',
  cursor: 'is a cursor of the service, else refused',
  content_hash: 'is a digest, else refused',
  query: 'is searched for and not kept',
  collection: 'names a collection that is read',
  order_by: 'names a key that is read',
  model: 'names an embedding model, as the operator calls it',
  'editSkill.content': 'is screened where it is stored',
  'editSkill.description': 'is screened where it is stored',
  'editSkill.summary': 'is screened where it is stored',
  'memory.single_valued_predicates': 'names predicates, as the operator calls them',
}

/** Parameters in paths, queries and headers, none of which is screened, and why. */
const PARAMETERS: Readonly<Record<string, string>> = {
  'header If-Match': 'is compared and not kept',
  'header If-None-Match': 'is compared and not kept',
  'header Idempotency-Key': 'is kept as a digest alone',
  'header X-Agent-ID': 'names an agent, as the operator calls it',
  'path agent_id': 'names an agent, as the operator calls it',
  'path collection': 'names a collection that is read',
  'path doc_id': 'names a row that is read',
  'path fleet_id': 'names a fleet that is read',
  'path key_id': 'names a key that is read',
  'path path': 'names a file that is read',
  'path slug': 'names a skill that is read',
  'path tenant_id': 'names a tenant',
  'query after': 'is compared and not kept',
  'query agent_id': 'filters',
  'query collection': 'filters',
  'query cursor': 'is a cursor of the service, else refused',
  'query entity_type': 'filters',
  'query filter': 'filters',
  'query fleet_id': 'filters',
  'query query': 'is searched for and not kept',
  'query run_id': 'filters',
  'query subject_id': 'filters',
  'query tenant_id': 'names the tenant of the credential',
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: unknown
  readonly const?: unknown
  readonly format?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly allOf?: readonly Schema[]
}

function* stringsIn(schema: Schema, path: readonly string[] = []): Generator<string> {
  for (const part of schema.allOf ?? []) yield* stringsIn(part, path)
  for (const [name, part] of Object.entries(schema.properties ?? {})) yield* stringsIn(part, [...path, name])
  if (schema.items) yield* stringsIn(schema.items, path)
  const isString = [schema.type].flat().includes('string')
  if (isString && schema.enum === undefined && schema.const === undefined && schema.format === undefined)
    yield path.join('.')
}

/** Tests that somebody has decided about every text that a caller may send. */
describe('texts of requests', () => {
  const fields = Object.values(dereference(openapiDocument()).paths)
    .flatMap((path) => Object.values(path as Record<string, unknown>))
    .flatMap((operation) => {
      const { operationId: id, requestBody } = operation as {
        operationId?: string
        requestBody?: { content: Record<string, { schema: Schema }> }
      }
      if (id === undefined || !requestBody) return []
      return Object.values(requestBody.content).flatMap(({ schema }) =>
        [...stringsIn(schema)].map((field) => ({ id, field })),
      )
    })

  it('are screened for personal data, or say why not', () => {
    const undecided = fields.filter(({ id, field }) => {
      const isScreened = field in (SCREENED_FIELDS[id as keyof typeof SCREENED_FIELDS] ?? {})
      return (
        !isScreened &&
        !SCREENED_WHERE_STORED.includes(id) &&
        !(field in UNSCREENED) &&
        !(`${id}.${field}` in UNSCREENED)
      )
    })
    expect([...new Set(undecided.map(({ id, field }) => `${id}.${field}`))]).to.deep.equal([])
  })

  it('are in no parameter that nobody has decided about', () => {
    interface Parameters {
      readonly parameters?: readonly { readonly in: string; readonly name: string; readonly schema: Schema }[]
    }
    const given = Object.values(dereference(openapiDocument()).paths).flatMap((path) => {
      const item = path as Parameters & Readonly<Record<string, Parameters>>
      const operations = Object.values(item).filter((one) => !Array.isArray(one))
      return [item, ...operations].flatMap(({ parameters = [] }) => parameters)
    })
    const names = given
      .filter(({ schema }) => [...stringsIn(schema)].length > 0)
      .map(({ in: place, name }) => `${place} ${name}`)
    expect([...new Set(names)].sort()).to.deep.equal(Object.keys(PARAMETERS).sort())
  })
})
