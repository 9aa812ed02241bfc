import { Client as EarlierClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { TOOLS } from '../../mcp/tools.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { callTool, connectTools } from '../support/tools.js'

const TENANT = 'workshop'
/** The tools that an agent of trust 2 is shown. */
const SHOWN = TOOLS.map(({ name }) => name).filter((name) => name !== 'svc_inbox')

describeOnEachProfile((profile) => {
  describe('tools', () => {
    const service = sharedService(profile)
    let key: string

    before(async () => {
      key = await service().mintKey({ tenantId: TENANT, agentId: 'smith', fleetId: 'forge', trust: 2 })
    })

    const raw = (message: unknown, headers: Record<string, string> = {}) =>
      fetch(new URL('/mcp', service().url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-api-key': key,
          ...headers,
        },
        body: typeof message === 'string' ? message : JSON.stringify(message),
      })
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }

    for (const protocol of ['2026-07-28', '2025'] as const)
      it(`are listed, and write and recall, for a client of ${protocol}`, async () => {
        const client = await connectTools(service().url, key, protocol)
        const { tools } = await client.listTools()
        expect(tools.map(({ name }) => name)).to.deep.equal(SHOWN)
        const content = `The anvil of ${protocol} stands beside the north door.`
        const written = await callTool(client, 'svc_memory', { op: 'write', content })
        expect(written.content).to.include({ content, agent_id: 'smith', memory_type: 'fact' })
        const recalled = await callTool(client, 'svc_recall', { op: 'search', query: content, top_k: 3 })
        expect(recalled.content.memories.map((memory: { id: string }) => memory.id)).to.include(written.content.id)
        await client.close()
      })

    it('are listed for a client of the SDK before', async () => {
      const client = new EarlierClient({ name: 'test', version: '1.0.0' })
      const headers = { Authorization: `Bearer ${key}` }
      await client.connect(
        new StreamableHTTPClientTransport(new URL('/mcp', service().url), { requestInit: { headers } }),
      )
      expect((await client.listTools()).tools).to.have.length(SHOWN.length)
      await client.close()
    })

    it('answer an unknown op with those that there are', async () => {
      const client = await connectTools(service().url, key)
      const { isError, content } = await callTool(client, 'svc_memory', { op: 'burn' })
      expect(isError).to.equal(true)
      expect(content.error.code).to.equal('INVALID_ARGUMENTS')
      expect(content.error.details.op).to.equal('burn')
      expect(content.error.details.expected_ops).to.deep.equal(Object.keys(TOOLS[1]!.ops))
      await client.close()
    })

    it('are shown to callers whose trust may call them', async () => {
      const shownTo = async (own: string, headers: Record<string, string> = {}) => {
        const text = await (await raw(list, { 'x-api-key': own, ...headers })).text()
        return [...text.matchAll(/"name":"(svc_\w+)"/g)].map(([, name]) => name)
      }
      const mint = (options: object) => service().mintKey({ tenantId: 'foundry', ...options })
      const all = TOOLS.map(({ name }) => name)
      expect(await shownTo(await mint({ agentId: 'head', trust: 3 }))).to.deep.equal(all)
      const ofGuest = all.filter((name) => !['svc_inbox', 'svc_doc', 'svc_skills'].includes(name))
      expect(await shownTo(await mint({ agentId: 'guest', trust: 0 }))).to.deep.equal(ofGuest)
      // A tenant key has the trust of the agent that it acts for, and may act for none that there is not.
      const operator = await mint({ trust: 3 })
      expect(await shownTo(operator)).to.include('svc_inbox')
      expect(await shownTo(operator, { 'x-agent-id': 'guest' })).not.to.include('svc_inbox')
      expect((await raw(list, { 'x-api-key': operator, 'x-agent-id': 'nobody' })).status).to.equal(403)
      const client = await connectTools(service().url, key)
      const { content } = await callTool(client, 'svc_inbox', { op: 'list' })
      expect(content.error.details).to.deep.equal({ required_trust_level: 3, caller_trust_level: 2 })
      await client.close()
    })

    it('take what models write for what they leave out, and what their clients write as texts', async () => {
      const client = await connectTools(service().url, key)
      const content = 'The bellows of the forge leak.'
      const links = '[{"name":"the bellows","entity_type":"thing"}]'
      const nothing = { title: null, run_id: '', supersedes_id: '', cursor: null, memory_id: '' }
      const written = await callTool(client, 'svc_memory', {
        op: 'write',
        content,
        metadata: '{"ticket":"OPS-12"}',
        weight: '0.9',
        entity_links: links,
        ...nothing,
      })
      expect(written.content).to.deep.include({ _status: 201, metadata: { ticket: 'OPS-12' } })
      const { id } = written.content
      const read = await callTool(client, 'svc_memory', { op: 'read', id })
      expect(read.content).to.deep.include({ id, weight: 0.9, run_id: null, tenant_id: TENANT })
      expect(read.content.entity_links[0]).to.include({ name: 'the bellows' })
      const recalled = await callTool(client, 'svc_recall', {
        op: 'search',
        query: content,
        top_k: '1',
        memory_types: 'fact',
      })
      expect(recalled.content.memories.map((memory: { id: string }) => memory.id)).to.deep.equal([id])
      const refused = await callTool(client, 'svc_recall', { op: 'search', query: content, filter_agent_id: '' })
      expect(refused.content.error.details.errors[0].loc).to.deep.equal(['arguments', 'filter_agent_id'])
      await client.close()
    })

    it('answer a message without arguments, and a tool that there is not with an error of the protocol', async () => {
      const call = async (params: object) => {
        const text = await (await raw({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })).text()
        return JSON.parse(text.startsWith('{') ? text : /^data: (.*)$/m.exec(text)![1]!)
      }
      const counted = await call({ name: 'svc_stats', arguments: null })
      expect(counted.result.structuredContent).to.include({ _status: 200, scope: null })
      const { error } = await call({ name: 'svc_memmory', arguments: {} })
      expect(error.code).to.equal(-32602)
      expect(error.message).to.match(/did you mean svc_memory\?/)
    })

    it('refuse an argument that the op does not take', async () => {
      const client = await connectTools(service().url, key)
      const { isError, content } = await callTool(client, 'svc_stats', { op: 'read', wings: 2 })
      expect(isError).to.equal(true)
      expect(content.error.details.errors[0].loc).to.deep.equal(['arguments', 'wings'])
      await client.close()
    })

    it('refuse a message that is too large, unreadable, too deep, a batch or of another type, as REST refuses a body', async () => {
      const nested = (levels: number) =>
        `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":${'['.repeat(levels)}${']'.repeat(levels)}}`
      const statusOf = async (body: string, headers?: Record<string, string>) => (await raw(body, headers)).status
      const text = JSON.stringify(list)
      expect(await statusOf(text)).to.equal(200)
      expect(await statusOf(text + ' '.repeat(1024 * 1024))).to.equal(413)
      expect(await statusOf(text.slice(0, -1))).to.equal(400)
      expect(await statusOf(nested(200))).to.equal(422)
      expect(await statusOf(`[${text}]`)).to.equal(422)
      // The protocol's library would refuse it too, in an answer of its own.
      const plain = (await (await raw(text, { 'content-type': 'text/plain' })).json()) as {
        error: { data: { error: { code: string } } }
      }
      expect(plain.error.data.error.code).to.equal('UNSUPPORTED_MEDIA_TYPE')
    })

    it('have nothing to subscribe to, in an error of the protocol that ends the answer', async () => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      }
      const method = 'subscriptions/listen'
      const message = { jsonrpc: '2.0', id: 1, method, params: { notifications: { toolsListChanged: true } } }
      const current = { ...message, params: { ...message.params, _meta: meta } }
      const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
      for (const response of [await raw(message), await raw(current, headers)]) {
        const text = await response.text()
        expect(response.status).to.equal(200)
        expect(text).to.match(/"error":\{"code":-32/)
      }
    })

    it('refuse what REST refuses, with its code', async () => {
      const client = await connectTools(service().url, key)
      const foreign = await callTool(client, 'svc_memory', { op: 'write', content: 'x', tenant_id: 'other' })
      expect(foreign.content.error.code).to.equal('FORBIDDEN')
      const unknown = await callTool(client, 'svc_memory', { op: 'read', memory_id: crypto.randomUUID() })
      expect(unknown.content.error.code).to.equal('NOT_FOUND')
      const inbox = await callTool(client, 'svc_inbox', { op: 'list' })
      expect(inbox.content.error.code).to.equal('FORBIDDEN')
      await client.close()
    })

    it('are for callers with a key, from hosts and pages that are allowed', async () => {
      expect((await raw(list)).status).to.equal(200)
      expect((await raw(list, { 'x-api-key': 'wrong' })).status).to.equal(401)
      expect((await raw(list, { origin: 'http://localhost:3000' })).status).to.equal(200)
      expect((await raw(list, { origin: 'https://elsewhere.example' })).status).to.equal(403)
      expect((await raw([list])).status).to.equal(422)
      const get = await fetch(new URL('/mcp', service().url), { headers: { 'x-api-key': key } })
      expect(get.status).to.equal(405)
    })

    it('answer each of fifty tenants at once with its own rows, though their messages have one id', async () => {
      const clients = await Promise.all(
        Array.from({ length: 50 }, async (_, i) => {
          const tenantId = `guild-${i}`
          const own = await service().mintKey({ tenantId, agentId: 'smith', trust: 1 })
          await service().client(own).of(tenantId).memories.create(`The mark of guild ${i}.`).ok()
          return { tenantId, own }
        }),
      )
      const params = { name: 'svc_memory', arguments: { op: 'list' } }
      const message = { jsonrpc: '2.0', id: 7, method: 'tools/call', params }
      const answers = await Promise.all(
        clients.map(async ({ own }) => (await raw(message, { 'x-api-key': own })).text()),
      )
      for (const [i, text] of answers.entries()) {
        expect(text).to.contain(`The mark of guild ${i}.`)
        expect(text.match(/The mark of guild \d+\./g)!.every((mark) => mark === `The mark of guild ${i}.`)).to.equal(
          true,
        )
      }
    })

    it('come with the rules as a resource and as the prompt of a session, and with their exact schemas', async () => {
      const operator = service()
        .client(await service().mintKey({ tenantId: TENANT, trust: 3 }))
        .of(TENANT)
      const rule = {
        doc_id: 'gloves',
        title: 'Gloves',
        content: 'Wear gloves at the anvil.',
        scope: 'tenant',
        weight: 'high',
      }
      await operator.keystones.set(rule).ok()
      const client = await connectTools(service().url, key)
      const { contents } = await client.readResource({ uri: 'cairn://keystones' })
      const rules = JSON.parse((contents[0] as { text: string }).text)
      expect(rules.items[0]).to.include({ content: rule.content })
      const acknowledged = await callTool(client, 'svc_keystones', {
        op: 'acknowledge',
        run_id: 'r1',
        etag: rules._etag,
      })
      expect(acknowledged.isError).to.equal(false)
      const prompt = await client.getPrompt({ name: 'start_session', arguments: { task: 'Shoe a horse' } })
      expect((prompt.messages[0]!.content as { text: string }).text)
        .to.contain(rule.content)
        .and.to.contain('Shoe a horse')
      for (const { name, ops } of TOOLS) {
        const schema = await client.readResource({ uri: `cairn://schemas/${name}` })
        expect(JSON.parse((schema.contents[0] as { text: string }).text).oneOf).to.have.length(Object.keys(ops).length)
      }
      await client.close()
    })
  })
})
