/** Tests for mocha in a copy of the repository whose memories have a new field `place`. */
import { expect } from 'chai'
import { readFile } from 'node:fs/promises'
import { schemaTypes } from '../../scripts/generate-schema.ts'
import { startService } from './service.ts'

describe('a new field', () => {
  let service
  before(async () => (service = await startService({ queues: [] })))
  after(() => service.stop())

  it('is in the types of the tables', async () => {
    expect(await schemaTypes(service.databaseUrl)).to.equal(await readFile('store/schema.gen.ts', 'utf8'))
  })

  it('is written, read, listed, changed and cleared', async () => {
    const ana = service.client(await service.mintKey({ tenantId: 't', agentId: 'ana' }))
    const { body: memory } = await ana.post('/api/v1/memories', { tenant_id: 't', content: 'A fox.', place: 'Oslo' })
    const path = `/api/v1/memories/${memory.id}`
    const list = await ana.get('/api/v1/memories', { tenant_id: 't' })
    expect([memory.place, list.body.items[0].place]).to.deep.equal(['Oslo', 'Oslo'])

    const { body: changed } = await ana.patch(path, { place: 'ana@example.com' })
    expect(changed.place).to.equal('ana@example.com')
    expect(Object.keys(changed.system_metadata.pii.fields)).to.deep.equal(['place'])
    const events = await service.client().get('/api/v1/audit', { tenant_id: 't', action: 'memory.updated' })
    expect(events.body.items[0].details.fields).to.deep.equal(['place'])

    await ana.patch(path, { place: null })
    expect((await ana.get(path, { tenant_id: 't' })).body.place).to.equal(null)
    expect((await ana.post('/api/v1/memories', { tenant_id: 't', content: 'An owl.' })).body.place).to.equal(null)
  })
})
