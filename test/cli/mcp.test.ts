import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'chai'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { startService, type TestService } from '../support/service.js'
import { newTenant } from '../support/tenants.js'
import { callTool } from '../support/tools.js'

const CAIRN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

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
        args: [CAIRN, 'mcp', ...args],
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
      expect(written.content).to.include({ tenant_id: tenant.id, agent_id: 'ana' })
      const read = await callTool(client, 'svc_memory', { op: 'read', memory_id: written.content.id })
      expect(read.content).to.include({ content: 'The lock of shed 4 sticks.', _etag: '"1"' })
      const other = await callTool(client, 'svc_memory', { op: 'write', content: 'x', tenant_id: 'another' })
      expect(other.content.error.code).to.equal('FORBIDDEN')
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
})
