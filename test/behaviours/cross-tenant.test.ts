import { expect } from 'chai'
import { v7 as uuidv7 } from 'uuid'
import { randomBytes } from 'node:crypto'
import { cairnContract } from '../../http/validation/contract.js'
import type { OperationId } from '../../api/operation.js'
import { withConnection } from '../../store/connection.js'
import type { Caller, Client } from '../support/client.js'
import type { CallInput } from '../support/clients/request.js'
import { skillOf } from '../support/clients/skills.js'
import { settled } from '../support/indexed.js'
import { runSql } from '../support/run-sql.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, sharedService, type SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { isToolOperation } from '../support/tools.js'

/** A tenant that has a row of every kind, and the texts that must not appear in another tenant's answers. */
interface Victim {
  readonly tenant: TestTenant
  readonly caller: Caller
  readonly memoryId: string
  readonly entityId: string
  readonly keyId: string
  /** Id of the build of the index that holds its memories. */
  readonly buildId: string
  readonly agentId: string
  readonly fleetId: string
  readonly runId: string
  readonly content: string
  readonly entityName: string
  readonly cursor: string
  readonly entityCursor: string
  readonly auditCursor: string
  readonly recallId: string
  readonly recallCursor: string
  readonly forgeRunId: string
  readonly forgeCursor: string
  readonly idempotencyKey: string
  readonly settingsTag: string
  readonly docId: string
  readonly setTag: string
  readonly versionCursor: string
  readonly document: { readonly collection: string; readonly doc_id: string }
  readonly documentData: Readonly<Record<string, string>>
  readonly documentCursor: string
  /** An active skill, and one that waits. */
  readonly skills: { readonly active: string; readonly staged: string }
  readonly catalogueCursor: string
  readonly inboxCursor: string
  readonly skillVersionCursor: string
  readonly marks: readonly string[]
}

/** A request that an operator of another tenant sends, and the status that it must get. */
interface Attempt extends CallInput {
  readonly status: number
}

type Attempts = (victim: Victim, own: string) => Attempt[]

const actingAs = ({ agentId }: Victim): Record<string, string> => ({ 'X-Agent-ID': agentId })
const onceBy = ({ idempotencyKey }: Victim): Record<string, string> => ({ 'Idempotency-Key': idempotencyKey })

/** Attempts to do something with one of the victim's skills. */
function ofSkill(which: keyof Victim['skills'], body: object): Attempts {
  return (victim, own) => {
    const params = { slug: victim.skills[which] }
    return [
      { status: 404, params, body: { tenant_id: own, ...body } },
      { status: 403, params, body: { tenant_id: victim.tenant.id, ...body } },
      { status: 403, params, body, query: { tenant_id: victim.tenant.id } },
      { status: 403, params, body, headers: actingAs(victim) },
    ]
  }
}

/** Attempts for every operation. A new operation of the contract does not compile without an entry here. */
const ATTEMPTS: Record<OperationId, Attempts> = {
  getRoot: () => [{ status: 200 }],
  getOpenapi: () => [{ status: 200 }],
  getHealth: () => [{ status: 200 }],
  getReady: () => [{ status: 200 }],
  getPublicStats: () => [{ status: 200 }],
  whoami: (victim) => [
    { status: 200 },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],

  createMemory: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, content: 'Planted.' } },
    // The victim's text is no duplicate in this tenant, and its idempotency key is unused.
    {
      status: 201,
      body: { tenant_id: own, content: victim.content },
      headers: onceBy(victim),
    },
    { status: 404, body: { tenant_id: own, content: 'A.', entity_links: [{ entity_id: victim.entityId }] } },
    { status: 404, body: { tenant_id: own, content: 'A.', subject_entity_id: victim.entityId } },
    { status: 404, body: { tenant_id: own, content: 'A.', supersedes_id: victim.memoryId } },
    { status: 403, body: { tenant_id: own, content: 'A.' }, headers: actingAs(victim) },
    { status: 201, body: { tenant_id: own, content: 'A.', entity_links: [{ name: victim.entityName }] } },
  ],
  createMemories: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, items: [{ content: 'Planted.' }] } },
    { status: 422, body: { tenant_id: own, items: [{ content: 'B.', tenant_id: victim.tenant.id }] } },
    { status: 207, body: { tenant_id: own, items: [{ content: 'B.', subject_entity_id: victim.entityId }] } },
    {
      status: 200,
      body: { tenant_id: own, items: [{ content: 'C.' }], fleet_id: victim.fleetId },
      headers: onceBy(victim),
    },
  ],
  getMemory: (victim) => {
    const params = { memory_id: victim.memoryId }
    return [
      { status: 404, params },
      { status: 404, params, query: { include_deleted: true } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  deleteMemory: (victim) => {
    const params = { memory_id: victim.memoryId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  patchMemory: (victim, own) => {
    const params = { memory_id: victim.memoryId }
    return [
      { status: 404, params, body: { weight: 0 } },
      { status: 404, params, body: { content: 'Planted.' }, headers: { 'If-Match': '"1"' } },
      { status: 403, params, body: { weight: 0, tenant_id: victim.tenant.id } },
      { status: 403, params, body: { weight: 0, tenant_id: own }, query: { tenant_id: victim.tenant.id } },
    ]
  },
  rateMemory: (victim) => {
    const params = { memory_id: victim.memoryId }
    return [
      { status: 404, params, body: { outcome: 'failure' } },
      { status: 403, params, body: { outcome: 'failure', tenant_id: victim.tenant.id } },
    ]
  },
  getLineage: (victim) => {
    const params = { memory_id: victim.memoryId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  moveMemories: (victim, own) => [
    { status: 207, body: { tenant_id: own, ids: [victim.memoryId], status: 'archived' } },
    { status: 403, body: { tenant_id: victim.tenant.id, ids: [victim.memoryId], status: 'archived' } },
  ],
  redistributeMemories: (victim, own) => [
    { status: 404, body: { tenant_id: own, from_agent_id: 'any', to_agent_id: victim.agentId } },
    { status: 403, body: { tenant_id: victim.tenant.id, from_agent_id: victim.agentId, to_agent_id: 'any' } },
  ],
  listAudit: (victim) => [
    { status: 200 },
    { status: 200, query: { subject_id: victim.memoryId } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 400, query: { limit: 1, cursor: victim.auditCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  listMemories: (victim) => [
    { status: 200 },
    { status: 200, query: { include_deleted: true } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 200, query: { run_id: victim.runId } },
    { status: 400, query: { limit: 1, cursor: victim.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  getMemoryStats: (victim) => [
    { status: 200 },
    { status: 200, query: { scope: 'all', include_deleted: true } },
    { status: 200, query: { scope: 'fleet', fleet_id: victim.fleetId } },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, query: { tenant_id: victim.tenant.id, scope: 'all' } },
  ],

  recall: (victim, own) => [
    ...[
      {},
      { filter_agent_id: victim.agentId },
      { fleet_ids: [victim.fleetId] },
      { run_id: victim.runId },
      { explain: true, statuses: ['active', 'archived', 'cancelled', 'outdated'] },
    ].map((fields) => ({
      status: 200,
      body: { tenant_id: own, query: `${victim.content} ${victim.entityName}`, top_k: 100, ...fields },
    })),
    { status: 403, body: { tenant_id: victim.tenant.id, query: 'anything' } },
    { status: 403, body: { tenant_id: own, query: 'anything' }, headers: actingAs(victim) },
  ],

  getRecall: (victim) => {
    const params = { recall_id: victim.recallId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listRecalls: (victim) => [
    { status: 200 },
    { status: 200, query: { agent_id: victim.agentId } },
    { status: 400, query: { limit: 1, cursor: victim.recallCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],

  putDocument: (victim, own) => {
    const { collection, doc_id } = victim.document
    const body = { tenant_id: own, collection, doc_id, data: {} }
    return [
      { status: 403, body: { ...body, tenant_id: victim.tenant.id } },
      { status: 403, body, headers: actingAs(victim) },
      { status: 409, body, headers: { 'If-Match': '"1"' } },
      // The victim's name is free in this tenant.
      { status: 200, body, headers: { 'If-None-Match': '*' } },
    ]
  },
  putDocuments: (victim, own) => {
    const { collection, doc_id } = victim.document
    const items = [{ doc_id, data: {} }]
    return [
      { status: 403, body: { tenant_id: victim.tenant.id, collection, items } },
      { status: 200, body: { tenant_id: own, collection, items } },
      { status: 207, body: { tenant_id: own, collection, items: [{ ...items[0], id: victim.memoryId }] } },
    ]
  },
  getDocument: (victim) => [
    { status: 404, params: victim.document },
    { status: 403, params: victim.document, query: { tenant_id: victim.tenant.id } },
  ],
  deleteDocument: (victim) => [
    { status: 404, params: victim.document },
    { status: 403, params: victim.document, query: { tenant_id: victim.tenant.id } },
  ],
  listDocuments: (victim) => {
    const { collection } = victim.document
    return [
      { status: 200, query: { collection } },
      { status: 200, query: { collection, fleet_id: victim.fleetId } },
      { status: 400, query: { collection, limit: 1, cursor: victim.documentCursor } },
      { status: 403, query: { collection, tenant_id: victim.tenant.id } },
    ]
  },
  queryDocuments: (victim, own) => {
    const { collection } = victim.document
    return [
      { status: 200, body: { tenant_id: own, collection } },
      { status: 200, body: { tenant_id: own, collection, where: victim.documentData } },
      { status: 400, body: { tenant_id: own, collection, limit: 1, cursor: victim.documentCursor } },
      { status: 403, body: { tenant_id: victim.tenant.id, collection } },
    ]
  },
  searchDocuments: (victim, own) => {
    const query = Object.values(victim.documentData).join(' ')
    const { collection } = victim.document
    return [
      { status: 200, body: { tenant_id: own, query } },
      {
        status: 200,
        body: { tenant_id: own, query, collection, where: victim.documentData, fleet_id: victim.fleetId },
      },
      { status: 403, body: { tenant_id: victim.tenant.id, query } },
    ]
  },
  listCollections: (victim, own) => [
    { status: 200, query: { tenant_id: own } },
    { status: 200, query: { tenant_id: own, fleet_id: victim.fleetId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],

  listInstallable: (victim, own) => [
    { status: 200, body: { tenant_id: own } },
    { status: 200, body: { tenant_id: own, fleet_id: victim.fleetId } },
    { status: 400, body: { tenant_id: own, cursor: victim.catalogueCursor } },
    { status: 403, body: { tenant_id: victim.tenant.id } },
    { status: 403, body: { tenant_id: own }, headers: actingAs(victim) },
  ],
  listInbox: (victim) => [
    { status: 200 },
    { status: 200, query: { status: 'quarantined', include_content: true } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 400, query: { limit: 1, cursor: victim.inboxCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getInboxSkill: (victim) => [
    { status: 404, params: { slug: victim.skills.staged } },
    { status: 403, params: { slug: victim.skills.staged }, query: { tenant_id: victim.tenant.id } },
  ],
  approveSkill: ofSkill('staged', {}),
  editSkill: ofSkill('staged', { summary: 'Planted.' }),
  rejectSkill: ofSkill('staged', { reason: 'Planted.' }),
  quarantineSkill: ofSkill('staged', { reason: 'Planted.' }),
  deferSkill: ofSkill('staged', {}),
  restoreSkill: ofSkill('staged', {}),
  retireSkill: ofSkill('active', {}),
  rollbackSkill: ofSkill('active', { version: 1 }),
  reportSkillOutcome: ofSkill('active', { outcome: 'failure' }),
  listSkillVersions: (victim) => {
    const params = { slug: victim.skills.active }
    return [
      { status: 404, params },
      { status: 400, params, query: { limit: 1, cursor: victim.skillVersionCursor } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },

  listEntities: (victim) => [
    { status: 200 },
    { status: 200, query: { query: victim.entityName } },
    { status: 400, query: { limit: 1, cursor: victim.entityCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getEntity: (victim) => {
    const params = { entity_id: victim.entityId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },

  getSettings: (victim) => [
    { status: 200 },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, headers: actingAs(victim) },
  ],
  patchSettings: (victim, own) => [
    { status: 403, body: { tenant_id: victim.tenant.id, memory: { pii_policy: 'refuse' } } },
    { status: 403, body: { memory: null }, query: { tenant_id: victim.tenant.id } },
    { status: 403, body: { tenant_id: own, memory: { pii_policy: 'refuse' } }, headers: actingAs(victim) },
    { status: 409, body: { tenant_id: own, memory: null }, headers: { 'If-Match': victim.settingsTag } },
    { status: 200, body: { tenant_id: own, memory: null } },
  ],
  listKeystones: (victim, own) => [
    { status: 200, query: { tenant_id: own } },
    { status: 200, query: { tenant_id: own, fleet_id: victim.fleetId, agent_id: victim.agentId } },
    { status: 200, query: { tenant_id: own }, headers: { 'If-None-Match': victim.setTag } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
    { status: 403, query: { tenant_id: own }, headers: actingAs(victim) },
  ],
  setKeystone: (victim, own) => {
    const rule = { doc_id: victim.docId, title: 'T', content: 'C', scope: 'tenant', weight: 'low' }
    return [
      // A rule of the same name in the attacker's own tenant.
      { status: 200, body: { tenant_id: own, ...rule } },
      { status: 403, body: { tenant_id: victim.tenant.id, ...rule } },
      { status: 403, body: { tenant_id: own, ...rule }, headers: actingAs(victim) },
    ]
  },
  deleteKeystone: (victim, own) => {
    const params = { doc_id: victim.docId }
    return [
      { status: 404, params, query: { tenant_id: own } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listKeystoneVersions: (victim) => {
    const params = { doc_id: victim.docId }
    return [
      { status: 404, params },
      { status: 400, params, query: { limit: 1, cursor: victim.versionCursor } },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  acknowledgeKeystones: (victim, own) => [
    { status: 422, body: { tenant_id: own, run_id: victim.runId, etag: victim.setTag } },
    { status: 403, body: { tenant_id: own, run_id: 'r', etag: victim.setTag }, headers: actingAs(victim) },
    { status: 403, body: { tenant_id: victim.tenant.id, run_id: 'r', etag: victim.setTag } },
  ],
  getKeystoneCoverage: (victim) => [
    { status: 200 },
    { status: 200, query: { agent_id: victim.agentId, include_silent: true } },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 200, query: { run_id: victim.runId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],

  listAgents: (victim) => [
    { status: 200 },
    { status: 200, query: { fleet_id: victim.fleetId } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  listFleets: (victim) => [
    { status: 200 },
    { status: 400, query: { limit: 1, cursor: victim.cursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getFleet: (victim) => {
    const params = { fleet_id: victim.fleetId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  patchAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params, body: { trust_level: 0 } },
      { status: 403, params, body: { trust_level: 0, tenant_id: victim.tenant.id } },
    ]
  },
  deleteAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  putAgent: (victim) => {
    const params = { agent_id: victim.agentId }
    return [
      { status: 403, params, body: { trust_level: 0, tenant_id: victim.tenant.id } },
      // Registers an agent of the same name in the attacker's own tenant.
      { status: 200, params, body: { trust_level: 0 } },
    ]
  },

  createKey: (victim) => [{ status: 403, body: { tenant_id: victim.tenant.id, kind: 'tenant', trust_level: 3 } }],
  listKeys: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  deleteKey: (victim) => [{ status: 403, params: { key_id: victim.keyId } }],
  getIndexing: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  retryIndexing: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  reindex: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  verifyIndex: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id, repair: true } }],
  getEnrichment: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  enrichMemories: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  runForge: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id } }],
  fanOutForge: (victim) => [{ status: 403 }, { status: 403, body: { tenant_id: victim.tenant.id, dry_run: true } }],
  listForgeRuns: (victim) => [
    { status: 200 },
    { status: 400, query: { limit: 1, cursor: victim.forgeCursor } },
    { status: 403, query: { tenant_id: victim.tenant.id } },
  ],
  getForgeRun: (victim) => {
    const params = { run_id: victim.forgeRunId }
    return [
      { status: 404, params },
      { status: 403, params, query: { tenant_id: victim.tenant.id } },
    ]
  },
  createErasure: (victim) => [
    { status: 403, body: { tenant_id: victim.tenant.id, memory_ids: [victim.memoryId] } },
    { status: 403, body: { tenant_id: victim.tenant.id, agent_id: victim.agentId, preview: true } },
  ],
  verifyErasure: () => [{ status: 403, params: { erasure_id: '01890000-0000-7000-8000-000000000000' } }],
  createIndexBuild: () => [
    { status: 403, body: {} },
    { status: 403, body: { model: 'built-in' } },
  ],
  listIndexBuilds: () => [{ status: 403 }],
  getIndexBuild: ({ buildId }) => [{ status: 403, params: { build_id: buildId } }],
  deleteIndexBuild: ({ buildId }) => [{ status: 403, params: { build_id: buildId } }],
  switchIndexBuild: ({ buildId }) => [{ status: 403, params: { build_id: buildId } }],
  listIndexBuildTenants: ({ buildId, tenant }) => [
    { status: 403, params: { build_id: buildId } },
    { status: 403, params: { build_id: buildId }, query: { tenant_id: tenant.id } },
  ],
  listTenants: (victim) => [{ status: 403 }, { status: 403, query: { tenant_id: victim.tenant.id } }],
  patchTenant: (victim) => [
    { status: 403, params: { tenant_id: victim.tenant.id }, body: { memories_limit: 0 } },
    { status: 403, params: { tenant_id: victim.tenant.id }, body: {} },
  ],
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
        const keys = [null, '', 'cairn_x_y', `cairn_${victim.keyId}_${'x'.repeat(43)}`, `${service().adminKey}x`]
        const [{ status, ...input }] = attemptsOf(victim, victim.tenant.id) as [Attempt]
        for (const key of keys) {
          const answer = await tryOut(service().client(key), operationId, input)
          expect(answer.status).to.equal(route.security === 'public' ? status : 401)
        }
      })
    }

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
      const leaked = victim.marks.filter((mark) => got.includes(mark) && !sent.includes(mark))
      expect(leaked, `${operationId} ${sent} answered ${answer.status}`).to.deep.equal([])
      // A successful answer may repeat the request's own words, but never the victim's ids unless the operation echoes them.
      const echoes = ['putAgent', 'moveMemories']
      if (answer.status < 300 && !echoes.includes(operationId)) expect(got).to.not.include(victim.memoryId)
      return answer
    }
  })
}

async function makeVictim(service: SharedService): Promise<Victim> {
  const tenant = newTenant(service())
  const mark = (name: string) => `${name}-${randomBytes(6).toString('hex')}`
  const [agentId, fleetId, runId] = [mark('agent'), mark('fleet'), mark('run')]
  const [content, entityName] = [`The ${mark('fox')} hides the ${mark('treasure')}.`, mark('Acme')]
  const idempotencyKey = mark('once')
  const caller = await tenant.caller({ agentId, fleetId, trust: 3 })
  const fields = {
    content,
    title: mark('title'),
    run_id: runId,
    visibility: 'scope_org',
    metadata: { [mark('key')]: mark('value') },
    source_uri: mark('source'),
    predicate: mark('predicate'),
    object_value: mark('object'),
    entity_links: [{ name: entityName, entity_type: mark('type'), role: mark('role') }],
  }
  const record = await caller.memories.create(fields, { 'Idempotency-Key': idempotencyKey }).ok()
  const secret = await caller.memories
    .create({
      content: mark('secret'),
      visibility: 'scope_agent',
      entity_links: [{ name: mark('Second') }],
    })
    .ok()
  const predicates = [mark('only')]
  const settings = await caller.settings.patch({ memory: { single_valued_predicates: predicates } })
  const gone = await caller.memories.create({ content: mark('gone'), visibility: 'scope_org' }).ok()
  await caller.memories.delete(gone.id).ok()
  const docId = mark('rule')
  const rule = { title: mark('rule-title'), content: mark('rule-content') }
  for (const scope of ['agent', 'fleet'])
    await caller.keystones
      .set({ doc_id: docId, ...rule, scope, [`${scope}_id`]: scope === 'agent' ? agentId : fleetId })
      .ok()
  const setTag = (await caller.keystones.list()).headers.get('ETag')!
  await caller.keystones.acknowledge(runId, setTag)
  const document = { collection: mark('collection').toLowerCase(), doc_id: mark('doc') }
  const documentData = { [mark('key')]: mark('value') }
  const { id: documentId } = await caller.documents.put(document.collection, document.doc_id, documentData).ok()
  await caller.documents.put(document.collection, mark('doc'), documentData).ok()
  const skills = await makeSkills(caller, mark)
  await settled(service())
  const recallIds: string[] = []
  for (let i = 0; i < 2; i++) recallIds.push((await caller.memories.recall(`question ${i}`).ok()).recall_id)
  await until('the recall is recorded', async () =>
    expect((await caller.recalls.get(recallIds[1]!)).status).to.equal(200),
  )
  const forgeRunIds = [uuidv7(), uuidv7()]
  for (const id of forgeRunIds)
    await runSql(
      service().databaseUrl,
      `insert into forge_runs (tenant_id, run_id, state, trigger, requested_at, finished_at, error)
        values ($1, $2, 'failed', 'manual', now(), now(), $3)`,
      [tenant.id, id, mark('error')],
    )
  const keys = await service().client().keys.list({ tenant_id: tenant.id })
  const builds = await service().client().indexBuilds.list()
  const entityId = record.entity_links[0]!.entity_id
  const keyId = keys.body.items[0]!.key_id
  const strings = JSON.stringify([
    fields,
    rule,
    document,
    documentData,
    skills.texts,
    secret.content,
    gone.content,
    secret.entity_links,
    predicates,
  ]).match(/[A-Za-z]+-[0-9a-f]{12}/g)!
  return {
    tenant,
    caller,
    memoryId: record.id,
    entityId,
    keyId,
    buildId: builds.body.items[0]!.build_id,
    agentId,
    fleetId,
    runId,
    content,
    entityName,
    forgeRunId: forgeRunIds[0]!,
    forgeCursor: (await caller.forge.list({ limit: 1 })).body.next_cursor as string,
    idempotencyKey,
    settingsTag: settings.headers.get('ETag')!,
    docId,
    setTag,
    versionCursor: (await caller.keystones.versions(docId, { limit: 1 })).body.next_cursor as string,
    document,
    documentData,
    skills: skills.ids,
    catalogueCursor: (await caller.skills.installable({ limit: 1 })).body.next_cursor as string,
    inboxCursor: (await caller.skills.inbox({ limit: 1 })).body.next_cursor as string,
    skillVersionCursor: (await caller.skills.versions(skills.ids.active, { limit: 1 })).body.next_cursor as string,
    documentCursor: (await caller.documents.list(document.collection, { limit: 1 })).body.next_cursor as string,
    cursor: (await caller.memories.list({ limit: 1 })).body.next_cursor as string,
    entityCursor: (await caller.entities.list({ limit: 1 })).body.next_cursor as string,
    auditCursor: (await caller.audit.list({ limit: 1 })).body.next_cursor as string,
    recallId: recallIds[0]!,
    recallCursor: (await caller.recalls.list({ limit: 1 })).body.next_cursor as string,
    marks: [
      ...recallIds,
      ...forgeRunIds,
      tenant.id,
      record.id,
      secret.id,
      gone.id,
      entityId,
      documentId,
      keyId,
      agentId,
      fleetId,
      docId,
      setTag.replaceAll('"', ''),
      ...strings,
    ],
  }
}

/** Stores two skills that are active, the first in two versions, and then two that wait. */
async function makeSkills(caller: Caller, mark: (name: string) => string) {
  const [first, second, staged, other] = ['active', 'second', 'staged', 'other'].map((name) => mark(name)) as [
    string,
    string,
    string,
    string,
  ]
  const texts = [first, second, staged, other].map((slug) =>
    skillOf(slug, { goal: mark('goal'), tags: [mark('tag')], content: `1. ${mark('step')}.\n` }),
  )
  const write = async (data: object) => ((await caller.skills.write(data).ok()) as { doc_id: string }).doc_id
  const served = async (docId: string, version: number) => {
    await until('it is active', async () => expect((await caller.skills.get(docId)).body.version).to.equal(version))
    return docId
  }
  const active = await served(await write(texts[0]!), 1)
  await served(await write(texts[1]!), 1)
  const { content_hash } = (await caller.skills.versions(active).ok()).items[0]!
  const revision = {
    ...texts[0],
    kind: 'update',
    target: { target_content_hash: content_hash },
    summary: mark('summary'),
  }
  await write({ ...revision, content: `1. ${mark('step')}.\n` })
  await served(active, 2)
  await caller.settings.patch({ skills_factory: { enabled: true } }).ok()
  const waiting = [await write(texts[2]!), await write(texts[3]!)]
  return { ids: { active, staged: waiting[0]! }, texts: [...texts, revision] }
}

/** Returns everything that the victim and its operators can read, without the fields that reading itself changes. */
async function everythingOf(victim: Victim): Promise<unknown> {
  const { tenant, caller, memoryId, entityId, docId, document, skills } = victim
  const query = { tenant_id: tenant.id }
  const admin = tenant.admin
  const still = (value: unknown) =>
    JSON.parse(JSON.stringify(value, (key, inner: unknown) => (key === 'last_seen_at' ? undefined : inner))) as unknown
  return still([
    (await caller.memories.get(memoryId)).body,
    await caller.memories.listAll({ include_deleted: true }),
    (await caller.memories.stats({ scope: 'all', include_deleted: true })).body,
    (await caller.entities.get(entityId)).body,
    (await caller.entities.list()).body.items,
    await caller.settings.get().ok(),
    (await caller.keystones.list()).body,
    (await caller.keystones.versions(docId)).body,
    (await caller.keystones.coverage()).body,
    (await caller.documents.list(document.collection)).body.items,
    (await caller.documents.collections()).body,
    (await caller.skills.installable()).body,
    (await caller.skills.inbox({ include_content: true })).body,
    (await caller.skills.waiting(skills.staged)).body,
    (await caller.skills.versions(skills.active)).body,
    // The scheduler begins a run of its own: the tenant has opted in.
    (await caller.forge.list()).body.items.filter(({ trigger }) => trigger !== 'schedule'),
    (await admin.agents.list(query)).body,
    (await admin.fleets.list(query)).body,
    (await admin.keys.list(query)).body,
    (await admin.tenants.list(query)).body,
  ])
}
