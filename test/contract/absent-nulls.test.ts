import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { dereference, openapiDocument, servedDocument } from '../../contract/openapi-document.js'
import type { Schema } from '../../contract/openapi-types.js'
import { InvalidRequestError } from '../../http/errors.js'
import { cairnContract } from '../../http/validation/contract.js'
import type { Route } from '../../http/validation/routes.js'
import { validRequest } from '../support/valid-request.js'

type Body = Record<string, unknown>
type Properties = Record<string, Schema>
type Operation = Record<'responses' | 'parameters', unknown> & {
  requestBody: { content: Record<string, { schema: Schema }> }
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const contract = cairnContract()
const strict = dereference(openapiDocument())
const served = dereference(servedDocument())
const bodies = contract.routes.filter(({ takesBody }) => takesBody)
const ID = '0192f3a4-0000-7000-8000-000000000000'

const operationIn = ({ paths }: typeof strict, { path, method }: Route) =>
  (paths[path] as Record<string, Operation>)[method.toLowerCase()]!
const bodyIn = (document: typeof strict, route: Route) =>
  operationIn(document, route).requestBody.content['application/json']!.schema
const schemaIn = ({ components }: typeof strict, name: string) => (components!.schemas as Properties)[name]!
const accepts = (schema: Schema, value: unknown) => ajv.compile(schema)(value)
const routeOf = (operationId: string) => contract.routes.find((route) => route.operationId === operationId)!

/** Returns the properties of an object's schema, and what it requires whatever else it holds. */
function fieldsOf(schema: Schema): { properties: Properties; required: string[] } {
  const parts = ((schema.allOf ?? []) as Schema[]).map(fieldsOf)
  return {
    properties: Object.assign({}, ...parts.map(({ properties }) => properties), schema.properties) as Properties,
    required: [...parts.flatMap(({ required }) => required), ...((schema.required ?? []) as string[])],
  }
}

/** Returns the fields that may be left out and may not be null. */
function absentAsNull(schema: Schema): string[] {
  const { properties, required } = fieldsOf(schema)
  return Object.keys(properties).filter((name) => !required.includes(name) && !accepts(properties[name]!, null))
}

/** Returns what the contract makes of a body: its value, or its faults. */
async function reading(route: Route, body: unknown): Promise<unknown> {
  try {
    return await contract.readBody(route, Buffer.from(JSON.stringify(body)))
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.errors
    throw error
  }
}

const faultsOf = (found: unknown) =>
  (found as { loc: string[]; type: string }[]).map(({ loc, type }) => `${loc.join('.')} ${type}`)

/** Fields of operations that null leaves out, some of them written by hand: they must be among those that are found. */
const LEFT_OUT: readonly (readonly [operationId: string, fields: string])[] = [
  ['createMemory', 'memory_type weight metadata entity_links status visibility'],
  [
    'recall',
    'top_k fleet_ids filter_agent_id statuses run_id created_after valid_at metadata_filter min_score explain',
  ],
  ['putDocument', 'doc_id'],
  ['queryDocuments', 'fleet_id where order_by order cursor limit'],
  ['searchDocuments', 'collection fleet_id where top_k'],
  ['rateMemory', 'run_id'],
  ['rejectSkill', 'cooloff_days version'],
  ['putAgent', 'trust_level'],
  ['createKey', 'trust_level'],
  ['createErasure', 'agent_id subject_entity_id memory_ids preview'],
  ['verifyIndex', 'tenant_id sample seed repair'],
  ['runForge', 'dry_run'],
]

describe('null in a body', () => {
  const readers = bodies.filter(({ method }) => method !== 'PATCH')

  for (const route of readers)
    it(`is absent for each optional field of ${route.operationId}`, async () => {
      const body = JSON.parse(validRequest(route, 'acme').body!) as Body
      for (const name of absentAsNull(bodyIn(strict, route))) {
        const { [name]: _, ...without } = body
        expect(await reading(route, { ...without, [name]: null }), name).to.deep.equal(await reading(route, without))
      }
    })

  for (const route of readers)
    it(`is refused for each required field of ${route.operationId}`, async () => {
      const body = JSON.parse(validRequest(route, 'acme').body!) as Body
      for (const name of fieldsOf(bodyIn(strict, route)).required)
        expect(JSON.stringify(await reading(route, { ...body, [name]: null })), name).to.contain(`["body","${name}"]`)
    })

  for (const [operationId, fields] of LEFT_OUT)
    it(`leaves out ${fields} of ${operationId}`, () =>
      expect(absentAsNull(bodyIn(strict, routeOf(operationId)))).to.include.members(fields.split(' ')))

  for (const route of bodies.filter(({ method }) => method === 'PATCH'))
    it(`is kept by ${route.operationId}, which takes it where it clears alone`, async () => {
      const { properties } = fieldsOf(bodyIn(strict, route))
      for (const [name, property] of Object.entries(properties)) {
        const found = await reading(route, { [name]: null })
        if (accepts(property, null)) expect(found, name).to.deep.include({ value: { [name]: null } })
        else expect(JSON.stringify(found), name).to.contain(`["body","${name}"]`)
      }
    })

  it('is kept where the schema has it, as an edit does to clear a summary', async () => {
    const edit = { content: null, summary: null, description: 'D' }
    const { value } = (await reading(routeOf('editSkill'), edit)) as { value: Body }
    expect(value).to.deep.equal({ summary: null, description: 'D' })
  })

  it('is absent in an item of a list, in PATCH too, and names one of two alternatives no more than an absent one', async () => {
    const create = { tenant_id: 'acme', content: 'x' }
    const links = (route: string, beside: object, link: object) =>
      reading(routeOf(route), { ...beside, entity_links: [link] })
    for (const [route, beside] of [['createMemory', create] as const, ['patchMemory', {}] as const]) {
      const nulls = { name: 'Heron', entity_id: null, entity_type: null, role: null }
      expect(await links(route, beside, nulls)).to.deep.equal(await links(route, beside, { name: 'Heron' }))
      const none = { name: null, entity_id: null, role: 'subject' }
      expect(await links(route, beside, none)).to.deep.equal(await links(route, beside, { role: 'subject' }))
    }
    expect(faultsOf(await links('createMemory', create, { name: null }))).to.deep.equal([
      'body.entity_links.0 value_error',
    ])
  })

  for (const route of bodies.filter(({ itemsCheckedAlone }) => itemsCheckedAlone))
    it(`is absent in an item of ${route.operationId} where it may be left out, and refuses that item alone elsewhere`, async () => {
      const body = JSON.parse(validRequest(route, 'acme').body!) as Body
      const schema = schemaIn(strict, route.itemsCheckedAlone!.schema)
      const item = { content: 'x', doc_id: 'd', data: {} }
      const names = fieldsOf(schema)
      const valid = Object.fromEntries(Object.entries(item).filter(([name]) => name in names.properties))
      const left = Object.fromEntries(absentAsNull(schema).map((name) => [name, null]))
      const items = [{ ...valid, ...left }, valid, ...names.required.map((name) => ({ ...valid, [name]: null }))]
      const found = (await reading(route, { ...body, items })) as {
        value: { items: Body[] }
        itemFaults: readonly unknown[][]
      }
      expect(found.value.items[0]).to.deep.equal(found.value.items[1])
      expect(found.itemFaults.map((faults) => faults.length > 0)).to.deep.equal([
        false,
        false,
        ...names.required.map(() => true),
      ])
    })

  it('is kept in a caller’s own objects, at any depth', async () => {
    const own = { a: null, b: { c: null, weight: null }, d: [null] }
    const values = async (operationId: string, body: object) =>
      ((await reading(routeOf(operationId), { tenant_id: 'acme', ...body })) as { value: Body }).value
    expect(await values('createMemory', { content: 'x', metadata: own, scope: own })).to.deep.include({
      metadata: own,
      scope: own,
    })
    expect(await values('putDocument', { collection: 'c', data: own })).to.deep.include({ data: own })
    expect(await values('queryDocuments', { collection: 'c', where: { a: null } })).to.deep.include({
      where: { a: null },
    })
    expect(await values('recall', { query: 'x', metadata_filter: { a: null } })).to.deep.include({
      metadata_filter: { a: null },
    })
  })

  it('is refused in a list, and for a field that there is not', async () => {
    const recall = (fields: object) => reading(routeOf('recall'), { tenant_id: 'acme', query: 'x', ...fields })
    expect(faultsOf(await recall({ fleet_ids: [null] }))).to.deep.equal(['body.fleet_ids.0 string_type'])
    expect(faultsOf(await recall({ agents: null }))).to.deep.equal(['body.agents extra_forbidden'])
  })

  it('selects nothing that is to be erased', async () => {
    const erase = (fields: object) => reading(routeOf('createErasure'), { tenant_id: 'acme', ...fields })
    const none = await erase({})
    expect(faultsOf(none)).to.deep.equal(['body value_error'])
    const names = ['agent_id', 'subject_entity_id', 'memory_ids']
    for (let some = 1; some < 8; some++) {
      const nulls = Object.fromEntries(names.filter((_, i) => some & (1 << i)).map((name) => [name, null]))
      expect(await erase(nulls), JSON.stringify(nulls)).to.deep.equal(none)
    }
    const one = { memory_ids: [ID] }
    expect(await erase({ ...one, agent_id: null, subject_entity_id: null })).to.deep.equal(await erase(one))
    expect(await erase({ ...one, agent_id: 'ana', subject_entity_id: null })).to.be.an('array')
    expect(faultsOf(await erase({ tenant_id: null, ...one }))).to.deep.equal(['body.tenant_id string_type'])
  })
})

describe('the contract as it is served', () => {
  for (const route of bodies)
    it(`says where ${route.operationId} takes null`, () => {
      const [written, told] = [fieldsOf(bodyIn(strict, route)), fieldsOf(bodyIn(served, route))]
      expect(told.required).to.deep.equal(written.required)
      expect(Object.keys(told.properties)).to.deep.equal(Object.keys(written.properties))
      const more = route.method === 'PATCH' ? [] : absentAsNull(bodyIn(strict, route))
      for (const [name, property] of Object.entries(told.properties)) {
        const { [name]: before } = written.properties
        expect(accepts(property, null), name).to.equal(more.includes(name) || accepts(before!, null))
        expect([property.default, property.description], name).to.deep.equal([
          before!.default,
          more.includes(name) && !property.type ? property.description : before!.description,
        ])
      }
    })

  it('says it of items that are checked alone, and of links', () => {
    for (const name of ['BulkItem', 'DocumentBulkItem', 'EntityLinkWrite'])
      for (const [field, property] of Object.entries(fieldsOf(schemaIn(served, name)).properties)) {
        const before = fieldsOf(schemaIn(strict, name))
        const isTold = absentAsNull(schemaIn(strict, name)).includes(field)
        expect(accepts(property, null), field).to.equal(isTold || accepts(before.properties[field]!, null))
      }
    expect(absentAsNull(schemaIn(strict, 'EntityLinkWrite'))).to.have.length(4)
  })

  it('takes of values what it took, and of selectors none that is null', () => {
    const erasure = bodyIn(served, routeOf('createErasure'))
    const all = { tenant_id: 'acme', agent_id: null, subject_entity_id: null, memory_ids: null, preview: null }
    expect(accepts(erasure, { ...all, agent_id: 'ana' })).to.equal(true)
    expect(accepts(erasure, { ...all, memory_ids: [ID] })).to.equal(true)
    expect(accepts(erasure, all)).to.equal(false)
    expect(accepts(erasure, { ...all, agent_id: 'ana', memory_ids: [ID] })).to.equal(false)
    const link = schemaIn(served, 'EntityLinkWrite')
    expect(accepts(link, { name: 'Heron', entity_id: null })).to.equal(true)
    expect(accepts(link, { name: null, entity_id: null })).to.equal(false)
    const { properties } = fieldsOf(bodyIn(served, routeOf('queryDocuments')))
    expect(properties.order).to.deep.include({ type: ['string', 'null'], enum: ['asc', 'desc', null], default: 'desc' })
  })

  it('says nothing else of parameters and answers than what they are checked by', () => {
    for (const route of contract.routes) {
      const [told, written] = [operationIn(served, route), operationIn(strict, route)]
      expect([told.parameters, told.responses], route.operationId).to.deep.equal([
        written.parameters,
        written.responses,
      ])
    }
  })
})
