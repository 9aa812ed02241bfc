import { expect } from 'chai'
import type { Caller } from './client.js'
import type { MemoryRecord } from './clients/memories.js'
import { atEndOfRun } from './end-of-run.js'
import { settled } from './indexed.js'
import { type LanguageModelStub, startLanguageModelStub } from './language-model-stub.js'
import { type Finding, ReadingModel, type Script } from './reading-model.js'
import { type Profile, startService, type TestService } from './service.js'
import type { SharedService } from './shared-service.js'
import { until } from './states.js'
import { newTenant, type TestTenant } from './tenants.js'

type Fields = Readonly<Record<string, unknown>>

/** A tenant for one test, and the model that reads what is written there. */
export interface Enrichment {
  readonly tenant: TestTenant
  /** An agent of the fleet red. */
  readonly ana: Caller
  readonly operator: Caller
  readonly model: ReadingModel
  /** The endpoint that the model answers at, for its faults. */
  readonly endpoint: LanguageModelStub
  /** Returns how many memories of the tenant wait, and its use of today. */
  state(): Promise<EnrichmentState>
  /** Waits until the model has read everything. */
  read(): Promise<unknown>
  /** Writes a memory in which the model finds this, or what its script says. Returns its record once it was enriched. */
  enriched(fields: Fields | string, finding?: Finding, caller?: Caller): Promise<MemoryRecord>
  /** Writes a memory, and waits until it is enriched and indexed. */
  known(fields: Fields | string, caller?: Caller): Promise<MemoryRecord>
  statusOf(id: string): Promise<string>
}

type EnrichmentState = Awaited<ReturnType<ReturnType<TestService['client']>['enrichment']['get']>>['body']

/** A service of which one test after the other scripts the model. */
interface EnrichingService {
  readonly service: TestService
  readonly endpoint: LanguageModelStub
  answeredBy(model: ReadingModel): void
}

const started = new Map<Profile, Promise<EnrichingService>>()

/**
 * Returns the service of a profile whose memories a language model reads, which all files of the run share, and `scripted`, which
 * begins a test: the model answers as the test's script says, until the next test begins.
 */
export function sharedEnrichment(profile: Profile) {
  let shared: EnrichingService | undefined
  before(async () => {
    if (!started.has(profile)) started.set(profile, startForRun(profile))
    shared = await started.get(profile)
  })
  const service: SharedService = () => shared!.service
  return { service, scripted: (script: Script = {}) => begin(shared!, new ReadingModel(script)) }
}

async function startForRun(profile: Profile): Promise<EnrichingService> {
  let model = new ReadingModel()
  const endpoint = await startLanguageModelStub({
    reply: (call) => model.answer(call),
    before: (call) => model.arrives(call),
  })
  atEndOfRun(() => endpoint.stop())
  const env = { LLM_URL: endpoint.url, LLM_MODEL: 'stub', LLM_TIMEOUT_MS: '15000' }
  const service = await startService({ profile, env })
  atEndOfRun(() => service.stop())
  return { service, endpoint, answeredBy: (next) => void (model = next) }
}

async function begin({ service, endpoint, answeredBy }: EnrichingService, model: ReadingModel): Promise<Enrichment> {
  endpoint.recover()
  answeredBy(model)
  const tenant = newTenant(service)
  const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
  const operator = await tenant.caller({ trust: 3 })
  const state = async () => (await service.client().enrichment.get({ tenant_id: tenant.id })).body
  const read = () => until('everything is enriched', async () => expect((await state()).waiting).to.equal(0))
  async function enriched(fields: Fields | string, finding?: Finding, caller = ana) {
    if (finding) model.finds(typeof fields === 'string' ? fields : (fields.content as string), finding)
    const { id } = await caller.memories.create(fields).ok()
    await read()
    return (await caller.memories.get(id)).body
  }
  async function known(fields: Fields | string, caller = ana) {
    const record = await enriched(fields, undefined, caller)
    await settled(service, tenant.id)
    return record
  }
  const statusOf = async (id: string) => (await ana.memories.get(id)).body.status
  return { tenant, ana, operator, model, endpoint, state, read, enriched, known, statusOf }
}

/** Returns the entities that the model found in a memory: name, type and role of each. */
export function inferredLinks({ entity_links }: Pick<MemoryRecord, 'entity_links'>) {
  return entity_links
    .filter(({ origin }) => origin === 'inferred')
    .map(({ name, entity_type, role }) => [name, entity_type, role])
}

/** A memory in whose text the model finds everything that it may find. */
export const PORT_DECISION = {
  text: 'Ana Silva decided last Friday that billing-db moves to port 6432.',
  finding: {
    type: 'decision',
    title: 'billing-db moves to port 6432',
    tags: ['Databases', 'ports'],
    entities: [
      { name: 'Ana Silva', type: 'person', role: 'decider' },
      { name: 'billing-db', type: 'system', role: null },
    ],
    triple: { subject: 'billing-db', predicate: 'port', object: '6432' },
    times: [{ phrase: 'last Friday', relation: 'on' }],
  },
} as const
