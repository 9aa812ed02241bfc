import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TOOLS } from '../../mcp/tools.js'
import { startService, type TestService } from '../support/service.js'
import { newTenant } from '../support/tenants.js'

/** The inspector's command line without its page, which asks for a newer Node. */
const INSPECTOR = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector-cli'))

/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- what the inspector prints is not known by its type */
type Printed = any

describe("the official inspector's command line", function () {
  this.timeout(120_000)
  let service: TestService
  let key: string
  before(async () => {
    service = await startService()
    const tenant = newTenant(service)
    key = await service.mintKey({ tenantId: tenant.id, agentId: 'ana', trust: 3 })
  })
  after(() => service.stop())

  async function inspect(...args: string[]): Promise<Printed> {
    const target = ['--cli', `${service.url}/mcp`, '--transport', 'http', '--header', `X-API-Key: ${key}`]
    const { stdout } = await promisify(execFile)(process.execPath, [INSPECTOR, ...target, ...args], { timeout: 60_000 })
    return JSON.parse(stdout)
  }

  function call(tool: string, args: Record<string, unknown>): Promise<Printed> {
    const given = Object.entries(args).flatMap(([name, value]) => ['--tool-arg', `${name}=${textOf(value)}`])
    return inspect('--method', 'tools/call', '--tool-name', tool, ...given)
  }

  it('lists every tool', async () => {
    const { tools } = await inspect('--method', 'tools/list')
    expect(tools.map(({ name }: Printed) => name)).to.have.members(TOOLS.map(({ name }) => name))
  })

  for (const { name, ops, example } of TOOLS)
    it(`calls ${name} with its example, and is told its ops with an unknown one`, async () => {
      const [answered, refused] = await Promise.all([call(name, example), call(name, { op: 'fly' })])
      expect(answered.structuredContent).to.include.keys('_status', '_latency_ms')
      // The ids of the examples name nothing in a new tenant.
      expect(answered.structuredContent._status).to.be.oneOf([200, 201, 404])
      expect(refused.isError).to.equal(true)
      expect(refused.structuredContent.error).to.deep.include({ code: 'INVALID_ARGUMENTS' })
      expect(refused.structuredContent.error.details).to.deep.include({ op: 'fly', expected_ops: Object.keys(ops) })
    })
})

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
