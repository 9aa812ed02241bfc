import { expect } from 'chai'
import pg from 'pg'
import { describeSettings } from '../behaviours/settings.js'
import { type Caller, newTenant, type TestTenant } from '../support/caller.js'
import { createMovingClock } from '../support/moving-clock.js'
import { shareService } from '../support/shared-service.js'
import { statementsOf } from '../support/statements.js'

describe('of a tenant', () => {
  describeSettings(shareService())
})

describe('settings and the database', () => {
  const service = shareService({ queues: [] })
  let tenant: TestTenant
  let operator: Caller
  beforeEach(async () => {
    tenant = newTenant(service())
    operator = await tenant.caller({ trust: 3 })
  })

  it('need no extra statement in a write, whatever is set', async () => {
    await operator.remember('So that its key is known.')
    const write = (content: string) => statementsOf(() => operator.remember(content))
    const [before] = [await write('One.'), await operator.set({ memory: { pii_policy: 'mask' } })]
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
    await operator.set({
      memory: { pii_policy: 'mask' },
      enrichment: { enabled: true },
      skills_factory: { enabled: true },
    })
    await operator.set({ skills_factory: { enabled: false } })
    const client = new pg.Client({ connectionString: service().databaseUrl })
    await client.connect()
    try {
      const { rows } = await client.query('select settings from tenant_settings where tenant_id = $1', [tenant.id])
      expect(rows).to.deep.equal([{ settings: { memory: { pii_policy: 'mask' } } }])
    } finally {
      await client.end()
    }
  })

  it('are changed in the same transaction as their audit event', async () => {
    const client = new pg.Client({ connectionString: service().databaseUrl })
    await client.connect()
    try {
      await client.query(`create function refuse() returns trigger language plpgsql as $$ begin
        if new.action = 'settings.updated' then raise exception 'no audit'; end if; return new; end $$`)
      await client.query('create trigger refuse before insert on audit_events for each row execute function refuse()')
      expect((await operator.trySet({ memory: { pii_policy: 'mask' } })).status).to.equal(500)
      expect((await operator.settings()).memory.pii_policy).to.equal('flag')
    } finally {
      await client.query('drop trigger if exists refuse on audit_events; drop function if exists refuse()')
      await client.end()
    }
    expect((await operator.set({ memory: { pii_policy: 'mask' } })).memory.pii_policy).to.equal('mask')
  })
})

describe('recall.freshness_floor', () => {
  const clock = createMovingClock()
  const service = shareService({ queues: [], clock })
  let tenant: TestTenant
  let operator: Caller
  before(async () => {
    tenant = newTenant(service())
    operator = await tenant.caller({ trust: 3 })
    await operator.remember('The fox lives in the den.')
    clock.advance(100 * 365 * 86_400_000)
  })
  const freshness = async () => (await operator.recall('fox')).memories[0]!.score_parts!.freshness

  it('limits how far age lowers a score, from the next recall on, for each tenant on its own', async () => {
    expect(await freshness()).to.be.closeTo(0.94, 1e-9)
    await newTenant(service()).admin.trySet({ recall: { freshness_floor: 0.7 } })
    for (const floor of [0.5, 1, 0.75]) {
      await operator.set({ recall: { freshness_floor: floor } })
      expect(await freshness()).to.be.closeTo(floor, 1e-9)
    }
    await operator.set({ recall: null })
    expect(await freshness()).to.be.closeTo(0.94, 1e-9)
  })

  it('is read once per recall, in the same round trip as the candidates', async () => {
    const statements = await statementsOf(freshness)
    const reading = statements.flatMap((text, i) => (text.includes('tenant_settings') ? [i] : []))
    expect(reading).to.have.length(1)
    // The statement before it reads the candidates: both are sent before either is answered.
    expect(statements[reading[0]! - 1]).to.contain('beside as materialized')
  })
})
