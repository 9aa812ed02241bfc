import { expect } from 'chai'
import { randomBytes } from 'node:crypto'
import type { OperationId } from '../../api/operation.js'
import { cairnContract } from '../../http/validation/contract.js'
import type { Caller } from '../support/client.js'
import { asUpdateOf, dataOf, skillOf } from '../support/clients/skills.js'
import type { DocumentRecord } from '../support/clients/documents.js'
import type { CallInput, Fields } from '../support/clients/request.js'
import { settled } from '../support/indexed.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { sharedService } from '../support/shared-service.js'
import { candidateOf, skillsOf } from '../support/skills.js'
import { until } from '../support/states.js'
import { isToolOperation } from '../support/tools.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

/** Versions that nobody may see but reviewers, and one that everybody gets. */
interface Catalogue {
  readonly tenant: TestTenant
  readonly callers: Readonly<Record<string, Caller>>
  /** Names by what became of the version. */
  readonly docIds: Readonly<Record<string, string>>
  /** Texts of versions that are not active. */
  readonly marks: readonly string[]
  /** A text of the version that is. */
  readonly servedMark: string
}

type Looks = (catalogue: Catalogue) => CallInput[]

const everyId = ({ docIds }: Catalogue): string[] => Object.values(docIds)
/** Returns some of the texts, of every version. */
const someTexts = ({ marks }: Catalogue): string[] => marks.filter((_, i) => i % 5 === 0)

/**
 * Ways to look with each operation: requests that might show a version, `reviewers` where showing it is the operation's purpose, and
 * `acts` for changes, whose answers repeat what is sent. A new operation of the contract does not compile without an entry.
 */
const LOOKS: Record<OperationId, Looks | 'reviewers' | 'acts'> = {
  getRoot: () => [{}],
  getOpenapi: () => [{}],
  getHealth: () => [{}],
  getReady: () => [{}],
  getPublicStats: () => [{}],
  whoami: () => [{}],
  createMemory: 'acts',
  listMemories: () => [{}],
  createMemories: 'acts',
  getMemoryStats: () => [{}],
  getMemoryTimeline: () => [{ query: { by: 'agent' } }],
  getMemory: 'acts',
  deleteMemory: 'acts',
  patchMemory: 'acts',
  rateMemory: 'acts',
  getLineage: 'acts',
  listMemoryVersions: 'acts',
  restoreMemoryVersion: 'acts',
  moveMemories: 'acts',
  archiveMemories: 'acts',
  redistributeMemories: 'acts',
  listKeystones: () => [{}],
  setKeystone: 'acts',
  deleteKeystone: 'acts',
  listKeystoneVersions: 'acts',
  acknowledgeKeystones: 'acts',
  getKeystoneCoverage: () => [{}],
  listAudit: () => [{}, { query: { action: 'skill.written' } }],
  recall: (catalogue) => someTexts(catalogue).map((query) => ({ body: { query } })),
  listRecalls: () => [{}],
  getRecallStats: () => [{}],
  getRecall: 'acts',
  listEntities: (catalogue) => [{}, ...someTexts(catalogue).map((name) => ({ query: { name } }))],
  getEntity: 'acts',
  listAliasProposals: 'acts',
  mergeEntity: 'acts',
  splitEntity: 'acts',
  putDocument: 'acts',
  putDocuments: 'acts',
  deleteDocument: 'acts',
  listDocuments: () => [{ query: { collection: 'skills' } }, { query: { collection: 'skills', fleet_id: 'red' } }],
  queryDocuments: (catalogue) => [
    { body: { collection: 'skills' } },
    ...['staged', 'candidate', 'quarantined', 'rejected', 'deprecated', 'active'].map((status) => ({
      body: { collection: 'skills', where: { status } },
    })),
    ...someTexts(catalogue).map((domain) => ({ body: { collection: 'skills', where: { domain } } })),
  ],
  searchDocuments: (catalogue) =>
    someTexts(catalogue).flatMap((query) => [{ body: { query } }, { body: { query, collection: 'skills' } }]),
  listCollections: () => [{}, { query: { fleet_id: 'red' } }],
  getDocument: (catalogue) => everyId(catalogue).map((doc_id) => ({ params: { collection: 'skills', doc_id } })),
  getSkillFile: (catalogue) => everyId(catalogue).map((slug) => ({ params: { slug, path: 'notes.md' } })),
  listInstallable: () => [{ body: {} }, { body: { fleet_id: 'red', limit: 1000 } }],
  listInbox: 'reviewers',
  getInboxSkill: 'reviewers',
  listSkillVersions: 'reviewers',
  approveSkill: 'acts',
  editSkill: 'acts',
  rejectSkill: 'acts',
  quarantineSkill: 'acts',
  deferSkill: 'acts',
  restoreSkill: 'acts',
  overruleSkill: 'acts',
  getSkillScan: (catalogue) => everyId(catalogue).map((slug) => ({ params: { slug } })),
  retireSkill: 'acts',
  rollbackSkill: 'acts',
  reportSkillOutcome: 'acts',
  listAgents: () => [{}],
  getAgent: () => [{ params: { agent_id: 'ana' } }],
  putAgent: 'acts',
  patchAgent: 'acts',
  deleteAgent: 'acts',
  getSettings: () => [{}],
  patchSettings: 'acts',
  listFleets: () => [{}],
  getFleet: () => [{ params: { fleet_id: 'red' } }],
  runForge: 'acts',
  fanOutForge: 'acts',
  listForgeRuns: () => [{}],
  getForgeRun: 'acts',
  createKey: 'acts',
  listKeys: () => [{}],
  deleteKey: 'acts',
  getIndexing: () => [{}],
  retryIndexing: 'acts',
  createErasure: 'acts',
  verifyErasure: 'acts',
  reindex: 'acts',
  verifyIndex: () => [{}],
  getEnrichment: () => [{}],
  enrichMemories: 'acts',
  createIndexBuild: 'acts',
  listIndexBuilds: () => [{}],
  getIndexBuild: 'acts',
  deleteIndexBuild: 'acts',
  switchIndexBuild: 'acts',
  listIndexBuildTenants: 'acts',
  listTenants: () => [{}],
  patchTenant: 'acts',
}

/** Looks for versions of skills that are not active, with every operation and every kind of caller. */
describeOnEachProfile((profile) => {
  describe('a version that is not active', () => {
    const service = sharedService(profile)
    let catalogue: Catalogue
    before(async () => {
      catalogue = await makeCatalogue(newTenant(service()))
      await settled(service(), catalogue.tenant.id)
    })

    async function makeCatalogue(tenant: TestTenant): Promise<Catalogue> {
      const callers = {
        'its author': await tenant.caller({ agentId: 'ana', fleetId: 'red' }),
        'another agent of the fleet': await tenant.caller({ agentId: 'ben', fleetId: 'red' }),
        'an agent of another fleet': await tenant.caller({ agentId: 'cleo', fleetId: 'blue', trust: 2 }),
        'an operator': await tenant.caller({ trust: 3 }),
        'the admin credential': tenant.admin,
      }
      const { 'its author': author, 'an operator': operator } = callers
      await operator.settings.patch({ skills_factory: { enabled: true } }).ok()
      const marks: string[] = []
      const marked = () => {
        const mark = `mark${randomBytes(6).toString('hex')}`
        marks.push(mark)
        return mark
      }
      const texts = (): Fields => ({
        name: `Tend ${marked()}`,
        description: `When ${marked()} is to be tended.`,
        summary: `When ${marked()} needs care.`,
        // Shares no word with another's, or it might count as the work that was rejected.
        content: `1. ${marked()}.\n`,
        domain: marked(),
        goal: marked(),
        tags: [marked()],
        front_matter: `---\nname: x\nnote: ${marked()}\n---\n`,
      })
      const docIds: Record<string, string> = {}
      const write = async (state: string, data: Fields, note = marked()) => {
        const stored = (await author.skills
          .write(data, { files: [{ path: 'notes.md', content: `${note}\n` }] })
          .ok()) as DocumentRecord
        docIds[state] = stored.doc_id
        await until('it is scanned', async () =>
          expect((await operator.skills.waiting(stored.doc_id).ok()).scan.state).not.to.equal('pending'),
        )
        return stored
      }
      await write('staged', skillOf(marked(), texts()))
      await write('quarantined', skillOf(marked(), texts()))
      await operator.skills.quarantine(docIds.quarantined!).ok()
      await write('rejected', skillOf(marked(), texts()))
      await operator.skills.reject(docIds.rejected!).ok()
      await write('deprecated', skillOf(marked(), texts()))
      await operator.skills.approve(docIds.deprecated!).ok()
      await operator.skills.retire(docIds.deprecated!).ok()
      const servedMark = `mark${randomBytes(6).toString('hex')}`
      const active = await write('active', skillOf(servedMark, { content: `1. Tend ${servedMark}.\n` }), servedMark)
      await operator.skills.approve(docIds.active!).ok()
      await write('active', { ...skillOf(servedMark, texts()), ...asUpdateOf(active) })
      const now = new Date(service().context.clock.now())
      const candidate = candidateOf(marked(), now, {
        ...(texts() as object),
        origin: { ...candidateOf('x', now).origin, distinct_agents: 1 },
      })
      docIds.candidate = (await skillsOf(service().context.store, tenant.id, () => now).propose(candidate)).docId!
      return { tenant, callers, docIds, marks, servedMark }
    }

    it('is looked for with every operation of the contract', () => {
      const known = cairnContract().routes.map(({ operationId }) => operationId)
      expect(Object.keys(LOOKS).sort()).to.deep.equal(known.sort())
    })

    it('is there, for reviewers', async () => {
      const { callers, docIds } = catalogue
      const operator = callers['an operator']!
      const staged = (await operator.skills.inbox({ limit: 200 }).ok()).items.map(({ doc_id }) => doc_id)
      expect(staged).to.have.members([docIds.staged, docIds.active])
      for (const [status, expected] of [
        ['quarantined', docIds.quarantined],
        ['candidate', docIds.candidate],
      ])
        expect((await operator.skills.inbox({ status }).ok()).items.map(({ doc_id }) => doc_id)).to.deep.equal([
          expected,
        ])
      for (const state of ['rejected', 'deprecated'])
        expect((await operator.skills.versions(docIds[state]!).ok()).items[0]).to.include({ status: state })
    })

    for (const [operationId, looks] of Object.entries(LOOKS) as [OperationId, Looks | 'reviewers' | 'acts'][]) {
      if (looks === 'acts') continue
      for (const [by, way] of waysTo(operationId))
        it(`is not shown by ${operationId}${by}${looks === 'reviewers' ? ' below trust 3' : ''}`, async () => {
          const { callers, marks, docIds } = catalogue
          for (const [name, caller] of Object.entries(callers)) {
            if (looks === 'reviewers') {
              const isReviewer = ['an operator', 'the admin credential'].includes(name)
              if (isReviewer) continue
              const answer = await way(caller).call(operationId, {
                params: { slug: docIds.staged! },
                query: { tenant_id: caller.tenantId },
              })
              expect(answer.status, name).to.equal(403)
              continue
            }
            for (const look of looks(catalogue)) {
              const answer = await callFor(way(caller), operationId, look)
              expect(answer.status, `${operationId} for ${name}`).to.be.lessThan(500)
              const sent = JSON.stringify(look)
              const got = JSON.stringify([answer.body ?? null, [...answer.headers]])
              const shown = marks.filter(
                (mark) => got.includes(mark) && !sent.includes(mark) && !namesIt(operationId, got, mark),
              )
              expect(shown, `${operationId} ${sent} for ${name}`).to.deep.equal([])
            }
          }
        })
    }

    /** Returns the ways to call an operation: by REST, and by a tool where one has it. */
    function waysTo(operationId: OperationId): [string, (caller: Caller) => Caller][] {
      const byTool: [string, (caller: Caller) => Caller] = [' of a tool', (caller) => caller.byTools()]
      return [['', (caller) => caller], ...(isToolOperation(operationId) ? [byTool] : [])]
    }

    /** The audit names the skills that were written, as it names every document: to operators, and never their texts. */
    function namesIt(operationId: OperationId, got: string, mark: string): boolean {
      return operationId === 'listAudit' && new RegExp(`"doc_id":"(?:agent|forge)/${mark}"`).test(got)
    }

    function callFor(caller: Caller, operationId: OperationId, { body, query, ...look }: CallInput) {
      const { takesBody, security } = cairnContract().routes.find((route) => route.operationId === operationId)!
      const tenant_id = caller.tenantId
      if (security !== 'apiKey') return caller.call(operationId, { ...look, query })
      return takesBody
        ? caller.call(operationId, { ...look, query, body: { tenant_id, ...(body as object) } })
        : caller.call(operationId, { ...look, query: { tenant_id, ...query } })
    }

    it('leaves what is active as it is, everywhere', async () => {
      const { callers, docIds, servedMark } = catalogue
      for (const caller of Object.values(callers)) {
        const served = await caller.skills.get(docIds.active!).ok()
        expect(dataOf(served)).to.include({ status: 'active', slug: servedMark })
        expect(served.version).to.equal(1)
        expect((await caller.documents.list('skills').ok()).items.map(({ doc_id }) => doc_id)).to.deep.equal([
          docIds.active,
        ])
        expect(
          (await caller.documents.collections().ok()).collections.map(({ name, count }) => [name, count]),
        ).to.deep.equal([['skills', 1]])
        const { results } = await caller.documents.search(`tend ${servedMark}`, { collection: 'skills' }).ok()
        expect(results.map(({ doc_id }) => doc_id)).to.deep.equal([docIds.active])
        expect((await caller.skills.installable().ok()).items.map(({ doc_id }) => doc_id)).to.deep.equal([
          docIds.active,
        ])
      }
    })
  })
})
