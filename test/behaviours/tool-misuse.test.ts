import { expect } from 'chai'
import { callTool, connectTools } from '../support/tools.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'

type Arguments = Readonly<Record<string, unknown>>

/** Calls as models write them that are carried out: the tool, its arguments, and a part of the answer. */
const ACCEPTED: Readonly<Record<string, readonly [tool: string, args: Arguments, answer: object]>> = {
  'a number that is whole': ['svc_recall', { op: 'search', query: 'beacon', top_k: 5.0 }, { _status: 200 }],
  'a number as a text': ['svc_recall', { op: 'search', query: 'beacon', top_k: '3' }, { _status: 200 }],
  'a boolean as a text': ['svc_recall', { op: 'search', query: 'beacon', explain: 'true' }, { query: 'beacon' }],
  'a cursor that is empty': ['svc_memory', { op: 'list', cursor: '', limit: '2' }, { _status: 200 }],
  'the fields of other ops as nulls': [
    'svc_recall',
    { op: 'search', query: 'beacon', recall_id: null, id: null, explain: null },
    { _status: 200 },
  ],
  'a tenant that is null': ['svc_memory', { op: 'write', content: 'Pier 1.', tenant_id: null }, { _status: 201 }],
  'an object as a text': [
    'svc_memory',
    { op: 'write', content: 'Pier 2.', metadata: '{"ticket":"OPS-1"}' },
    { metadata: { ticket: 'OPS-1' } },
  ],
  'one type where a list is meant': [
    'svc_recall',
    { op: 'search', query: 'beacon', memory_types: 'fact' },
    { _status: 200 },
  ],
  'no op where there is one': ['svc_stats', {}, { _status: 200 }],
  'a fleet that there is not, of which nothing is known': [
    'svc_recall',
    { op: 'search', query: 'beacon', fleet_ids: ['invented'] },
    { memories: [] },
  ],
}

const DATE = 'Must be a date and time with an offset or Z, such as 2026-01-31T12:00Z or 2026-01-31T12:00:00+01:00.'
const TYPES =
  'Must be one of fact, episode, decision, preference, task, semantic, intention, plan, commitment, action, cancellation.'
const NO_ARGUMENT = 'There is no such argument.'

/** Calls that are meant to be refused: the tool, its arguments, and what the model is told of which argument. */
const INVALID: Readonly<
  Record<string, readonly [tool: string, args: Arguments, told: Readonly<Record<string, string>>]>
> = {
  'a number beyond its bound': [
    'svc_recall',
    { op: 'search', query: 'beacon', top_k: 1000 },
    { top_k: 'Must be at most 100.' },
  ],
  'nothing where something is needed': [
    'svc_memory',
    { op: 'write', content: null },
    { content: 'This field is required.' },
  ],
  'a list where a text is meant': ['svc_memory', { op: 'write', content: ['a'] }, { content: 'Must be a string.' }],
  'texts where objects are meant': [
    'svc_memory',
    { op: 'write_many', items: ['Pier 3.'] },
    { 'items.0': 'Must be an object.' },
  ],
  'another name within an object': [
    'svc_memory',
    { op: 'write', content: 'Pier 4.', entity_links: [{ name: 'pier 4', type: 'place' }] },
    { 'entity_links.0.type': 'There is no such field.' },
  ],
  'an id that is none': ['svc_memory', { op: 'read', id: 'the-first-one' }, { id: 'Must be a UUID.' }],
  'an id that is a path': ['svc_memory', { op: 'read', id: '../admin/keys' }, { id: 'Must be a UUID.' }],
  'a day': ['svc_recall', { op: 'search', query: 'beacon', created_after: '2026-11-26' }, { created_after: DATE }],
  'a day in words': [
    'svc_recall',
    { op: 'search', query: 'beacon', created_after: 'yesterday' },
    { created_after: DATE },
  ],
  'a time without a zone': [
    'svc_memory',
    { op: 'write', content: 'Pier 5.', expires_at: '2027-01-01T00:00:00' },
    { expires_at: DATE },
  ],
  'a type that there is not': [
    'svc_memory',
    { op: 'write', content: 'Pier 6.', memory_type: 'note' },
    { memory_type: TYPES },
  ],
  'a type in capitals': [
    'svc_memory',
    { op: 'write', content: 'Pier 7.', memory_type: 'FACT' },
    { memory_type: TYPES },
  ],
  'a status that update does not set': [
    'svc_memory',
    { op: 'update', id: crypto.randomUUID(), status: 'deleted' },
    { status: 'Must be one of active, pending, confirmed, cancelled, archived.' },
  ],
  'a verdict in other words': [
    'svc_memory',
    { op: 'feedback', id: crypto.randomUUID(), outcome: 'helpful' },
    { outcome: 'Must be one of success, failure, partial.' },
  ],
  'a receipt without what was read': [
    'svc_keystones',
    { op: 'acknowledge', run_id: 'run-1' },
    { etag: 'This field is required.' },
  ],
  'a text as a document': [
    'svc_doc',
    { op: 'write', collection: 'notes', doc_id: 'n', data: 'text' },
    { data: 'Must be an object.' },
  ],
  'a document without its name': [
    'svc_doc',
    { op: 'write', collection: 'notes', data: { a: 1 } },
    { doc_id: 'Field required.' },
  ],
  'arguments of other services': [
    'svc_memory',
    { op: 'write', content: 'Pier 8.', user_id: 'u1', tags: ['pier'] },
    { user_id: NO_ARGUMENT, tags: NO_ARGUMENT },
  ],
  'more than a memory holds': [
    'svc_memory',
    { op: 'write', content: 'x'.repeat(10_001) },
    { content: 'May have at most 10000 characters.' },
  ],
}

/** Tests what models make of the tools, whole: what they mean is done, and what cannot be done is told. */
describeOnEmbedded(() => {
  const service = sharedService('embedded')
  let client: Awaited<ReturnType<typeof connectTools>>
  before(async () => {
    const { id: tenantId } = newTenant(service())
    client = await connectTools(service().url, await service().mintKey({ tenantId, agentId: 'ana', trust: 2 }))
  })
  after(() => client.close())

  for (const [what, [tool, args, answer]] of Object.entries(ACCEPTED))
    it(`take ${what}`, async () => {
      const { isError, content } = await callTool(client, tool, args)
      expect(isError, JSON.stringify(content)).to.equal(false)
      expect(content).to.deep.include(answer)
    })

  for (const [what, [tool, args, told]] of Object.entries(INVALID))
    it(`refuse ${what}, and say which argument`, async () => {
      const { isError, content } = await callTool(client, tool, args)
      expect([isError, content._status, content.error?.code]).to.deep.equal([true, 422, 'INVALID_ARGUMENTS'])
      const errors = content.error.details.errors as { loc: string[]; msg: string }[]
      const found = Object.fromEntries(errors.map(({ loc, msg }) => [loc.slice(1).join('.'), msg]))
      expect(found).to.deep.equal(told)
      expect(errors.every(({ loc }) => loc[0] === 'arguments')).to.equal(true)
    })

  it('tell which memory has the same text', async () => {
    const write = { op: 'write', content: 'The beacon of pier nine blinks green.' }
    const { content: first } = await callTool(client, 'svc_memory', write)
    const { isError, content } = await callTool(client, 'svc_memory', write)
    expect([isError, content._status, content.error.details]).to.deep.equal([true, 409, { existing_id: first.id }])
  })
})
