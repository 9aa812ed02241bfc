import { rejects } from 'node:assert/strict'
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../../contract/types.js'
import type { Embedder } from '../../models/embedder.js'
import { UnavailableError } from '../../runtime/errors.js'
import { verifyIndex } from '../../services/indexing/verify-index.js'
import type { Caller } from '../support/client.js'
import { holdIndexing } from '../support/held-indexing.js'
import { settled } from '../support/indexed.js'
import { documentOf, type Entry, removeEntry, replaceEntry } from '../support/planted-damage.js'
import { describeOnEachProfile } from '../support/profiles.js'
import { runSql } from '../support/run-sql.js'
import { ownService } from '../support/shared-service.js'
import { until } from '../support/states.js'
import { newTenant, type TestTenant } from '../support/tenants.js'

type Verification = components['schemas']['IndexVerification']

/** Tests what compares PostgreSQL with the index, by damage that is planted in the index past the service. */
describeOnEachProfile((profile) => {
  const service = ownService({ profile })
  describe('the verification of the index', () => {
    let tenant: TestTenant
    let ana: Caller
    let memories: readonly string[]
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana', fleetId: 'red' })
      const { body } = await ana.memories.createMany(
        [...Array(7).keys()].map((i) => ({
          content: `Crane number ${i} lifts Anna Kowalski's crates.`,
          metadata: { i },
        })),
      )
      memories = body.results.map(({ id }) => id!)
      await ana.documents.putMany('notes', [
        { doc_id: 'a', data: { text: 'The harbour is open.', n: 1 } },
        { doc_id: 'b', data: { text: 'The harbour is closed.', n: 2 } },
      ])
      await settled(service(), tenant.id)
      // What this process knows of its index is read now and then: right after the start it may be from before the index was created.
      await until('the process knows that its index is whole', () =>
        Promise.resolve(service().context.indexBuilds.fault() === null),
      )
    })

    const verify = (fields: object = {}) =>
      service()
        .client()
        .indexing.verify({ tenant_id: tenant.id, ...fields })
        .ok()
    const entry = (id: string, corpus: Entry['corpus'] = 'memories') => ({ tenantId: tenant.id, corpus, id })
    const found = ({ differences }: Verification) =>
      Object.fromEntries(differences.map(({ id, difference }) => [id, difference]))
    const ids = async () =>
      (
        await runSql<{ id: string }>(
          service().databaseUrl,
          `select id from documents where tenant_id = '${tenant.id}' order by doc_id`,
        )
      ).map(({ id }) => id)
    async function damage(
      id: string,
      altered: Parameters<typeof replaceEntry>[2] extends infer D ? Partial<D> : never,
      corpus: Entry['corpus'] = 'memories',
    ) {
      const document = await documentOf(service(), entry(id, corpus))
      await replaceEntry(service(), entry(id, corpus), { ...document, ...altered })
    }

    /** Returns the store of the service, whose reads call `listener` first. */
    function storeThatTells(listener: () => void) {
      const { store } = service().context
      const read = ((...args: Parameters<typeof store.read>) => {
        listener()
        return store.read(...args)
      }) as typeof store.read
      const transact = store.transact.bind(store) as typeof store.transact
      return Object.assign(Object.create(store) as typeof store, { read, transact })
    }

    it('finds nothing where nothing is wrong, also after an entry was replaced by an equal one', async () => {
      await damage(memories[0]!, {})
      const { differences, next_cursor, ...counts } = await verify()
      expect(counts).to.deep.equal({
        memories: { rows: 7, entries: 7, in_flight: 0 },
        documents: { rows: 2, entries: 2, in_flight: 0 },
        enqueued: 0,
      })
      expect([differences, next_cursor]).to.deep.equal([[], null])
    })

    it('finds planted damage of each kind, and repairs it', async () => {
      const [missing, agent, vector, terms, entities, deleted] = memories as [
        string,
        string,
        string,
        string,
        string,
        string,
      ]
      const [metadata, lost] = (await ids()) as [string, string]
      const left = await documentOf(service(), entry(deleted))
      await ana.memories.delete(deleted).ok()
      await settled(service(), tenant.id)
      await replaceEntry(service(), entry(deleted), left)
      await removeEntry(service(), entry(missing))
      await damage(agent, { agentId: 'zoe' })
      const document = await documentOf(service(), entry(vector))
      await damage(vector, { vector: document.vector!.map((value) => -value) })
      await damage(terms, { terms: document.terms.map((term) => (term === document.terms[0] ? 'word' : term)) })
      await damage(entities, { entityIds: [] })
      await damage(metadata, { metadataTerms: [] }, 'documents')
      await removeEntry(service(), entry(lost, 'documents'))
      const damaged = {
        [missing]: 'missing',
        [agent]: 'differs',
        [vector]: 'differs',
        [terms]: 'differs',
        [entities]: 'differs',
        [deleted]: 'orphan',
        [metadata]: 'differs',
        [lost]: 'missing',
      }
      expect(found(await verify())).to.deep.equal(damaged)
      const repaired = await verify({ repair: true })
      expect([found(repaired), repaired.enqueued]).to.deep.equal([damaged, 8])
      await settled(service(), tenant.id)
      const after = await verify({ repair: true })
      expect([found(after), after.enqueued, after.memories.rows]).to.deep.equal([{}, 0, 6])
    })

    it('finds an entry under the wrong tenant, and removes it', async () => {
      const other = newTenant(service())
      await (await other.caller({ agentId: 'ben' })).memories.create('The other tenant.').ok()
      await settled(service(), other.id)
      const document = await documentOf(service(), entry(memories[0]!))
      const wrong = service().context.index.for(other.id)
      await wrong.write([{ id: memories[0]!, seq: 1, document }])
      const all = service().client()
      const differences = async (fields = {}) => {
        const { body } = await all.indexing.verify(fields)
        return body.differences.filter(({ tenant_id }) => [tenant.id, other.id].includes(tenant_id))
      }
      expect(await differences({ repair: true })).to.deep.equal([
        { tenant_id: other.id, corpus: 'memories', id: memories[0], difference: 'orphan' },
      ])
      await settled(service(), other.id)
      expect(await differences()).to.deep.equal([])
      expect(await wrong.countOf(memories)).to.equal(0)
    })

    it('repairs nothing in an index that is lost meanwhile', async () => {
      const { context } = service()
      await removeEntry(service(), entry(memories[0]!))
      let isLost = false
      const fault = () => (isLost ? { reason: 'incomplete' as const, detail: 'lost' } : null)
      const store = storeThatTells(() => (isLost = true))
      const options = { tenantId: tenant.id, sample: undefined, seed: 0, repairs: true, from: undefined }
      const losing = { ...context, store, indexBuilds: { ...context.indexBuilds, fault } }
      await rejects(verifyIndex(losing, { ...options, signal: new AbortController().signal }), UnavailableError)
      const pending = await runSql(
        service().databaseUrl,
        `select from index_pending where tenant_id = '${tenant.id}' and settled_at is null`,
      )
      expect(pending).to.have.length(0)
      expect(found(await verify({ repair: true }))).to.deep.equal({ [memories[0]!]: 'missing' })
    })

    it('leaves out what is pending, and finds an older version that counts as settled', async () => {
      const [changed, gone] = memories as [string, string]
      await holdIndexing(service(), tenant.id)
      const added = await ana.memories.create('A crane that is not indexed yet.').ok()
      await ana.memories.patch(changed, { content: 'A crane that has changed.' }).ok()
      await ana.memories.delete(gone).ok()
      const pending = await verify({ repair: true })
      expect([found(pending), pending.memories.in_flight, pending.enqueued]).to.deep.equal([{}, 3, 0])
      await runSql(
        service().databaseUrl,
        `update index_pending set settled_at = now() where tenant_id = '${tenant.id}'`,
      )
      expect(found(await verify())).to.deep.equal({ [added.id]: 'missing', [changed]: 'differs', [gone]: 'orphan' })
    })

    it('looks again at what changed between the answers of PostgreSQL and of the engine', async () => {
      const { context } = service()
      const [changed, gone] = memories as [string, string]
      const between = [
        () => ana.memories.patch(changed, { content: 'A crane that changes meanwhile.' }).ok(),
        () => ana.memories.delete(gone).ok(),
      ] as const
      const changeOnce = async (i: 0 | 1) => {
        if (isChanged[i]) return
        isChanged[i] = true
        await between[i]()
        await settled(service(), tenant.id)
      }
      const isChanged = [false, false]
      const index: typeof context.index = Object.assign(Object.create(context.index) as typeof context.index, {
        for: (...of: Parameters<typeof context.index.for>): ReturnType<typeof context.index.for> => {
          const real = context.index.for(...of)
          return {
            ...real,
            compare: async (...args) => (await changeOnce(0), real.compare(...args)),
            listIds: async (...args) => {
              const ids = await real.listIds(...args)
              await changeOnce(1)
              return ids
            },
          }
        },
      })
      const options = { tenantId: tenant.id, sample: undefined, seed: 0, repairs: false, from: undefined }
      const { differences, memories: counts } = await verifyIndex(
        { ...context, index },
        { ...options, signal: new AbortController().signal },
      )
      expect(isChanged).to.deep.equal([true, true])
      expect(differences).to.deep.equal([])
      expect(counts).to.deep.equal({ rows: 6, entries: 6, inFlight: 2 })
    })

    it('compares a sample, which is the same for the same seed', async () => {
      for (const id of memories) await damage(id, { status: 'outdated' })
      const sampled = async (seed: number) => Object.keys(found(await verify({ sample: 3, seed }))).sort()
      const first = await sampled(1)
      expect(first).to.have.length(3)
      expect(await sampled(1)).to.deep.equal(first)
      const seeds = await Promise.all([2, 3, 4, 5, 6].map((seed) => sampled(seed)))
      expect(seeds.some((ids) => ids.join() !== first.join())).to.equal(true)
      const { memories: counts } = await verify({ sample: 3 })
      expect(counts).to.deep.equal({ rows: 3, entries: 3, in_flight: 0 })
    })

    it('draws the rows of a sample once for all of its pages', async () => {
      await ana.memories.createMany([...Array(100).keys()].map((i) => ({ content: `Crate ${i} of the sample.` }))).ok()
      await ana.documents.putMany(
        'notes',
        [...Array(300).keys()].map((i) => ({ doc_id: `n${i}`, data: { i } })),
      )
      await settled(service(), tenant.id)
      const { context } = service()
      let reads = 0
      const store = storeThatTells(() => reads++)
      const options = {
        tenantId: tenant.id,
        seed: 0,
        repairs: false,
        from: undefined,
        signal: new AbortController().signal,
      }
      const readsOf = async (sample: number | undefined) => {
        reads = 0
        const { documents } = await verifyIndex({ ...context, store }, { ...options, sample })
        return [documents.rows, reads]
      }
      const [whole, wholeReads] = await readsOf(undefined)
      const [sampled, sampledReads] = await readsOf(1000)
      // One draw of memories and one of documents.
      expect([sampled, sampledReads]).to.deep.equal([whole, wholeReads! + 2])
    })

    it('ends with its caller while the embedder hangs', async () => {
      const caller = new AbortController()
      const { context } = service()
      const hanging: Embedder = {
        ...context.embedder,
        inline: true,
        embed: (_texts, _purpose, signal) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error))
            caller.abort(new Error('The caller is gone.'))
          }),
      }
      const options = { tenantId: tenant.id, sample: undefined, seed: 0, repairs: false, from: undefined }
      const verifying = verifyIndex({ ...context, embedder: hanging }, { ...options, signal: caller.signal })
      await rejects(verifying, { message: 'The caller is gone.' })
    })

    it('gives no false alarm while memories are written, changed and deleted', async () => {
      let isStopping = false
      const write = async (lane: number) => {
        for (let i = 0; !isStopping; i++) {
          const { id } = await ana.memories.create(`Lane ${lane} carries crate ${i}.`).ok()
          await ana.memories.patch(id, { content: `Lane ${lane} has carried crate ${i}.` }).ok()
          if (i % 2 === 0) await ana.memories.delete(id).ok()
          await ana.documents.put('notes', `n${lane}`, { i }).ok()
        }
      }
      const writers = Promise.all([write(1), write(2)])
      try {
        for (let round = 0; round < 15; round++) {
          expect((await verify()).differences).to.deep.equal([])
          await sleep(20)
        }
      } finally {
        isStopping = true
        await writers
      }
    })
  })
})
