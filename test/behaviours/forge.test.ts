import { expect } from 'chai'
import type { Caller } from '../support/client.js'
import { KEY_ROTATION } from '../support/forge.js'
import { firstScheduledRun } from '../support/opted-in.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { sharedService, type SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

interface SkillRow {
  readonly doc_id: string
  readonly status: string
  readonly content: string
  readonly updated_at: Date
  readonly scan_state: string
}

/** Tests the Forge from the writes of agents to the candidates that it proposes. */
describeOnEachProfile((profile) => {
  describe('the Forge', function () {
    this.timeout(120_000)
    const service = sharedService(profile)
    let tenant: TestTenant
    let operator: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      operator = await tenant.caller({ trust: 3 })
    })

    /** Has each agent store its part of the same work, as it happened. */
    async function rotateKeys(given: object = {}): Promise<void> {
      for (const [agentId, texts] of KEY_ROTATION) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const content of texts)
          await agent.memories.create({ content, run_id: `rotation-${agentId}`, ...given }).ok()
      }
    }
    const optIn = () => operator.settings.patch({ skills_factory: { enabled: true } }).ok()
    /** Opts out and waits for the run that opting in has scheduled: it would read what remains again. */
    async function optOutAfterAllRuns(): Promise<void> {
      await operator.settings.patch({ skills_factory: { enabled: false } }).ok()
      await until('no run is under way', async () => {
        const states = (await operator.forge.list()).body.items.map(({ state }) => state)
        return expect(states).to.not.include.oneOf(['queued', 'running'])
      })
    }
    const skills = () => skillsOf(service, tenant)

    async function run(fields: object = {}) {
      const { runs, ...answer } = await service()
        .client()
        .forge.run({ tenant_id: tenant.id, ...fields })
        .ok()
      expect(answer).to.deep.equal({ action: 'forge-distill', published: 1, failed: 0 })
      return ended(runs[0]!.run_id)
    }
    /** Returns the lines of those runs, dry or not, that found the skill new: the tenant's scheduler may be faster than a request. */
    async function created() {
      const { items } = await operator.forge.list().ok()
      const lines = []
      for (const { run_id } of items) lines.push(...(await operator.forge.get(run_id).ok()).candidates)
      return lines.filter(({ outcome }) => outcome === 'created')
    }
    async function ended(id: string) {
      const look = async () => {
        const { state } = await operator.forge.get(id).ok()
        return expect(state).to.be.oneOf(['succeeded', 'failed'])
      }
      await until('the run has ended', look, { within: 60_000 })
      return operator.forge.get(id).ok()
    }

    it('turns what four agents did alike into a skill that waits for a reviewer, once', async () => {
      await rotateKeys()
      await optIn()
      const first = await run()
      expect(first).to.deep.include({ state: 'succeeded', trigger: 'manual', error: null, traces: 5, model: null })
      expect(first.parts).to.have.length(1)
      expect(first.parts[0]!.outcomes).to.deep.equal({ success: 4, failure: 1, unknown: 0 })
      // The tenant's scheduler may have been faster than the request.
      expect(first.candidates.map(({ outcome }) => outcome)).to.have.length(1)
      expect(first.candidates[0]!.outcome).to.be.oneOf(['created', 'unchanged'])
      await until('it is scanned and past the gates', async () =>
        expect((await skills()).map(({ status, scan_state }) => [status, scan_state])).to.deep.equal([
          ['staged', 'clean'],
        ]),
      )
      const [skill] = await skills()
      expect(skill!.doc_id).to.equal(first.candidates[0]!.doc_id)
      expect(skill!.content).to.include('signing key').and.to.include('## What goes wrong')

      const second = await run()
      expect(second.candidates.map(({ outcome }) => outcome)).to.deep.equal(['unchanged'])
      expect(await skills()).to.deep.equal([skill])
      // Nobody but the inbox sees it.
      expect((await operator.documents.list('skills')).body.items).to.deep.equal([])
    })

    it('does not propose again what a reviewer rejected', async () => {
      await rotateKeys()
      await optIn()
      const [proposed] = (await run()).candidates
      const docId = proposed!.doc_id!
      await until('it is in the inbox', async () =>
        expect((await operator.skills.inbox()).body.items.map(({ doc_id }) => doc_id)).to.deep.equal([docId]),
      )
      await operator.skills.reject(docId, { reason: 'We rotate by hand.' }).ok()
      const finn = await tenant.caller({ agentId: 'finn', fleetId: 'red' })
      for (const content of KEY_ROTATION[0]![1])
        await finn.memories.create({ content: content.replace('4711', '4799'), run_id: 'rotation-finn' }).ok()
      const again = await run()
      expect(again.candidates.map(({ outcome, reason }) => [outcome, reason!.replace(/ until .*/, '')])).to.deep.equal([
        ['held', `${docId} was rejected; held`],
      ])
      expect((await operator.skills.inbox()).body.items).to.deep.equal([])
    })

    it('keeps nothing of how the runs of an erased agent ended', async () => {
      await rotateKeys()
      await optIn()
      await run()
      await optOutAfterAllRuns()
      const agents = async () =>
        (
          await runSql<{ agent_id: string }>(
            service().databaseUrl,
            'select agent_id from forge_traces where tenant_id = $1 order by 1',
            [tenant.id],
          )
        ).map(({ agent_id }) => agent_id)
      expect(await agents()).to.deep.equal(['ana', 'ben', 'cleo', 'dan', 'eve'])
      const receipt = await service().client().erasures.create({ tenant_id: tenant.id, agent_id: 'ana' }).ok()
      expect(receipt).to.deep.include({ complete: true })
      expect(await agents()).to.deep.equal(['ben', 'cleo', 'dan', 'eve'])
      const [memory] = (await operator.memories.list({ agent_id: 'ben' })).body.items
      await service()
        .client()
        .erasures.create({ tenant_id: tenant.id, memory_ids: [memory!.id] })
        .ok()
      expect(await agents()).to.deep.equal(['cleo', 'dan', 'eve'])
    })

    it('never cites what is private, also where it says the same', async () => {
      for (const [agentId, texts] of KEY_ROTATION) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const [i, content] of texts.entries()) {
          await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
          const secret = `${content} For me alone: ${agentId}${i}.`
          await agent.memories
            .create({ content: secret, run_id: `rotation-${agentId}`, visibility: 'scope_agent' })
            .ok()
        }
      }
      await optIn()
      expect((await run()).candidates).to.have.length(1)
      const cited = await runSql<{ visibility: string; count: number }>(
        service().databaseUrl,
        `select m.visibility, count(*)::int as count from skill_cites c
            join memories m on m.tenant_id = c.tenant_id and m.id = c.memory_id
          where c.tenant_id = $1 group by 1`,
        [tenant.id],
      )
      expect(cited).to.deep.equal([{ visibility: 'scope_team', count: 17 }])
      expect(JSON.stringify(await skills())).to.not.include('For me alone')
    })

    it('says why it holds what too few have done', async () => {
      for (const [agentId, texts] of KEY_ROTATION.slice(0, 2)) {
        const agent = await tenant.caller({ agentId, fleetId: 'red' })
        for (const content of texts) await agent.memories.create({ content, run_id: `rotation-${agentId}` }).ok()
      }
      await optIn()
      const dry = await run({ dry_run: true })
      expect(dry).to.include({ dry_run: true, state: 'succeeded', traces: 2 })
      const reasons = new Set((await created()).map(({ reason }) => reason))
      expect([...reasons]).to.deep.equal(['held: 2 runs, 3 are needed; 2 agents, 3 are needed'])
    })

    for (const [act, isShared, reason, status] of [
      ['passes on what four agents stored with keys of their own', false, null, 'staged'],
      ['holds what one key stored for four agents', true, 'held: 1 credentials, 3 are needed', 'candidate'],
    ] as const)
      it(act, async () => {
        const shared = await tenant.caller()
        for (const [agentId, texts] of KEY_ROTATION) {
          const key = isShared ? shared : await tenant.caller({ agentId, fleetId: 'red' })
          const fields = { run_id: `rotation-${agentId}`, ...(isShared && { agent_id: agentId, fleet_id: 'red' }) }
          for (const content of texts) await key.memories.create({ content, ...fields }).ok()
        }
        await optIn()
        await run()
        expect((await created()).map(({ agents, reason }) => [agents, reason])).to.deep.equal([[4, reason]])
        await until('it is scanned', async () =>
          expect((await skills()).map((skill) => [skill.status, skill.scan_state])).to.deep.equal([[status, 'clean']]),
        )
        const [origin] = await runSql(service().databaseUrl, 'select origin from skill_versions where tenant_id = $1', [
          tenant.id,
        ])
        expect(origin!.origin).to.include({ distinct_agents: 4, distinct_credentials: isShared ? 1 : 4 })
        // Its gates are looked at again.
        expect((await run()).candidates.map(({ outcome }) => outcome)).to.deep.equal(['unchanged'])
        const { items } = await operator.skills.inbox().ok()
        expect(items).to.have.length(isShared ? 0 : 1)
      })

    it('runs by itself for a tenant that opts in', async () => {
      await rotateKeys()
      await optIn()
      await firstScheduledRun(operator)
      expect(await skills()).to.have.length(1)
      await operator.settings.patch({ skills_factory: { enabled: false } }).ok()
    })

    it('lets a tenant have its turns while another with many fleets has its own', async () => {
      const [big, small] = [tenant, newTenant(service())]
      const fleets = Array.from({ length: 5 }, (_, i) => `fleet-${i}`)
      for (const [of, fleetIds] of [
        [big, fleets],
        [small, ['red']],
      ] as const)
        for (const fleetId of fleetIds) {
          const agent = await of.caller({ agentId: `ana-${fleetId}`, fleetId })
          await agent.memories.create({ content: `Worked for ${fleetId}.`, run_id: 'one' }).ok()
        }
      const operators = [operator, await small.caller({ trust: 3 })]
      for (const one of operators) await one.settings.patch({ skills_factory: { enabled: true } }).ok()
      const asked: string[] = []
      for (const { id } of [big, small])
        asked.push((await service().client().forge.run({ tenant_id: id, dry_run: true }).ok()).runs[0]!.run_id)
      const finished: string[] = []
      for (const [i, one] of operators.entries()) {
        await until(
          'the run has ended',
          async () => expect((await one.forge.get(asked[i]!).ok()).state).to.equal('succeeded'),
          { within: 100_000 },
        )
        const { parts, finished_at } = await one.forge.get(asked[i]!).ok()
        expect(parts).to.have.length(i === 0 ? 5 : 1)
        finished.push(finished_at!)
        await one.settings.patch({ skills_factory: { enabled: false } }).ok()
      }
      expect(finished[1]! < finished[0]!, finished.join(' before ')).to.equal(true)
    })

    it('runs for nobody who has not opted in, and at both paths for the admin credential alone', async () => {
      const admin = service().client()
      expect((await admin.forge.run({ tenant_id: tenant.id })).body).to.deep.equal({
        action: 'forge-distill',
        published: 0,
        failed: 0,
        runs: [],
      })
      await optIn()
      const answer = await admin.post('/admin/lifecycle/fanout/forge-distill', { tenant_id: tenant.id, dry_run: true })
      expect(answer.status).to.equal(202)
      await ended((answer.body as { runs: { run_id: string }[] }).runs[0]!.run_id)
      expect((await operator.forge.run({ tenant_id: tenant.id })).status).to.equal(403)
      expect((await operator.forge.fanOut({ tenant_id: tenant.id })).status).to.equal(403)
    })

    it('shows runs to operators of the tenant alone, page by page', async () => {
      await optIn()
      const ids = [await run({ dry_run: true }), await run({ dry_run: true })].map(({ run_id }) => run_id)
      const first = await operator.forge.list({ limit: 1 }).ok()
      const second = await operator.forge.list({ limit: 1, cursor: first.next_cursor }).ok()
      // A scheduled run may have come in between.
      expect(first.items[0]!.run_id > second.items[0]!.run_id).to.equal(true)
      const all = await operator.forge.list().ok()
      expect(all.items.map(({ run_id }) => run_id)).to.include.members(ids)
      const other = await tenant.caller({ trust: 2 })
      expect((await other.forge.list()).status).to.equal(403)
      expect((await other.forge.get(ids[0]!)).status).to.equal(403)
      expect((await operator.forge.get('01890000-0000-7000-8000-000000000000')).status).to.equal(404)
    })
  })
})

async function skillsOf(service: SharedService, tenant: TestTenant): Promise<SkillRow[]> {
  return runSql<SkillRow>(
    service().databaseUrl,
    `select s.doc_id, v.status, v.content, v.updated_at, v.scan_state
      from skills s join skill_versions v on v.tenant_id = s.tenant_id and v.skill_id = s.id
      where s.tenant_id = $1 order by s.doc_id, v.version`,
    [tenant.id],
  )
}
