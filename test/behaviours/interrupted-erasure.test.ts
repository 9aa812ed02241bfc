import { expect } from 'chai'
import pg from 'pg'
import type { Caller } from '../support/client.js'
import type { Schemas } from '../support/clients/request.js'
import { everythingIn } from '../support/everything.js'
import { KEY_ROTATION } from '../support/forge.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

const SURNAME = 'Grandcourtenay'
const NAME = `Ottilie ${SURNAME}`

/** Statements that an erasure makes, in its order: each fails once. */
const STEPS: readonly (readonly [step: string, event: string, condition: string])[] = [
  ['it is recorded', 'insert on erasures', 'true'],
  ['its beginning is noted', 'insert on audit_events', `new.action = 'erasure.begun'`],
  ['runs are forgotten', 'delete on forge_traces', 'true'],
  ['memories are removed', 'delete on memories', 'true'],
  ['skills are removed', 'delete on skill_versions', 'true'],
  ['the entity is removed', 'delete on entities', `old.name_key ilike '%${SURNAME}%'`],
  ['its end is noted', 'insert on audit_events', `new.action = 'erasure.finished'`],
]

/** Tests that an erasure that ends at any of its steps says nothing false, and is complete when it is asked for again. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })

  describe('an erasure that is interrupted', function () {
    this.timeout(240_000)
    let tenant: TestTenant
    let operator: Caller
    let entity: string
    before(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
      let named = ''
      for (const [agentId, texts] of KEY_ROTATION.slice(0, 4)) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const text of texts) {
          const isNaming = /issuer/i.test(text)
          const content = isNaming ? `Restarted the token issuer of ${NAME}.` : text
          const { id } = await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
          if (isNaming) named = id
        }
      }
      await settled(service(), tenant.id)
      entity = (await operator.memories.get(named).ok()).entity_links.find(({ name }) => name === NAME)!.entity_id
      await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
      await until('a skill is made', async () => expect(await operator.skills.inboxIds()).to.have.length(1), {
        within: 90_000,
      })
    })

    const sql = <Row extends pg.QueryResultRow>(text: string) => runSql<Row>(service().databaseUrl, text)
    const erase = () => service().client().erasures.create({ tenant_id: tenant.id, subject_entity_id: entity })

    /** Makes a statement fail for the tenant. Returns a function that ends this. */
    async function breakStep(event: string, condition: string): Promise<() => Promise<unknown>> {
      const row = event.startsWith('delete') ? 'old' : 'new'
      await sql(`
        create function broken_step() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
        create trigger broken_step before ${event} for each row
          when (${row}.tenant_id = ${pg.escapeLiteral(tenant.id)} and ${condition}) execute function broken_step()`)
      return () => sql('drop function broken_step() cascade')
    }

    it('never says that it is complete before it is, and is when it is asked for again', async () => {
      for (const [step, event, condition] of STEPS) {
        const mend = await breakStep(event, condition)
        try {
          expect((await erase()).status, step).to.equal(500)
        } finally {
          await mend()
        }
        const ended = await sql(
          `select 1 from erasures where tenant_id = '${tenant.id}' and (hash <> '' or receipt ->> 'complete' = 'true')`,
        )
        expect(ended, step).to.deep.equal([])
      }
      const receipt = (await erase().ok()) as Schemas['ErasureReceipt']
      expect(receipt).to.deep.include({ complete: true, remaining: [] })
      const rows = (await everythingIn(service())).split('\n').filter((row) => row.includes(SURNAME.toLowerCase()))
      expect(rows.map((row) => row.slice(0, 300))).to.deep.equal([])
      const check = await service().client().erasures.verify(receipt.erasure_id).ok()
      expect(check).to.deep.include({ clean: true, remaining: [] })
    })
  })
})
