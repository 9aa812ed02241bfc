import { expect } from 'chai'
import type { MemoryStatus } from '../../domain/memory.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { faultsOf } from '../support/answers.js'
import type { Caller } from '../support/client.js'
import type { MemoryRecord } from '../support/clients/memories.js'
import { settled } from '../support/indexed.js'
import { newTenant, type TestTenant } from '../support/tenants.js'
import { createMovingClock, type MovingClock } from '../support/moving-clock.js'
import { describeOnEachProfile, describeOnEmbedded } from '../support/profiles.js'
import { ownService, type SharedService } from '../support/shared-service.js'
import { until } from '../support/states.js'

interface RecallSuite {
  /** True when the rows are indexed before they are recalled, false when they are all pending. */
  readonly indexed: boolean
  readonly clock: MovingClock
}

describeOnEachProfile((profile) => {
  const clock = createMovingClock()
  describeRecall(ownService({ profile, clock }), { indexed: true, clock })
})

describeOnEmbedded(() => {
  const clock = createMovingClock()
  describeRecall(ownService({ clock, queues: [] }), { indexed: false, clock })
})

/** Tests POST /recall: what it finds, what it leaves out, and what it reports. */
function describeRecall(service: SharedService, { indexed, clock }: RecallSuite): void {
  describe(`recall of memories that are ${indexed ? 'indexed' : 'pending'}`, () => {
    let tenant: TestTenant
    let ana: Caller
    beforeEach(async () => {
      tenant = newTenant(service())
      ana = await tenant.caller({ agentId: 'ana-7', fleetId: 'red', trust: 2 })
    })
    const ready = () => (indexed ? settled(service()) : Promise.resolve())
    /** Stores memories one after the other, by agent ana, and waits until they are indexed if `indexed` is true. */
    async function remember(...given: (string | Record<string, unknown>)[]): Promise<MemoryRecord[]> {
      const records: MemoryRecord[] = []
      for (const fields of given) records.push(await ana.memories.create(fields).ok())
      await ready()
      return records
    }
    async function setStatus(id: string, to: MemoryStatus): Promise<void> {
      await service().context.store.transact({ tenantId: tenant.id }, (writer) =>
        changeStatus(writer, [id], { from: ['active'], to, at: new Date(clock.now()) }),
      )
      await ready()
    }

    describe('finds', () => {
      const noise = [
        'The quarterly budget was approved by the board.',
        'Trains to the coast leave from platform nine.',
        'Bread needs flour, water, salt and time.',
      ]
      const cases: [by: string, wanted: string | Record<string, unknown>, query: string][] = [
        ['a word', 'The fox lives behind the mill.', 'fox'],
        ['another form of the word', 'She was running marathons.', 'run a marathon'],
        ['a word in its title', { title: 'Zanzibar', content: 'A trip by boat.' }, 'zanzibar'],
        ['its meaning', 'Maria enjoys hiking in the mountains.', 'outdoor trekking hobby'],
        ['an identifier', 'The job died with ERR_CONN-42 at night.', 'What is ERR_CONN-42?'],
        ['a part of an identifier', 'The job died with ERR_CONN-42 at night.', 'err_conn'],
        ['a host name', 'Copies lie on db7.eu.example.com.', 'db7.eu.example.com'],
        ['an address', 'Write to carla@example.org.', 'carla@example.org'],
        [
          'the day it is about',
          { content: 'We met the mayor.', ts_valid_start: '2020-07-09T10:00:00Z' },
          'on 9 July 2020',
        ],
        ['a word of another script', 'Встреча в Москве прошла хорошо.', 'Москве'],
        ['a word without spaces around it', '会議は東京で開かれた。', '東京'],
      ]
      for (const [by, wanted, query] of cases)
        it(`by ${by}`, async () => {
          const [record] = await remember(wanted, ...noise)
          const { memories, degraded } = await ana.memories.recall(query).ok()
          expect(memories[0]?.id).to.equal(record!.id)
          expect(degraded).to.equal(null)
        })

      it('by its author', async () => {
        const ben = await tenant.caller({ agentId: 'ben-9', fleetId: 'red' })
        const record = await ben.memories.create('Nothing new today.').ok()
        await remember(...noise)
        expect((await ana.memories.recall('what did ben-9 say?').ok()).memories[0]!.id).to.equal(record.id)
      })

      it('by an entity that the query names, when no word is shared', async () => {
        const link = (name: string) => ({ entity_links: [{ name }] })
        const [record] = await remember(
          { content: 'She signed the contract.', ...link('Globex Corp') },
          { content: 'He left the office.', ...link('Initech') },
          ...noise,
        )
        const { memories } = await ana.memories.recall('Anything on GLOBEX corp?', { explain: true }).ok()
        const first = memories[0]!
        expect(first.id).to.equal(record!.id)
        expect(first.score_parts!.entity_boost).to.be.greaterThan(1)
        expect(first.explanation!.matched_entities).to.deep.equal(['Globex Corp'])
        if (indexed) expect(first.explanation!.legs).to.include('entity')
        for (const other of memories.slice(1)) expect(other.score_parts!.entity_boost).to.equal(1)
      })

      it('by its neighbours in the run', async () => {
        const run = (run_id: string, content: string) => ({ run_id, content })
        const [question, answer, elsewhere] = await remember(
          run('talk', 'Which animal lives behind the mill?'),
          run('talk', 'Qwx zvb.'),
          run('other', 'Plk mjn.'),
        )
        const { memories } = await ana.memories.recall('animal behind the mill', { explain: true }).ok()
        expect(memories.map(({ id }) => id)).to.include.members([question!.id, answer!.id])
        const beside = memories.find(({ id }) => id === answer!.id)!
        expect(beside.score_parts!.context_boost).to.be.greaterThan(1)
        expect(beside.explanation!.neighbours).to.deep.equal([question!.id])
        const far = memories.find(({ id }) => id === elsewhere!.id)
        expect(far?.explanation!.neighbours ?? []).to.deep.equal([])
        expect(far?.score ?? 0).to.be.lessThan(beside.score!)
      })

      it('by similar words, and explains which word matched which and what it adds', async () => {
        const [record] = await remember({ content: 'The physician came at noon.' }, ...noise)
        const { memories } = await ana.memories.recall('When did the doctor come?', { explain: true }).ok()
        const [first] = memories
        expect(first!.id).to.equal(record!.id)
        const { words, evidence, summary } = first!.explanation!
        const match = words.find(({ word }) => word === 'doctor')!
        expect(match).to.include({ matched: 'physician', memory_id: record!.id })
        expect(match.similarity).to.be.within(0.3, 0.99)
        expect(summary).to.match(/"doctor" matches "physician" \(0\.\d\d\)/)
        const { base, context_boost, temporal_boost, entity_boost } = first!.score_parts!
        const sum = evidence.reduce((total, { adds }) => total + adds, 0.01)
        expect(base * context_boost * temporal_boost * entity_boost).to.be.closeTo(sum, 1e-6)
        expect(evidence.map(({ adds }) => adds)).to.deep.equal(evidence.map(({ adds }) => adds).sort((a, b) => b - a))
      })

      it('by words of a neighbour, and names that neighbour', async () => {
        const [question, answer] = await remember(
          { run_id: 'talk', content: 'Which animal lives behind the mill?' },
          { run_id: 'talk', content: 'Qwx zvb.' },
        )
        const { memories } = await ana.memories.recall('mill', { explain: true }).ok()
        const { words, summary } = memories.find(({ id }) => id === answer!.id)!.explanation!
        const [match] = words
        expect(match).to.include({ word: 'mill', matched: 'mill', memory_id: question!.id })
        expect(match!.similarity).to.be.closeTo(0.85, 1e-6)
        expect(summary).to.include('"mill" matches "mill" beside it (0.85)')
      })

      it('by the 64 longest words of a very long query, and by no other', async () => {
        const [byLong, byShort] = await remember(
          { content: 'The quxilometer hums.' },
          { content: 'A zab is there.' },
          ...noise,
        )
        const query = ['zab', ...Array.from({ length: 500 }, (_, i) => `wxyz${i}`), 'quxilometer'].join(' ')
        const { memories } = await ana.memories.recall(query, { explain: true, top_k: 100 }).ok()
        expect(memories[0]!.id).to.equal(byLong!.id)
        expect(memories[0]!.explanation!.matched_terms).to.deep.equal(['quxilomet'])
        const other = memories.find(({ id }) => id === byShort!.id)
        expect(other?.explanation!.matched_terms ?? []).to.deep.equal([])
        expect(other?.score_parts!.fts_score ?? 0).to.equal(0)
      })

      it('equal texts once, and names their copies', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
        const texts = ['Ana leads Ben.', 'ana leads BEN!', 'Ben leads Ana.']
        await remember(...texts.map((content) => ({ content })))
        await ben.memories.create('Ana leads Ben. \r\n').ok()
        await ready()
        const { memories } = await ana.memories.recall('who leads?', { compose: false }).ok()
        const copies = memories.map(({ content, copies }) => [content.trim(), copies?.count, copies?.agent_ids.length])
        expect(copies).to.have.deep.members([
          ['Ana leads Ben.', 1, 1],
          ['ana leads BEN!', undefined, undefined],
          ['Ben leads Ana.', undefined, undefined],
        ])
      })

      it('texts that differ in case or indentation, each by itself', async () => {
        const texts = ['Use git branch -d.', 'Use git branch -D.', 'if fox:\n  a()\nb()', 'if fox:\n  a()\n  b()']
        await remember(...texts.map((content) => ({ content })))
        await ready()
        for (const query of ['delete a git branch', 'fox'])
          expect(
            (await ana.memories.recallContents(query)).filter((content) => texts.includes(content)),
          ).to.include.members(query === 'fox' ? texts.slice(2) : texts.slice(0, 2))
      })

      it('by the time that the query names', async () => {
        const at = (day: string, content: string) => ({ content, ts_valid_start: `${day}T09:00:00Z` })
        const [, may] = await remember(at('2023-04-07', 'The pump failed.'), at('2023-05-07', 'The pump failed again.'))
        const { memories } = await ana.memories.recall('pump failures in May 2023', { explain: true }).ok()
        expect(memories[0]!.id).to.equal(may!.id)
        expect(memories[0]!.score_parts!.temporal_boost).to.be.greaterThan(1)
        expect(memories[1]!.score_parts!.temporal_boost).to.equal(1)
      })

      it('neighbours in the order of the times that they are about, not of writing', async () => {
        const at = (hour: number, content: string) => ({
          content,
          run_id: 'talk',
          ts_valid_start: `2024-05-01T${String(hour).padStart(2, '0')}:00:00Z`,
        })
        const [last, first, middle] = await remember(at(12, 'Ccc.'), at(10, 'A fox.'), at(11, 'Bbb.'))
        const { memories } = await ana.memories.recall('fox', { explain: true }).ok()
        const neighbours = (record: MemoryRecord) =>
          memories.find(({ id }) => id === record.id)?.explanation!.neighbours
        expect(neighbours(first!)).to.have.members([middle!.id, last!.id])
        expect(neighbours(middle!)).to.have.members([first!.id, last!.id])
      })
    })

    describe('leaves out', () => {
      it('hidden rows of a run, from scores and explanations alike', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
        const fields = { run_id: 'talk', content: 'A fox.' }
        await ben.memories.create({ run_id: 'talk', content: 'The secret fox.', visibility: 'scope_agent' }).ok()
        const [mine] = await remember(fields)
        const secret = await ben.memories
          .create({
            run_id: 'talk',
            content: 'The other secret fox.',
            visibility: 'scope_agent',
          })
          .ok()
        await ready()
        const { memories } = await ana.memories.recall('fox', { explain: true }).ok()
        expect(memories.map(({ id }) => id)).to.deep.equal([mine!.id])
        expect(memories[0]!.explanation!.neighbours).to.deep.equal([])
        expect(JSON.stringify(memories)).to.not.include(secret.id)
        const [alone] = (await (await newTenantWith(fields)).memories.recall('fox').ok()).memories
        expect(memories[0]!.score_parts!.context_boost).to.equal(alone!.score_parts!.context_boost)
      })

      async function newTenantWith(fields: Record<string, unknown>): Promise<Caller> {
        const caller = await newTenant(service()).caller({ agentId: 'ana-7' })
        await caller.memories.create(fields).ok()
        await ready()
        return caller
      }

      it('another tenant’s rows, words and entities', async () => {
        const otherTenantCaller = await newTenantWith({
          content: 'The fox works for Acme.',
          entity_links: [{ name: 'Acme' }],
        })
        const [mine] = await remember('A fox of our own.')
        const { memories } = await ana.memories.recall('fox Acme', { explain: true }).ok()
        expect(memories.map(({ id }) => id)).to.deep.equal([mine!.id])
        expect(memories[0]!.explanation!.matched_entities).to.deep.equal([])
        expect(await otherTenantCaller.memories.recallContents('fox of our own')).to.deep.equal([
          'The fox works for Acme.',
        ])
      })

      it('an expired memory, from the instant of its expiry on', async () => {
        const expires_at = new Date(clock.now() + 60_000).toISOString()
        const [record] = await remember({ content: 'The fox expires.', expires_at })
        expect(await ana.memories.recallContents('fox')).to.deep.equal([record!.content])
        clock.advance(60_001)
        expect(await ana.memories.recallContents('fox')).to.deep.equal([])
        expect(await ana.memories.recallContents('fox', { statuses: ['active', 'outdated'] })).to.deep.equal([])
      })

      if (indexed)
        it('no memory because of many that have expired within this minute', async () => {
          clock.advance(60_000 - (clock.now() % 60_000))
          await remember('We booked a crane for Friday.')
          const expires_at = new Date(clock.now() + 10_000).toISOString()
          const items = Array.from({ length: 150 }, (_, i) => ({ content: `crane crane ${i}`, expires_at }))
          await ana.memories.createMany(items).ok()
          await ready()
          clock.advance(20_000)
          const { memories, degraded } = await ana.memories.recall('crane').ok()
          expect([memories.map(({ content }) => content), degraded]).to.deep.equal([
            ['We booked a crane for Friday.'],
            null,
          ])
        })

      for (const status of ['archived', 'cancelled'] as const)
        it(`a memory that is ${status}, unless it is asked for`, async () => {
          const [record] = await remember('The fox.')
          await setStatus(record!.id, status)
          expect(await ana.memories.recallContents('fox')).to.deep.equal([])
          expect(await ana.memories.recallContents('fox', { statuses: ['active', 'confirmed'] })).to.deep.equal([])
          const { memories } = await ana.memories.recall('fox', { statuses: [status] }).ok()
          expect(memories[0]).to.deep.include({ id: record!.id, status })
          expect(memories[0]!.score_parts!.status_penalty).to.equal(1)
        })

      it('a deleted memory, whatever is asked for', async () => {
        const [record] = await remember('The fox.')
        await ana.memories.delete(record!.id).ok()
        expect(await ana.memories.recallContents('fox')).to.deep.equal([])
        await ready()
        expect(await ana.memories.recallContents('fox')).to.deep.equal([])
      })

      it('no pending, confirmed, outdated or conflicted memories, but ranks the last two lower', async () => {
        const [active, outdated, conflicted] = await remember(
          'The fox is red.',
          'The fox is green.',
          'The fox is blue.',
        )
        await remember(
          { content: 'The fox is grey.', status: 'pending' },
          { content: 'The fox is white.', status: 'confirmed' },
        )
        await setStatus(outdated!.id, 'outdated')
        await setStatus(conflicted!.id, 'conflicted')
        const { memories } = await ana.memories.recall('fox', { compose: false }).ok()
        const penalties = memories.map(({ status, score_parts }) => [status, score_parts!.status_penalty])
        expect(penalties.slice(0, 3)).to.have.deep.members([
          ['active', 1],
          ['pending', 1],
          ['confirmed', 1],
        ])
        expect(penalties.slice(3)).to.have.deep.members([
          ['outdated', 0.5],
          ['conflicted', 0.5],
        ])
        expect(memories.slice(0, 3).map(({ id }) => id)).to.include(active!.id)
      })
    })

    describe('narrows', () => {
      let rows: MemoryRecord[]
      let caller: Caller
      before(async () => {
        const tenant = newTenant(service())
        caller = await tenant.caller({ agentId: 'ana', fleetId: 'red', trust: 2 })
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'red' })
        const lists = { tags: ['x', 'y'], mixed: ['a', 2, true, 'a', null, ['within'], { b: 'within' }] }
        const meta = { env: 'prod', tries: 3, ok: false, note: null, ...lists, deep: { env: 'prod' }, one: '1' }
        rows = [
          await caller.memories
            .create({ content: 'fox A', memory_type: 'decision', run_id: 'one', metadata: meta })
            .ok(),
          await caller.memories
            .create({
              content: 'fox B',
              status: 'pending',
              fleet_id: 'blue',
              metadata: { env: 'test', tries: 4, ok: true },
            })
            .ok(),
          await ben.memories
            .create({ content: 'fox C', status: 'confirmed', run_id: 'two', visibility: 'scope_org' })
            .ok(),
          await caller.memories
            .create({
              content: 'fox D',
              ts_valid_start: '2024-01-01T00:00:00Z',
              ts_valid_end: '2025-01-01T00:00:00Z',
            })
            .ok(),
          await caller.memories
            .create({ content: 'fox E', fleet_id: 'blue', ts_valid_start: '2026-01-01T00:00:00Z' })
            .ok(),
        ]
        if (indexed) await settled(service())
      })
      const found = async (fields: Record<string, unknown>) =>
        (await caller.memories.recallContents('fox', fields))
          .map((content) => content.slice(-1))
          .sort()
          .join('')

      const cases: [fields: Record<string, unknown>, found: string][] = [
        [{}, 'ABCDE'],
        [{ memory_types: ['decision'] }, 'A'],
        [{ memory_types: ['semantic'] }, 'BCDE'],
        [{ memory_types: ['decision', 'fact'] }, 'ABCDE'],
        [{ memory_types: ['rule'] }, ''],
        [{ filter_agent_id: 'ben' }, 'C'],
        [{ filter_agent_id: 'nobody' }, ''],
        [{ fleet_ids: ['blue'] }, 'BE'],
        [{ fleet_ids: ['red', 'blue'] }, 'ABCDE'],
        [{ fleet_ids: ['green'] }, ''],
        [{ run_id: 'one' }, 'A'],
        [{ run_id: 'nothing' }, ''],
        [{ statuses: ['confirmed'] }, 'C'],
        [{ statuses: ['pending', 'active'], fleet_ids: ['blue'] }, 'BE'],
        [{ valid_at: '2024-01-01T00:00:00Z' }, 'ABCD'],
        [{ valid_at: '2024-06-01T02:00:00+02:00' }, 'ABCD'],
        [{ valid_at: '2025-01-01T00:00:00Z' }, 'ABC'],
        [{ valid_at: '2023-12-31T23:59:59.999Z' }, 'ABC'],
        [{ valid_at: '2026-02-01T00:00:00Z', fleet_ids: ['blue'] }, 'BE'],
        [{ metadata_filter: { env: 'prod' } }, 'A'],
        [{ metadata_filter: { env: 'prod', tries: 3, ok: false, note: null } }, 'A'],
        [{ metadata_filter: { env: 'prod', tries: 4 } }, ''],
        [{ metadata_filter: { tries: '3' } }, ''],
        [{ metadata_filter: { one: '1' } }, 'A'],
        [{ metadata_filter: { one: 1 } }, ''],
        [{ metadata_filter: { tags: 'x' } }, 'A'],
        [{ metadata_filter: { tags: ['x'] } }, 'A'],
        [{ metadata_filter: { tags: ['none', 'x'] } }, 'A'],
        [{ metadata_filter: { tags: ['none', 1] } }, ''],
        [{ metadata_filter: { tags: 'X' } }, ''],
        [{ metadata_filter: { tags: null } }, ''],
        [{ metadata_filter: { env: ['prod', 'test'] }, fleet_ids: ['red', 'blue'] }, 'AB'],
        [{ metadata_filter: { env: ['prod', 'test'], tries: [3, 5] }, fleet_ids: ['red', 'blue'] }, 'A'],
        [{ metadata_filter: { note: [null, 1] } }, 'A'],
        [{ metadata_filter: { mixed: 2 } }, 'A'],
        [{ metadata_filter: { mixed: '2' } }, ''],
        [{ metadata_filter: { mixed: [true, 'c'] } }, 'A'],
        [{ metadata_filter: { mixed: 'within' } }, ''],
        [{ metadata_filter: { 'deep.env': 'prod' } }, ''],
        [{ metadata_filter: { missing: null } }, ''],
        [{ metadata_filter: { ok: true }, fleet_ids: ['blue'] }, 'B'],
        [{ metadata_filter: {} }, 'ABCDE'],
        [{ metadata_filter: JSON.parse('{"__proto__": "x"}') as object }, ''],
        [{ run_id: 'one', filter_agent_id: 'ben' }, ''],
        [{ filter: { 'metadata.env': 'prod' } }, 'A'],
        [{ filter: { 'metadata.tries': { gte: 4 } } }, 'B'],
        [{ filter: { 'metadata.tries': { gt: 2, lt: 4 } } }, 'A'],
        [{ filter: { 'metadata.env': { in: ['test', 'none'] } } }, 'B'],
        [{ filter: { 'metadata.tags': 'y' } }, 'A'],
        [{ filter: { not: { 'metadata.env': 'prod' } } }, 'BCDE'],
        [{ filter: { 'metadata.env': { exists: false } } }, 'CDE'],
        [{ filter: { 'metadata.note': { exists: true } } }, ''],
        [{ filter: { 'metadata.note': null } }, 'A'],
        [{ filter: { 'metadata.note': { in: [null, 1] } } }, 'A'],
        [{ filter: { 'metadata.deep': { exists: true } } }, 'A'],
        [{ filter: { or: [{ run_id: 'two' }, { 'metadata.ok': true }] } }, 'BC'],
        [{ filter: { and: [{ fleet_id: 'blue' }, { not: { 'metadata.ok': true } }] } }, 'E'],
        [{ filter: { or: [{ agent_id: 'ben' }, { memory_type: 'decision' }] } }, 'AC'],
        [{ filter: { memory_type: { in: ['semantic', 'plan'] } } }, 'BCDE'],
        [{ filter: { not: { status: { in: ['pending', 'confirmed'] } } } }, 'ADE'],
        [{ filter: { status: 'deleted' } }, ''],
        [{ filter: { valid_at: '2024-06-01' } }, 'ABCD'],
        [{ filter: { ts_valid_start: { lt: '2026-01-01T01:00:00+01:00' } } }, 'D'],
        [{ filter: { ts_valid_start: { lte: '2026-01-01T01:00:00+01:00' } } }, 'DE'],
        [{ filter: { ts_valid_end: { exists: true } } }, 'D'],
        [{ filter: { created_at: { gt: '2020-01-01' } } }, 'ABCDE'],
        [{ filter: { tags: { exists: true } } }, ''],
        [{ filter: { 'metadata.env': 'prod' }, metadata_filter: { tries: 4 } }, ''],
        [{ filter: { 'metadata.tries': { exists: true } }, metadata_filter: { tries: 4 } }, 'B'],
        [{ filter: { not: { run_id: 'one' } }, filter_agent_id: 'ben' }, 'C'],
      ]
      for (const [fields, expected] of cases)
        it(`by ${JSON.stringify(fields)} to ${expected || 'nothing'}`, async () =>
          expect(await found(fields)).to.equal(expected))

      it('by instants of creation, both exclusive', async () => {
        const [first, , third] = rows
        expect(await found({ created_after: first!.created_at })).to.equal('BCDE')
        expect(await found({ created_before: third!.created_at })).to.equal('AB')
        expect(await found({ created_after: first!.created_at, created_before: third!.created_at })).to.equal('B')
      })

      it('by the entities of a memory', async () => {
        const made = await caller.memories
          .create({ content: 'fox F of the Blue Bridge', entity_links: [{ name: 'Blue Bridge' }], run_id: 'F' })
          .ok()
        if (indexed) await settled(service())
        const [link] = made.entity_links
        const contents = (filter: object) => caller.memories.recallContents('fox', { filter })
        expect(await contents({ entity_id: link!.entity_id })).to.deep.equal([made.content])
        expect(await contents({ not: { entity_id: link!.entity_id } })).to.have.length(5)
        expect(await contents({ and: [{ run_id: 'F' }, { entity_id: { exists: false } }] })).to.deep.equal([])
        const otherTenant = await newTenant(service()).caller({ trust: 3 })
        expect(
          await otherTenant.memories.recallContents('fox', { filter: { entity_id: link!.entity_id } }),
        ).to.deep.equal([])
        await caller.memories.delete(made.id)
      })

      it('to the best top_k', async () => {
        const all = await caller.memories.recall('fox').ok()
        const two = await caller.memories.recall('fox', { top_k: 2 }).ok()
        expect(two.memories.map(({ id }) => id)).to.deep.equal(all.memories.slice(0, 2).map(({ id }) => id))
        expect(two.memory_count).to.equal(2)
      })

      it('to the best top_k of the visible memories; others do not count', async () => {
        const ben = await tenant.caller({ agentId: 'ben', fleetId: 'blue' })
        const hidden = [...Array(20).keys()].map((i) => `The zebra sleeps behind the old mill, ${i}.`)
        await ben.memories.createMany(hidden.map((content) => ({ content, visibility: 'scope_agent' })))
        const [own] = await remember('A zebra.')
        const { memories } = await ana.memories.recall('zebra behind the old mill', { top_k: 5 }).ok()
        expect(memories.map(({ id }) => id)).to.deep.equal([own!.id])
        expect((await ben.memories.recall('zebra behind the old mill', { top_k: 5 }).ok()).memories).to.have.length(5)
      })

      it('to a similarity of min_score and more', async () => {
        const query = 'fox decision board'
        const all = (await caller.memories.recall(query).ok()).memories
        for (const { similarity } of all) {
          const above = (await caller.memories.recall(query, { min_score: similarity! }).ok()).memories
          expect(above.map(({ id }) => id)).to.deep.equal(
            all.filter((memory) => memory.similarity! >= similarity!).map(({ id }) => id),
          )
        }
        expect(await caller.memories.recallContents('fox Z', { min_score: 1 })).to.deep.equal([])
      })
    })

    describe('answers', () => {
      it('with the memory record, and scores whose parts multiply to the score', async () => {
        await remember(
          { content: 'The fox lives in the den.', run_id: 'r', entity_links: [{ name: 'Den' }], weight: 0.9 },
          { content: 'The den is deep.', run_id: 'r', memory_type: 'episode' },
          { content: 'A fox.', status: 'confirmed' },
        )
        const { memories, memory_count } = await ana.memories.recall('Which fox lives in the den?').ok()
        expect(memory_count).to.equal(3)
        for (const memory of memories) {
          const { similarity, score, score_parts, ...record } = memory
          const { similarity: _, score: __, score_parts: ___, ...read } = (await ana.memories.get(memory.id)).body
          const counted = { recall_count: 0, last_recalled_at: null }
          expect({ ...record, ...counted }).to.deep.equal({ ...read, ...counted })
          const { vec_sim, fts_score, ...factors } = score_parts!
          expect(Object.values(factors).reduce((a, b) => a * b, 1)).to.be.closeTo(score!, 1e-9)
          expect(Object.keys(factors).sort()).to.deep.equal([
            'base',
            'context_boost',
            'entity_boost',
            'freshness',
            'recall_boost',
            'status_penalty',
            'temporal_boost',
          ])
          expect(similarity).to.be.within(0, 1)
          expect([vec_sim, fts_score].every((part) => part >= 0 && part <= 1.000001)).to.equal(true)
        }
        const scores = memories.map(({ score }) => score!)
        expect(scores).to.deep.equal([...scores].sort((a, b) => b - a))
      })

      it('with a new id, the unchanged query, and no summary without a language model', async () => {
        await remember('The fox.')
        const query = '  Which FOX?\n'
        const first = await ana.memories.recall(query, { include_summary: true }).ok()
        const second = await ana.memories.recall(query).ok()
        expect(first).to.include({ query, summary: null, degraded: null, memory_count: 1 })
        expect(first.recall_ms).to.be.greaterThan(0)
        expect(first.recall_id).to.not.equal(second.recall_id)
        expect(first.memories[0]).to.not.have.property('explanation')
      })

      it('with scores of the present row, whatever changes between two recalls', async () => {
        const [changed] = await remember({ content: 'The fox lives in the den.', weight: 0.5 })
        const recalled = async () => (await ana.memories.recall('fox of the den').ok()).memories[0]!
        const ratio = async (change: () => Promise<unknown>) => {
          const before = (await recalled()).score_parts!
          await change()
          const after = (await recalled()).score_parts!
          return { base: after.base / before.base, status: after.status_penalty / before.status_penalty }
        }
        const heavier = await ratio(() => ana.memories.patch(changed!.id, { weight: 1 }).ok())
        expect(heavier.base).to.be.closeTo(1.1, 1e-9)
        const lighter = await ratio(() => ana.memories.rate(changed!.id, 'failure').ok())
        expect(lighter.base).to.be.closeTo(1.07 / 1.1, 1e-9)
        const older = await ratio(() => setStatus(changed!.id, 'outdated'))
        expect(older.status).to.equal(0.5)
      })

      it('in the same order for a repeated query', async () => {
        await ana.memories.createMany(
          [...Array(40).keys()].map((i) => ({ content: `fox ${i % 2 === 0 ? 'den' : 'wood'} ${i}` })),
        )
        await ready()
        const order = async () =>
          (await ana.memories.recall('fox den', { top_k: 100 }).ok()).memories.map(({ id }) => id)
        const first = await order()
        expect(first).to.have.length(40)
        for (let i = 0; i < 3; i++) expect(await order()).to.deep.equal(first)
      })

      it('with an explanation of each memory on request', async () => {
        await remember({ content: 'The fox lives in the den.', entity_links: [{ name: 'Den' }] }, 'Bread and salt.')
        const { memories } = await ana.memories.recall('fox of the den in the wood', { explain: true }).ok()
        const { legs, matched_terms, matched_entities, neighbours } = memories[0]!.explanation!
        if (indexed) expect(legs).to.have.members(['vector', 'keyword', 'entity'])
        else expect(legs).to.deep.equal(['pending'])
        expect(matched_terms).to.have.members(['fox', 'den'])
        expect(matched_entities).to.deep.equal(['Den'])
        expect(neighbours).to.deep.equal([])
      })

      it('with nothing for a tenant without memories', async () => {
        expect(await ana.memories.recall('fox').ok()).to.include({ memory_count: 0, degraded: null })
      })

      for (const query of [
        'the of and',
        '😀',
        '的',
        '? port',
        'a'.repeat(5_000),
        '🦊'.repeat(5_000),
        'fox '.repeat(1_250),
      ])
        it(`without an error for the query ${query.slice(0, 12)}${query.length > 12 ? '…' : ''}`, async () => {
          await remember('The fox.', 'Bread.')
          expect((await ana.memories.recall(query).ok()).degraded).to.equal(null)
        })

      for (const query of ['?!', '…', '\u200b', '"', '*', '('])
        it(`with what lists memories for the query ${JSON.stringify(query)}, which has no word`, async () => {
          const refused = await ana.memories.recall(query)
          expect([refused.status, JSON.stringify(refused.body)]).to.satisfy(
            ([status, body]: [number, string]) => status === 422 && body.includes('lists memories without a query'),
          )
        })
    })

    describe('counts', () => {
      it('each returned memory, within a moment, and changes nothing else of it', async () => {
        const [fox, bread] = await remember('The fox.', 'Bread and salt.')
        const asked = clock.now()
        for (let i = 0; i < 3; i++) await ana.memories.recall('fox', { top_k: 1 }).ok()
        await until('the public count follows', async () =>
          expect((await ana.memories.get(fox!.id)).body.recall_count).to.equal(3),
        )
        const { body } = await ana.memories.get(fox!.id)
        expect(Date.parse(body.last_recalled_at!)).to.be.within(asked, clock.now())
        expect(body).to.include({ version: 1, updated_at: fox!.updated_at })
        expect((await ana.memories.get(bread!.id)).body).to.include({ recall_count: 0, last_recalled_at: null })
        const { memories } = await ana.memories.recall('fox', { top_k: 1 }).ok()
        expect(memories[0]).to.include({ recall_count: 3 })
        expect(memories[0]!.score_parts!.recall_boost).to.be.closeTo(1.004, 1e-9)
        const byCount = await ana.memories.listAll({ sort: 'recall_count' })
        expect(byCount.map(({ id }) => id)).to.deep.equal([fox!.id, bread!.id])
      })
    })

    describe('refuses', () => {
      const query = 'fox'
      const cases: [what: string, fields: Record<string, unknown>, at: string][] = [
        ['an empty query', { query: '' }, 'body.query'],
        ['a query of white space', { query: ' \n' }, 'body.query'],
        ['a query of 5,001 characters', { query: 'x'.repeat(5_001) }, 'body.query'],
        ['a query that is no text', { query: ['fox'] }, 'body.query'],
        ['U+0000 in the query', { query: 'a\0' }, 'body.query'],
        ['half of a surrogate pair in the query', { query: '\ud83e' }, 'body.query'],
        ['top_k 0', { query, top_k: 0 }, 'body.top_k'],
        ['top_k 101', { query, top_k: 101 }, 'body.top_k'],
        ['top_k 1.5', { query, top_k: 1.5 }, 'body.top_k'],
        ['min_score above 1', { query, min_score: 1.1 }, 'body.min_score'],
        ['min_score below 0', { query, min_score: -0.1 }, 'body.min_score'],
        ['no statuses', { query, statuses: [] }, 'body.statuses'],
        ['the status deleted', { query, statuses: ['active', 'deleted'] }, 'body.statuses.1'],
        ['an unknown status', { query, statuses: ['lost'] }, 'body.statuses.0'],
        ['no types', { query, memory_types: [] }, 'body.memory_types'],
        ['an unknown type', { query, memory_types: ['dream'] }, 'body.memory_types.0'],
        ['no fleets', { query, fleet_ids: [] }, 'body.fleet_ids'],
        ['a malformed fleet', { query, fleet_ids: ['a b'] }, 'body.fleet_ids.0'],
        ['a malformed agent', { query, filter_agent_id: '' }, 'body.filter_agent_id'],
        ['an instant without offset', { query, created_after: '2024-01-01T00:00:00' }, 'body.created_after'],
        ['a day that is none', { query, created_before: '2024-02-30T00:00:00Z' }, 'body.created_before'],
        ['a time that is none', { query, valid_at: 'now' }, 'body.valid_at'],
        [
          '21 equalities',
          { query, metadata_filter: Object.fromEntries([...Array(21).keys()].map((i) => [`k${i}`, i])) },
          'body.metadata_filter',
        ],
        ['an equality with an object', { query, metadata_filter: { a: {} } }, 'body.metadata_filter.a'],
        ['an empty list', { query, metadata_filter: { a: [] } }, 'body.metadata_filter.a'],
        ['a list within a list', { query, metadata_filter: { a: ['b', ['c']] } }, 'body.metadata_filter.a.1'],
        ['an object within a list', { query, metadata_filter: { a: [{}] } }, 'body.metadata_filter.a.0'],
        ['a list of 101 values', { query, metadata_filter: { a: [...Array(101).keys()] } }, 'body.metadata_filter.a'],
        [
          'a value that metadata cannot have',
          { query, metadata_filter: { a: 'x'.repeat(16_380) } },
          'body.metadata_filter.a',
        ],
        ['a filter that is a list', { query, filter: [] }, 'body.filter'],
        ['an empty filter', { query, filter: {} }, 'body.filter'],
        ['a filter by an unknown field', { query, filter: { content: 'fox' } }, 'body.filter.content'],
        ['a filter with an empty list', { query, filter: { tags: { in: [] } } }, 'body.filter.tags.in'],
        ['a bound that is a word', { query, filter: { 'metadata.a': { gt: 'b' } } }, 'body.filter.metadata.a.gt'],
        [
          'a filter deep within another',
          { query, filter: { and: [{ run_id: 'a' }, { not: { status: 'lost' } }] } },
          'body.filter.and.1.not.status',
        ],
        ['U+0000 in a filter', { query, filter: { run_id: 'a\0' } }, 'body.filter.run_id'],
        ['a filter of more than 16 KiB', { query, filter: { run_id: 'x'.repeat(16_384) } }, 'body.filter'],
        ['an unknown field', { query, agent_id: 'ana-7' }, 'body.agent_id'],
        ['explain as text', { query, explain: 'yes' }, 'body.explain'],
      ]
      for (const [what, { query: text, ...fields }, at] of cases)
        it(what, async () => expect(faultsOf(await ana.memories.recall(text as string, fields))).to.deep.equal([at]))
    })
  })
}
