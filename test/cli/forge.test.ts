import { expect } from 'chai'
import os from 'node:os'
import { KEY_ROTATION } from '../support/forge.js'
import { runCairn } from '../support/processes.js'
import { startService, type TestService } from '../support/service.js'
import { newTenant } from '../support/tenants.js'

describe('cairn forge', function () {
  this.timeout(180_000)
  let service: TestService
  before(async () => (service = await startService()))
  after(() => service.stop())

  const cairn = (key: string, ...args: string[]) =>
    runCairn(['forge', ...args], { cwd: os.tmpdir(), env: { CAIRN_URL: service.url, CAIRN_API_KEY: key } })

  it('runs for a tenant that opted in, waits, and shows what came of it in tables', async () => {
    const tenant = newTenant(service)
    const none = await cairn(service.adminKey, 'run', '--tenant', tenant.id)
    expect(none.code).to.equal(1)
    expect(none.stderr).to.include(`Tenant ${tenant.id} has not opted in`)
    for (const [agentId, texts] of KEY_ROTATION) {
      const agent = await tenant.caller({ agentId, fleetId: 'red' })
      for (const content of texts) await agent.memories.create({ content, run_id: `run-${agentId}` }).ok()
    }
    const operator = await service.mintKey({ tenantId: tenant.id, trust: 3 })
    await service
      .client(operator)
      .of(tenant.id)
      .settings.patch({ skills_factory: { enabled: true } })
      .ok()
    const dry = await cairn(service.adminKey, 'run', '--tenant', tenant.id, '--dry-run')
    expect(dry.code, dry.stderr).to.equal(0)
    expect(dry.stdout).to.match(/^Run \S+ of tenant-\w+: succeeded.*a dry run that changed no skill/)
    const run = await cairn(service.adminKey, 'run', '--tenant', tenant.id)
    expect(run.code, run.stderr).to.equal(0)
    expect(run.stdout).to.match(/│ red +│ succeeded +│ 5 +│/)
    // The tenant's own schedule may have been first.
    expect(run.stdout).to.match(/│ forge\/[a-z0-9-]+ +│ red +│ (created|unchanged) +│ 4 +│ 4 +│ memories +│/)

    const listed = await cairn(operator, 'runs')
    expect(listed.stdout).to.contain('manual, dry').and.to.contain('succeeded')
    const id = /^Run (\S+)/.exec(run.stdout)![1]!
    expect((await cairn(operator, 'show', id)).stdout).to.equal(run.stdout)
    const weak = await service.mintKey({ tenantId: tenant.id, trust: 2 })
    expect((await cairn(weak, 'show', id)).code).to.equal(1)
    expect((await cairn(operator, 'run', '--tenant', tenant.id)).code).to.equal(1)
    const begun = await cairn(service.adminKey, 'run', '--tenant', tenant.id, '--no-wait')
    expect(begun.stdout).to.match(new RegExp(`^[0-9a-f-]{36} ${tenant.id}\n$`))
  })
})
