import { expect } from 'chai'
import type { OperationId } from '../../api/operation.js'
import { cairnContract } from '../../http/validation/contract.js'
import { withConnection } from '../../store/connection.js'
import type { Client } from '../support/client.js'
import type { CallInput } from '../support/clients/request.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService, type SharedService } from '../support/shared-service.js'
import { newTenant } from '../support/tenants.js'
import { isToolOperation } from '../support/tools.js'
import type { Attempt, Attempts } from './cross-tenant/attempts.js'
import { DOCUMENT_ATTEMPTS } from './cross-tenant/documents.js'
import { KEYSTONE_ATTEMPTS } from './cross-tenant/keystones.js'
import { everythingOf, makeVictim } from './cross-tenant/make-victim.js'
import { MEMORY_ATTEMPTS } from './cross-tenant/memories.js'
import { SERVICE_ATTEMPTS } from './cross-tenant/service.js'
import { SKILL_ATTEMPTS } from './cross-tenant/skills.js'
import { TENANT_ATTEMPTS } from './cross-tenant/tenants.js'
import type { Victim } from './cross-tenant/victim.js'

/** Attempts for every operation. A new operation of the contract does not compile without an entry in one of these. */
const ATTEMPTS: Record<OperationId, Attempts> = {
  ...MEMORY_ATTEMPTS,
  ...DOCUMENT_ATTEMPTS,
  ...KEYSTONE_ATTEMPTS,
  ...SKILL_ATTEMPTS,
  ...TENANT_ATTEMPTS,
  ...SERVICE_ATTEMPTS,
}

describeOnEachProfile((profile) => describeCrossTenant(sharedService(profile)))

describeOnEmbedded(() => {
  describe('by the statements alone, with row level security disabled', () => {
    const service = ownService()
    before(async () => {
      await withConnection(service().databaseUrl, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select tablename as name from pg_policies where policyname = 'tenant' and schemaname = current_schema()`,
        )
        expect(rows).to.not.have.length(0)
        for (const { name } of rows) await client.query(`alter policy tenant on ${name} using (true) with check (true)`)
      })
    })
    describeCrossTenant(service)
  })
})

/** Tries every operation of the contract with keys of other tenants and a victim tenant's ids. */
function describeCrossTenant(service: SharedService): void {
  describe('cross-tenant access', () => {
    let victim: Victim
    let atFirst: unknown
    before(async () => {
      victim = await makeVictim(service)
      atFirst = await everythingOf(victim)
    })

    it('is tested for every operation of the contract', () => {
      const known = cairnContract().routes.map(({ operationId }) => operationId)
      expect(Object.keys(ATTEMPTS).sort()).to.deep.equal(known.sort())
    })

    for (const [operationId, attemptsOf] of Object.entries(ATTEMPTS) as [OperationId, Attempts][]) {
      const route = cairnContract().routes.find((known) => known.operationId === operationId)!

      it(`is refused to an operator of another tenant: ${operationId}`, async () => {
        const own = newTenant(service())
        const operator = await own.caller({ trust: 3 })
        await operator.memories.create('Its own fox.').ok()
        for (const { status, ...input } of attemptsOf(victim, own.id)) {
          const answer = await tryOut(operator, operationId, input)
          expect(answer.status, JSON.stringify(input)).to.equal(status)
        }
      })

      if (isToolOperation(operationId))
        it(`is refused to an operator of another tenant who calls a tool: ${operationId}`, async () => {
          const own = newTenant(service())
          const operator = await own.caller({ trust: 3 })
          for (const { status, ...input } of attemptsOf(victim, own.id).filter(isOfOneTenant)) {
            const answer = await tryOut(operator.byTools(), operationId, input)
            expect(answer.status, JSON.stringify(input)).to.equal(status)
          }
        })

      it(`is refused to an agent of the same name in another tenant: ${operationId}`, async () => {
        const own = newTenant(service())
        const { agentId, fleetId } = victim
        const double = await own.caller({ agentId, fleetId, trust: 3 })
        for (const { status: _, ...input } of attemptsOf(victim, own.id)) {
          const { status } = await tryOut(double, operationId, input, [agentId, fleetId])
          expect(status).to.be.lessThan(500)
          if (JSON.stringify(input).includes(victim.tenant.id)) expect(status).to.be.within(400, 499)
        }
      })

      it(`gives ${route.security === 'public' ? 'the same answer' : '401'} without a valid key: ${operationId}`, async () => {
        const keys = [
          null,
          '',
          'cairn_x_y',
          `cairn_${victim.service.keyId}_${'x'.repeat(43)}`,
          `${service().adminKey}x`,
        ]
        const [{ status, ...input }] = attemptsOf(victim, victim.tenant.id) as [Attempt]
        for (const key of keys) {
          const answer = await tryOut(service().client(key), operationId, input)
          expect(answer.status).to.equal(route.security === 'public' ? status : 401)
        }
      })
    }

    it('takes no place in pages of documents, whose collections have the same name', async () => {
      const operator = await newTenant(service()).caller({ trust: 3 })
      const { name, data } = victim.documents
      for (const docId of ['x', 'y']) await operator.documents.put(name.collection, docId, data).ok()
      for (const order_by of ['created_at', 'updated_at', 'doc_id', Object.keys(data)[0]!, 'missing'])
        for (const order of ['asc', 'desc'])
          for (const where of [{}, data]) {
            const query = { where, order_by, order, limit: 2 }
            const page = await operator.documents.query(name.collection, query).ok()
            expect(page.items.map(({ doc_id }) => doc_id).sort(), JSON.stringify(query)).to.deep.equal(['x', 'y'])
            expect(page.next_cursor, JSON.stringify(query)).to.equal(null)
          }
    })

    it('has changed nothing in the victim tenant, whose own key works as before', async () => {
      expect(await everythingOf(victim)).to.deep.equal(atFirst)
      expect((await victim.caller.memories.create('Afterwards.')).status).to.equal(201)
    })

    /** A tool has one argument for the tenant, a request may name one in its body and one in its query. */
    function isOfOneTenant({ body, query }: CallInput): boolean {
      return !(query?.tenant_id !== undefined && (body as { tenant_id?: string } | undefined)?.tenant_id !== undefined)
    }

    /** Fails when the answer, headers included, contains a text of the victim's that the attacker did not send or know itself. */
    async function tryOut(client: Client, operationId: OperationId, input: CallInput, known: string[] = []) {
      const answer = await client.call(operationId, input)
      const sent = JSON.stringify([input, known])
      const got = JSON.stringify([answer.body ?? null, [...answer.headers]])
      const leaked = victim.marks.all.filter((mark) => got.includes(mark) && !sent.includes(mark))
      expect(leaked, `${operationId} ${sent} answered ${answer.status}`).to.deep.equal([])
      // A successful answer may repeat the request's own words, but never the victim's ids unless the operation echoes them.
      const echoes = ['putAgent', 'moveMemories']
      if (answer.status < 300 && !echoes.includes(operationId)) expect(got).to.not.include(victim.memories.id)
      return answer
    }
  })
}
