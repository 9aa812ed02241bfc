import { randomBytes } from 'node:crypto'
import type { components } from '../../contract/contract.gen.js'
import type { CallInput, Client, ClientAnswer } from './client.js'
import { until } from './states.js'
import type { TestKeyOptions, TestService } from './service.js'

type Schemas = components['schemas']
export type MemoryRecord = Schemas['Memory']
export type Keystone = Schemas['Keystone']
export type RecallAnswer = Schemas['RecallAnswer']
export type DocumentRecord = Schemas['Document']
type Fields = Readonly<Record<string, unknown>>
type Headers = CallInput['headers']
type Query = CallInput['query']
/* eslint-disable-next-line @typescript-eslint/no-explicit-any -- success and failure, as the client gives it */
type Answer = ClientAnswer<any>

/** A tenant for one test. */
export interface TestTenant {
  readonly id: string
  /** Returns a caller with a new key: of the tenant, or of an agent when one is named. */
  caller(wish?: Omit<TestKeyOptions, 'tenantId'>): Promise<Caller>
  /** The admin credential, acting for this tenant. */
  readonly admin: Caller
}

export function newTenant(service: TestService): TestTenant {
  const id = `tenant-${randomBytes(5).toString('hex')}`
  return {
    id,
    caller: async (wish = {}) => new Caller(service.client(await service.mintKey({ tenantId: id, ...wish })), id),
    admin: new Caller(service.client(), id),
  }
}

/** Creates a tenant with two agents of one fleet and an operator. */
export async function newTeam(service: TestService) {
  const tenant = newTenant(service)
  const ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
  const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
  const operator = await tenant.caller({ trust: 3 })
  return { tenant, ana, ben, operator }
}

/** A caller of one tenant, with a method for each operation. Methods that say "must succeed" throw otherwise. */
export class Caller {
  constructor(
    readonly client: Client,
    readonly tenantId: string,
  ) {}

  /** Returns the same key acting for an agent by X-Agent-ID. */
  actingAs(agentId: string): Caller {
    const { client } = this
    const headed: Client = {
      ...client,
      call: (operationId, input = {}) =>
        client.call(operationId, { ...input, headers: { 'X-Agent-ID': agentId, ...input.headers } }),
    }
    return new Caller(headed, this.tenantId)
  }

  write(fields: Fields | string, headers?: Headers): Promise<Answer> {
    const given = typeof fields === 'string' ? { content: fields } : fields
    return this.client.call('createMemory', { body: { tenant_id: this.tenantId, ...given }, headers })
  }

  /** Writes a memory, which must succeed. */
  async remember(fields: Fields | string, headers?: Headers): Promise<MemoryRecord> {
    const answer = await this.write(fields, headers)
    if (answer.status !== 201) throw new Error(`not stored: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as MemoryRecord
  }

  writeMany(items: readonly unknown[], fields: Fields = {}, headers?: Headers): Promise<Answer> {
    return this.client.call('createMemories', { body: { tenant_id: this.tenantId, items, ...fields }, headers })
  }

  get(id: string, query: Query = {}): Promise<Answer> {
    return this.client.call('getMemory', { params: { memory_id: id }, query: { tenant_id: this.tenantId, ...query } })
  }

  list(query: Query = {}): Promise<Answer> {
    return this.client.call('listMemories', { query: { tenant_id: this.tenantId, ...query } })
  }

  /** Returns every row of a list, page by page. */
  async listAll(query: Query = {}): Promise<MemoryRecord[]> {
    const items: MemoryRecord[] = []
    for (let cursor: string | undefined; ;) {
      const { status, body } = await this.list({ limit: 200, ...query, cursor })
      if (status !== 200) throw new Error(`no list: ${JSON.stringify(body)}`)
      items.push(...(body.items as MemoryRecord[]))
      if (body.next_cursor === null) return items
      cursor = body.next_cursor as string
    }
  }

  delete(id: string): Promise<Answer> {
    return this.client.call('deleteMemory', { params: { memory_id: id }, query: { tenant_id: this.tenantId } })
  }

  async forget(id: string): Promise<void> {
    const answer = await this.delete(id)
    if (answer.status !== 204) throw new Error(`not deleted: ${JSON.stringify(answer.body)}`)
  }

  patch(id: string, fields: Fields, headers?: Headers): Promise<Answer> {
    const body = { tenant_id: this.tenantId, ...fields }
    return this.client.call('patchMemory', { params: { memory_id: id }, body, headers })
  }

  /** Changes a memory, which must succeed. */
  async change(id: string, fields: Fields, headers?: Headers): Promise<MemoryRecord> {
    const answer = await this.patch(id, fields, headers)
    if (answer.status !== 200) throw new Error(`not changed: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as MemoryRecord
  }

  move(ids: readonly string[], status: string): Promise<Answer> {
    return this.client.call('moveMemories', { body: { tenant_id: this.tenantId, ids, status } })
  }

  rate(id: string, outcome: string, fields: Fields = {}): Promise<Answer> {
    const body = { tenant_id: this.tenantId, outcome, ...fields }
    return this.client.call('rateMemory', { params: { memory_id: id }, body })
  }

  lineage(id: string): Promise<Answer> {
    return this.client.call('getLineage', { params: { memory_id: id }, query: { tenant_id: this.tenantId } })
  }

  redistribute(from: string, to: string, fields: Fields = {}): Promise<Answer> {
    const body = { tenant_id: this.tenantId, from_agent_id: from, to_agent_id: to, ...fields }
    return this.client.call('redistributeMemories', { body })
  }

  /** Sets a rule: light and for the whole tenant, unless the fields say otherwise. */
  setRule(fields: Fields, headers?: Headers): Promise<Answer> {
    const given = { tenant_id: this.tenantId, title: 'A rule', content: 'Be kind.', scope: 'tenant', weight: 'low' }
    return this.client.call('setKeystone', { body: { ...given, ...fields }, headers })
  }

  /** Sets a rule, which must succeed. */
  async rule(fields: Fields, headers?: Headers): Promise<Keystone> {
    const answer = await this.setRule(fields, headers)
    if (answer.status !== 200) throw new Error(`not set: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Keystone
  }

  rules(query: Query = {}, headers?: Headers): Promise<Answer> {
    return this.client.call('listKeystones', { query: { tenant_id: this.tenantId, ...query }, headers })
  }

  /** Returns the doc_ids of the rules, in their order. */
  async ruleIds(query: Query = {}): Promise<string[]> {
    const { status, body } = await this.rules(query)
    if (status !== 200) throw new Error(`no rules: ${JSON.stringify(body)}`)
    return (body as Keystone[]).map((rule) => rule.doc_id)
  }

  deleteRule(docId: string): Promise<Answer> {
    return this.client.call('deleteKeystone', { params: { doc_id: docId }, query: { tenant_id: this.tenantId } })
  }

  ruleVersions(docId: string, query: Query = {}): Promise<Answer> {
    const params = { doc_id: docId }
    return this.client.call('listKeystoneVersions', { params, query: { tenant_id: this.tenantId, ...query } })
  }

  acknowledge(runId: string, etag: string): Promise<Answer> {
    return this.client.call('acknowledgeKeystones', { body: { tenant_id: this.tenantId, run_id: runId, etag } })
  }

  coverage(query: Query = {}): Promise<Answer> {
    return this.client.call('getKeystoneCoverage', { query: { tenant_id: this.tenantId, ...query } })
  }

  audit(query: Query = {}): Promise<Answer> {
    return this.client.call('listAudit', { query: { tenant_id: this.tenantId, ...query } })
  }

  tryRecall(query: string, fields: Fields = {}): Promise<Answer> {
    return this.client.call('recall', { body: { tenant_id: this.tenantId, query, ...fields } })
  }

  /** Recalls, which must succeed. */
  async recall(query: string, fields: Fields = {}): Promise<RecallAnswer> {
    const answer = await this.tryRecall(query, fields)
    if (answer.status !== 200) throw new Error(`no recall: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as RecallAnswer
  }

  /** Returns the contents that a recall finds, best first. */
  async recalled(query: string, fields: Fields = {}): Promise<string[]> {
    return (await this.recall(query, fields)).memories.map(({ content }) => content)
  }

  recallRecord(id: string): Promise<Answer> {
    return this.client.call('getRecall', { params: { recall_id: id }, query: { tenant_id: this.tenantId } })
  }

  recallRecords(query: Query = {}): Promise<Answer> {
    return this.client.call('listRecalls', { query: { tenant_id: this.tenantId, ...query } })
  }

  /**
   * Recalls `count` times, waits until the recalls are recorded, and returns their ids with the cursor after the
   * newest.
   */
  async recalls(count: number): Promise<{ ids: string[]; cursor: string | null }> {
    const ids: string[] = []
    for (let i = 0; i < count; i++) ids.push((await this.recall(`question ${i}`)).recall_id)
    await until(async () => (await this.recallRecord(ids.at(-1)!)).status === 200)
    const { body } = await this.recallRecords({ limit: 1 })
    return { ids, cursor: body.next_cursor as string | null }
  }

  stats(query: Query = {}): Promise<Answer> {
    return this.client.call('getMemoryStats', { query: { tenant_id: this.tenantId, ...query } })
  }

  async total(query: Query = {}): Promise<number> {
    const answer = await this.stats(query)
    if (answer.status !== 200) throw new Error(`no statistics: ${JSON.stringify(answer.body)}`)
    return answer.body.total as number
  }

  put(collection: string, docId: string, data: Fields, fields: Fields = {}, headers?: Headers): Promise<Answer> {
    const body = { tenant_id: this.tenantId, collection, doc_id: docId, data, ...fields }
    return this.client.call('putDocument', { body, headers })
  }

  /** Stores a document, which must succeed. */
  async keep(collection: string, docId: string, data: Fields, fields: Fields = {}): Promise<DocumentRecord> {
    const answer = await this.put(collection, docId, data, fields)
    if (answer.status !== 200) throw new Error(`not stored: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as DocumentRecord
  }

  putMany(collection: string, items: readonly unknown[], fields: Fields = {}): Promise<Answer> {
    return this.client.call('putDocuments', { body: { tenant_id: this.tenantId, collection, items, ...fields } })
  }

  document(collection: string, docId: string): Promise<Answer> {
    const params = { collection, doc_id: docId }
    return this.client.call('getDocument', { params, query: { tenant_id: this.tenantId } })
  }

  discard(collection: string, docId: string, headers?: Headers): Promise<Answer> {
    const params = { collection, doc_id: docId }
    return this.client.call('deleteDocument', { params, query: { tenant_id: this.tenantId }, headers })
  }

  documents(collection: string, query: Query = {}): Promise<Answer> {
    return this.client.call('listDocuments', { query: { tenant_id: this.tenantId, collection, ...query } })
  }

  queryDocuments(collection: string, fields: Fields = {}): Promise<Answer> {
    return this.client.call('queryDocuments', { body: { tenant_id: this.tenantId, collection, ...fields } })
  }

  /** Returns the doc_ids of all documents that a query finds, page by page. */
  async queried(collection: string, fields: Fields = {}): Promise<string[]> {
    const names: string[] = []
    for (let cursor: string | undefined; ;) {
      const { status, body } = await this.queryDocuments(collection, { ...fields, ...(cursor && { cursor }) })
      if (status !== 200) throw new Error(`no documents: ${status} ${JSON.stringify(body)}`)
      names.push(...(body.items as DocumentRecord[]).map(({ doc_id }) => doc_id))
      if (body.next_cursor === null) return names
      cursor = body.next_cursor as string
    }
  }

  collections(query: Query = {}): Promise<Answer> {
    return this.client.call('listCollections', { query: { tenant_id: this.tenantId, ...query } })
  }

  entities(query: Query = {}): Promise<Answer> {
    return this.client.call('listEntities', { query: { tenant_id: this.tenantId, ...query } })
  }

  /** Returns the whole tree of settings. */
  async settings(): Promise<Schemas['Settings']> {
    const answer = await this.client.call('getSettings', { query: { tenant_id: this.tenantId } })
    if (answer.status !== 200) throw new Error(`no settings: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  trySet(change: Fields, headers?: Headers): Promise<Answer> {
    return this.client.call('patchSettings', { body: { tenant_id: this.tenantId, ...change }, headers })
  }

  /** Changes settings, which must succeed. */
  async set(change: Fields, headers?: Headers): Promise<Schemas['Settings']> {
    const answer = await this.trySet(change, headers)
    if (answer.status !== 200) throw new Error(`not set: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body as Schemas['Settings']
  }

  entity(id: string): Promise<Answer> {
    return this.client.call('getEntity', { params: { entity_id: id }, query: { tenant_id: this.tenantId } })
  }
}

/** Returns the record without the links that the service finds whenever it indexes the memory. */
export function asWritten(record: MemoryRecord): MemoryRecord {
  return { ...record, entity_links: record.entity_links.filter(({ origin }) => origin === 'caller') }
}

/** Returns the locations of the faults in a 422, such as `body.items.0.title`. */
export function faultsOf(answer: Answer): string[] {
  if (answer.status !== 422) throw new Error(`not a 422: ${answer.status} ${JSON.stringify(answer.body)}`)
  const listed = answer.body.detail as Schemas['FieldError'][]
  if (JSON.stringify(listed) !== JSON.stringify(answer.body.error.details.errors))
    throw new Error('detail and error.details.errors differ')
  return listed.map(({ loc }) => loc.join('.'))
}

/** Waits until the index holds everything that was written, or everything of one tenant. */
export async function settled(service: TestService, tenantId?: string): Promise<void> {
  for (;;) {
    const { body } = await service.client().call('getIndexing', { query: { tenant_id: tenantId } })
    if (body.parked > 0) throw new Error(`${body.parked} rows have failed`)
    if (body.pending === 0) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
