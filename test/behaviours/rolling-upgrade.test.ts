import { expect } from 'chai'
import type { QueryResultRow } from 'pg'
import { skillOf } from '../support/clients/skills.js'
import { describeOnEmbedded } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { newTeam } from '../support/tenants.js'

/** A statement that is seen a third time on a connection is prepared; the service of this test has two for each kind. */
const TIMES = 8

/** Tests that a process goes on answering while the migrations of the next release add columns to its tables. */
describeOnEmbedded(() => {
  const service = ownService({ env: { DATABASE_POOL_SIZE: '2', DATABASE_SYSTEM_POOL_SIZE: '2' } })

  it('answers as before when every table has another column', async () => {
    const { tenant, ana, operator } = await newTeam(service())
    const { id } = await ana.memories.create('Ottilie Grand keeps the harbour log.').ok()
    await ana.documents.put('notes', 'a', { n: 1 }).ok()
    const { doc_id: skill } = await ana.skills.write(skillOf('pager')).ok()
    const { erasure_id: erasure } = (await service()
      .client()
      .erasures.create({ tenant_id: tenant.id, memory_ids: [id] })
      .ok()) as { erasure_id: string }
    const calls = {
      writeMemory: () => ana.memories.create(`The lamp was lit again, ${Math.random()}.`),
      recall: () => ana.memories.recall('harbour log'),
      listMemories: () => ana.memories.list(),
      stats: () => ana.memories.stats(),
      writeDocument: () => ana.documents.put('notes', 'b', { n: Math.random() }),
      listDocuments: () => ana.documents.list('notes'),
      searchDocuments: () => ana.documents.search('anything'),
      setKeystone: () => operator.keystones.set({ doc_id: 'rule', title: 'Rule', content: `Wait ${Math.random()}.` }),
      listKeystones: () => ana.keystones.list(),
      keystoneVersions: () => operator.keystones.versions('rule'),
      coverage: () => operator.keystones.coverage(),
      audit: () => operator.audit.list(),
      agents: () => operator.agents.list(),
      fleets: () => operator.fleets.list(),
      whoami: () => ana.agents.whoami(),
      entities: () => ana.entities.list(),
      settings: () => operator.settings.get(),
      readSkill: () => ana.skills.get(skill),
      inbox: () => operator.skills.inbox(),
      installable: () => ana.skills.installable(),
      forgeRuns: () => operator.forge.list(),
      recalls: () => operator.recalls.list(),
      keys: () => tenant.admin.keys.list(),
      tenants: () => service().client().tenants.list(),
      indexing: () => tenant.admin.indexing.get(),
      verifyIndex: () => tenant.admin.indexing.verify(),
      indexBuilds: () => service().client().indexBuilds.list(),
      verifyErasure: () => service().client().erasures.verify(erasure),
    }
    const before: Record<string, number> = {}
    for (const [name, call] of Object.entries(calls))
      for (let i = 0; i < TIMES; i++) before[name] = (await call()).status
    expect(Math.max(...Object.values(before)), JSON.stringify(before)).to.be.lessThan(300)

    const sql = <Row extends QueryResultRow>(text: string) => runSql<Row>(service().databaseUrl, text)
    const tables = await sql<{ name: string }>(
      `select oid::regclass::text as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    for (const { name } of tables) await sql(`alter table ${name} add column of_the_next_release text`)
    const after: Record<string, number> = {}
    for (const [name, call] of Object.entries(calls)) after[name] = (await call()).status
    expect(after).to.deep.equal(before)
  })
})
