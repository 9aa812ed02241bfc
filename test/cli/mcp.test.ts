import { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { freePort } from '../../runtime/free-port.js'
import { isRunning, type ProcessIdentity } from '../../runtime/process-lock.js'
import { skillOf } from '../support/clients/skills.js'
import { ANSWERED_WITH_NULLS } from '../support/null-messages.js'
import { cairnFile, runCairn } from '../support/processes.js'
import { startProxy } from '../support/proxy.js'
import { startService, type TestService } from '../support/service.js'
import { inTime, until } from '../support/states.js'
import { newTenant } from '../support/tenants.js'
import { callTool } from '../support/tools.js'

describe('cairn mcp', function () {
  this.timeout(120_000)
  let service: TestService
  before(async () => (service = await startService()))
  after(() => service.stop())

  async function connect(env: Record<string, string>, mode: 'legacy' | { pin: string }, ...args: string[]) {
    const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } })
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [cairnFile(), 'mcp', ...args],
        cwd: os.tmpdir(),
        env: { PATH: process.env.PATH!, ...env },
        stderr: 'ignore',
      }),
    )
    return client
  }

  for (const mode of ['legacy' as const, { pin: '2026-07-28' }])
    it(`writes and reads over stdin and stdout, in the protocol ${JSON.stringify(mode)}`, async () => {
      const tenant = newTenant(service)
      const key = await service.mintKey({ tenantId: tenant.id, agentId: 'ana', trust: 1 })
      const client = await connect({ CAIRN_URL: service.url, CAIRN_API_KEY: key }, mode)
      const written = await callTool(client, 'svc_memory', { op: 'write', content: 'The lock of shed 4 sticks.' })
      expect(written.content).to.include({ memory_type: 'fact', agent_id: 'ana' })
      const read = await callTool(client, 'svc_memory', { op: 'read', memory_id: written.content.id })
      expect(read.content).to.include({ tenant_id: tenant.id, content: 'The lock of shed 4 sticks.', _etag: '"1"' })
      const other = await callTool(client, 'svc_memory', { op: 'write', content: 'x', tenant_id: 'another' })
      expect(other.content.error.code).to.equal('FORBIDDEN')
      const refused = await callTool(client, 'svc_memory', { op: 'read' })
      expect([refused.isError, refused.content.error.code]).to.deep.equal([true, 'INVALID_ARGUMENTS'])
      const unreadable = callTool(client, 'svc_memory', { op: 'read', memory_id: '\ud800' })
      expect(await unreadable.catch((error: unknown) => error)).to.deep.include({ code: -32600 })
      await client.close()
    })

  for (const mode of ['legacy' as const, { pin: '2026-07-28' }])
    it(`serves skills over stdin and stdout, in the protocol ${JSON.stringify(mode)}`, async () => {
      const tenant = newTenant(service)
      const key = await service.mintKey({ tenantId: tenant.id, agentId: 'ana', trust: 1 })
      const ana = service.client(key).of(tenant.id)
      const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 0xff])
      const files = [{ path: 'assets/logo.png', content_base64: picture.toString('base64') }]
      const { doc_id } = (await ana.skills.write(skillOf('lock'), { files }).ok()) as { doc_id: string }
      await until('it is active', async () => expect((await ana.skills.get(doc_id)).status).to.equal(200))
      const client = await connect({ CAIRN_URL: service.url, CAIRN_API_KEY: key }, mode)
      const skills = new SkillsClient(client)
      const [entry] = (await skills.list()).skills
      expect(entry!.uri).to.equal('skill://agent/lock/SKILL.md')
      expect((await skills.read(entry!)).text).to.contain('lock key is due')
      expect(Buffer.from((await skills.read(entry!, 'assets/logo.png')).bytes)).to.deep.equal(picture)
      const unknown = client.readResource({ uri: 'skill://agent/other/SKILL.md' })
      expect(await unknown.catch((error: unknown) => error)).to.deep.include({ code: -32602 })
      await client.close()
    })

  it('lists what the trust may call, as of now, and takes what models and their clients write', async () => {
    const tenant = newTenant(service)
    const key = await service.mintKey({ tenantId: tenant.id, agentId: 'ana', trust: 1 })
    const operator = service.client(await service.mintKey({ tenantId: tenant.id, trust: 3 })).of(tenant.id)
    const client = await connect({ CAIRN_URL: service.url, CAIRN_API_KEY: key }, 'legacy')
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name)
    expect(await listed())
      .to.include('svc_memory')
      .and.not.to.include('svc_inbox')
    await operator.agents.patch('ana', { trust_level: 3 }).ok()
    await until('the trust is known', async () => (await listed()).includes('svc_inbox'))
    const links = '[{"name":"shed 4","role":null}]'
    const content = 'The lock of shed 4 sticks.'
    const { id } = (await callTool(client, 'svc_memory', { op: 'write', content, weight: '0.9', entity_links: links }))
      .content
    const whole = await callTool(client, 'svc_memory', { op: 'read', id, limit: null })
    expect(whole.content).to.include({ content, weight: 0.9 })
    const wrong = await callTool(client, 'svc_recall', { op: 'search', query: 'lock', top_k: 1_000 })
    expect(wrong.content.error).to.deep.equal({
      code: 'INVALID_ARGUMENTS',
      message: 'search cannot take top_k as given; see errors.',
      details: { errors: [{ loc: ['arguments', 'top_k'], msg: 'Must be at most 100.', type: 'less_than_equal' }] },
    })
    const nothing = { name: 'svc_stats', arguments: null } as never
    expect((await client.callTool(nothing)).structuredContent).to.include({ total: 1, scope: null })
    const unknown = await client.callTool({ name: 'svc_memories' }).catch((error: { code: number }) => error)
    expect(unknown).to.include({ code: -32602 })
    await client.close()
  })

  it('reports a service that no longer answers as an error of the tool', async () => {
    const own = await startService()
    const key = await own.mintKey({ tenantId: 'shed', agentId: 'ana', trust: 1 })
    const client = await connect({ CAIRN_URL: own.url, CAIRN_API_KEY: key }, 'legacy')
    await own.stop()
    const { isError, content } = await callTool(client, 'svc_recall', { op: 'search', query: 'lock' })
    expect(isError).to.equal(true)
    expect(content.error.code).to.equal('UNAVAILABLE')
    await client.close()
  })

  it('answers errors while the service is away, and calls again once it is back', async () => {
    const proxy = await startProxy(service.url)
    const key = await service.mintKey({ tenantId: newTenant(service).id, agentId: 'ana', trust: 1 })
    const client = await connect({ CAIRN_URL: proxy.url, CAIRN_API_KEY: key }, 'legacy')
    const write = (content: string) => callTool(client, 'svc_memory', { op: 'write', content })
    try {
      await write('The lock of shed 3 sticks.')
      await proxy.cut()
      const refused = await write('The lock of shed 4 sticks.')
      expect([refused.isError, refused.content.error.code]).to.deep.equal([true, 'UNAVAILABLE'])
      await proxy.mend()
      const written = await write('The lock of shed 5 sticks.')
      expect(written.content).to.include({ agent_id: 'ana', content: 'The lock of shed 5 sticks.' })
    } finally {
      await client.close()
      await proxy.stop()
    }
  })

  /** Returns what the command prints, and how it ends, when all of its stdin is this text. */
  async function runWith(stdin: string, env: Record<string, string>) {
    const child = spawn(process.execPath, [cairnFile(), 'mcp'], {
      cwd: os.tmpdir(),
      env: { PATH: process.env.PATH!, ...env },
    })
    const output = Promise.all([text(child.stdout), text(child.stderr)])
    // The command may end before it has read everything.
    child.stdin.on('error', () => {})
    child.stdin.end(stdin)
    const [code] = (await inTime('cairn mcp ends', once(child, 'exit'))) as [number | null]
    const [stdout, stderr] = await output
    return {
      code,
      answers: stdout
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Message),
      stderr,
    }
  }
  interface Message {
    readonly id: number | null
    readonly error?: { readonly code: number }
    readonly result?: { readonly structuredContent: Record<string, unknown> }
  }
  const initialize = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }
  const linesOf = (...messages: object[]) =>
    messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join('')
  const call = (id: number, args: object) => ({
    id,
    method: 'tools/call',
    params: { name: 'svc_memory', arguments: args },
  })

  it('answers the calls that stdin ends with, and ends with 0', async () => {
    const key = await service.mintKey({ tenantId: newTenant(service).id, agentId: 'ana', trust: 1 })
    const writes = [2, 3, 4].map((id) => call(id, { op: 'write', content: `The lock of shed ${id} sticks.` }))
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 4 } }
    const input = linesOf(initialize, { method: 'notifications/initialized' }, ...writes, cancelled)
    const { code, answers } = await runWith(input, { CAIRN_URL: service.url, CAIRN_API_KEY: key })
    const contents = answers
      .filter(({ id }) => id === 2 || id === 3)
      .map(({ result }) => result?.structuredContent.content)
    expect([code, contents.sort()]).to.deep.equal([0, ['The lock of shed 2 sticks.', 'The lock of shed 3 sticks.']])
  })

  it('answers every line that is a request or no message, whatever is null or wrong in it', async () => {
    const key = await service.mintKey({ tenantId: newTenant(service).id, agentId: 'ana', trust: 1 })
    const nulls = ANSWERED_WITH_NULLS.map((message, i) => ({ id: 100 + i, ...message }))
    const wrong = ['no JSON\n', '{}\n', `${'x'.repeat(2_000_000)}\n`, '\n']
    const long = [2_000_000, 20_000_000].map((length, i) => call(10 + i, { op: 'write', content: 'x'.repeat(length) }))
    const noText = { id: 20, method: 5 }
    const input = [linesOf(initialize), ...wrong, linesOf(...long, noText, { method: 'ping' }, ...nulls)].join('')
    const { code, answers, stderr } = await runWith(input, { CAIRN_URL: service.url, CAIRN_API_KEY: key })
    expect([code, stderr]).to.deep.equal([0, ''])
    const failed = answers.flatMap(({ id, error }) => (error ? [[id, error.code]] : []))
    expect(failed).to.have.deep.members([
      [null, -32700],
      [null, -32600],
      [null, -32700],
      [10, -32600],
      [11, -32600],
      [20, -32600],
    ])
    const answered = answers.flatMap(({ id, result }) => (result ? [id] : []))
    expect(answered).to.have.members([1, ...nulls.map(({ id }) => id)])
  })

  it('ends with 1 and the reason where nobody reads its answers', async () => {
    const key = await service.mintKey({ tenantId: newTenant(service).id, agentId: 'ana', trust: 1 })
    const env = { PATH: process.env.PATH!, CAIRN_URL: service.url, CAIRN_API_KEY: key }
    const child = spawn(process.execPath, [cairnFile(), 'mcp'], { cwd: os.tmpdir(), env })
    const said = text(child.stderr)
    child.stdout.destroy()
    child.stdin.write(linesOf(initialize))
    const [code] = (await inTime('cairn mcp ends', once(child, 'exit'))) as [number | null]
    expect(code).to.equal(1)
    expect(await said).to.match(/^cairn: the connection over stdin and stdout has ended \(.*EPIPE.*\)\.\n$/)
  })

  describe('--start', () => {
    let home: string
    let dataDir: string
    before(async () => {
      home = await mkdtemp(path.join(os.tmpdir(), 'cairn-mcp-'))
      dataDir = path.join(home, '.cairn')
    })
    after(() => rm(home, { recursive: true, force: true }))

    it('starts one service for two harnesses at once, which outlives them', async () => {
      const env = { DATA_DIR: dataDir, PORT: String(await freePort()), METRICS_PORT: '0' }
      const connectHere = () => connect(env, 'legacy', '--start')
      const [first, second] = await Promise.all([connectHere(), connectHere()])
      const owner = JSON.parse(await readFile(path.join(dataDir, 'cairn.lock'), 'utf8')) as ProcessIdentity
      try {
        const { content } = await callTool(first, 'svc_memory', { op: 'write', content: 'The lock of shed 4 sticks.' })
        await first.close()
        const read = await callTool(second, 'svc_memory', { op: 'read', memory_id: content.id })
        expect(read.content.content).to.equal('The lock of shed 4 sticks.')
        await second.close()
        expect(isRunning(owner)).to.equal(true)
      } finally {
        process.kill(owner.pid, 'SIGTERM')
      }
      await until('the started service has ended', () => !isRunning(owner))
    })

    it('starts at the port of the address, in a directory that was open to others', async () => {
      const own = path.join(home, 'open')
      await mkdir(own, { mode: 0o755 })
      const port = await freePort()
      const env = { DATA_DIR: own, CAIRN_URL: `http://127.0.0.1:${port}`, METRICS_PORT: '0' }
      const client = await connect(env, 'legacy', '--start')
      const owner = JSON.parse(await readFile(path.join(own, 'cairn.lock'), 'utf8')) as ProcessIdentity
      try {
        const { content } = await callTool(client, 'svc_memory', { op: 'write', content: 'The lock of shed 4 sticks.' })
        expect(content._status).to.equal(201)
        await client.close()
      } finally {
        process.kill(owner.pid, 'SIGTERM')
      }
      await until('the started service has ended', () => !isRunning(owner))
    })

    it('ends with the reason for which the service did not start', async () => {
      const own = path.join(home, 'wrong')
      const env = { DATA_DIR: own, PORT: String(await freePort()), METRICS_PORT: 'none' }
      const { code, stderr } = await runCairn(['mcp', '--start'], { cwd: home, env })
      expect(code).to.equal(1)
      expect(stderr).to.match(/did not start; see .*serve\.log\. It says: METRICS_PORT: /)
    })

    it('refuses to start the service of another machine', async () => {
      const env = { DATA_DIR: dataDir, CAIRN_URL: 'http://cairn.invalid:8080' }
      const { code, stderr } = await runCairn(['mcp', '--start'], { cwd: home, env })
      expect(code).to.equal(1)
      expect(stderr).to.contain('no service answers at http://cairn.invalid:8080')
      expect(stderr).to.contain('on this machine only')
    })
  })
})
