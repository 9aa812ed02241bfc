import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { createMovingClock } from '../support/moving-clock.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { statementsOf, transactionOf } from '../support/statements.js'

describe('settings and the database', () => {
  const service = ownService({ queues: [] })
  let tenant: TestTenant
  let operator: Caller
  beforeEach(async () => {
    tenant = newTenant(service())
    operator = await tenant.caller({ trust: 3 })
  })

  it('need no extra statement in a write, whatever is set', async () => {
    await operator.memories.create('So that its key is known.').ok()
    const write = (content: string) =>
      transactionOf(() => operator.memories.create(content).ok(), 'insert into memories')
    const [before] = [await write('One.'), await operator.settings.patch({ memory: { pii_policy: 'mask' } }).ok()]
    const after = await write('Two.')
    for (const statements of [before, after]) {
      const reading = statements.filter((text) => text.includes('tenant_settings'))
      expect(reading).to.have.length(1)
      // The statement that reads the remaining quota.
      expect(reading[0]).to.contain('memories_limit')
    }
    expect(after.length).to.equal(before.length)
  })

  it('are stored in one row, only where they differ from the defaults', async () => {
    await operator.settings
      .patch({
        memory: { pii_policy: 'mask' },
        enrichment: { enabled: true },
        skills_factory: { enabled: true },
      })
      .ok()
    await operator.settings.patch({ skills_factory: { enabled: false } }).ok()
    const rows = await runSql(service().databaseUrl, 'select settings from tenant_settings where tenant_id = $1', [
      tenant.id,
    ])
    expect(rows).to.deep.equal([{ settings: { memory: { pii_policy: 'mask' } } }])
  })

  it('are changed in the same transaction as their audit event', async () => {
    const run = (statement: string) => runSql(service().databaseUrl, statement)
    try {
      await run(`create function refuse() returns trigger language plpgsql as $$ begin
        if new.action = 'settings.updated' then raise exception 'no audit'; end if; return new; end $$`)
      await run('create trigger refuse before insert on audit_events for each row execute function refuse()')
      expect((await operator.settings.patch({ memory: { pii_policy: 'mask' } })).status).to.equal(500)
      expect((await operator.settings.get().ok()).memory.pii_policy).to.equal('flag')
    } finally {
      await run('drop trigger if exists refuse on audit_events; drop function if exists refuse()')
    }
    expect((await operator.settings.patch({ memory: { pii_policy: 'mask' } }).ok()).memory.pii_policy).to.equal('mask')
  })
})

describe('recall.freshness_floor', () => {
  const clock = createMovingClock()
  const service = ownService({ queues: [], clock })
  let tenant: TestTenant
  let operator: Caller
  before(async () => {
    tenant = newTenant(service())
    operator = await tenant.caller({ trust: 3 })
    await operator.memories.create('The fox lives in the den.').ok()
    clock.advance(100 * 365 * 86_400_000)
  })
  const freshness = async () => (await operator.memories.recall('fox').ok()).memories[0]!.score_parts!.freshness

  it('limits how far age lowers a score, from the next recall on, for each tenant on its own', async () => {
    expect(await freshness()).to.be.closeTo(0.94, 1e-9)
    await newTenant(service()).admin.settings.patch({ recall: { freshness_floor: 0.7 } })
    for (const floor of [0.5, 1, 0.75]) {
      await operator.settings.patch({ recall: { freshness_floor: floor } }).ok()
      expect(await freshness()).to.be.closeTo(floor, 1e-9)
    }
    await operator.settings.patch({ recall: null }).ok()
    expect(await freshness()).to.be.closeTo(0.94, 1e-9)
  })

  it('is read once per recall, in the same round trip as the pending tail', async () => {
    const statements = await statementsOf(freshness)
    const reading = statements.flatMap((text, i) => (text.includes('tenant_settings') ? [i] : []))
    expect(reading).to.have.length(1)
    // The statement before it reads the pending tail: both are sent before either is answered.
    expect(statements[reading[0]! - 1]).to.contain('with pending as materialized')
  })
})
