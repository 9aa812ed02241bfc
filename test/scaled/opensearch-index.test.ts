import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Audience } from '../../domain/visibility.js'
import type { Clock } from '../../runtime/clock.js'
import { UnavailableError } from '../../runtime/errors.js'
import { documentKey } from '../../search/opensearch/keywords.js'
import { createOpenSearchIndex } from '../../search/opensearch/opensearch-index.js'
import { RememberedCounts } from '../../search/opensearch/remembered-counts.js'
import { planSearch } from '../../search/opensearch/search-bodies.js'
import { vectorColumns } from '../../search/opensearch/vector-columns.js'
import type { IndexDocument, SearchIndex, TenantIndex } from '../../search/search-index.js'
import { DIMENSIONS, changes, document, filter, unit } from '../search/seeds.js'
import { createMovingClock } from '../support/moving-clock.js'
import { runCairn } from '../support/processes.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

/** A row of `_cat/segments`. */
interface CatSegment {
  readonly shard: string
  readonly prirep: 'p' | 'r'
  readonly searchable: 'true' | 'false'
}

scaled('opensearch', ({ opensearch: url }) => {
  describe('opensearch index', () => {
    const prefix = `test-${randomBytes(6).toString('hex')}`
    const opened: SearchIndex[] = []
    const open = (generation = '00000001', clock?: Clock) => {
      const index = createOpenSearchIndex({
        url,
        prefix,
        embedderId: 'raced/model',
        dimensions: DIMENSIONS,
        generation,
        timeoutMs: 20_000,
        clock,
      })
      opened.push(index)
      return index
    }
    after(async () => {
      await Promise.all(opened.map((index) => index.stop()))
      await fetch(`${url}/${prefix}-*`, { method: 'DELETE' })
    })

    /** Returns a function that writes so many new documents with these fields. */
    const writerOf = (tenant: TenantIndex) => {
      let seq = 0
      return (count: number, fields: Partial<IndexDocument>) =>
        tenant.write(Array.from({ length: count }, () => ({ id: `m${++seq}`, seq, document: document(fields) })))
    }

    it('is created once for each corpus by many processes that start at once, and all of them can write', async () => {
      const indices = Array.from({ length: 8 }, () => open())
      await Promise.all(indices.map((index) => index.make('first')))
      expect(await indices[0]!.marks()).to.deep.equal(Array(4).fill('first'))
      const outcomes = await Promise.all(
        indices.map((index, i) => index.for('t').write([{ id: `m${i}`, seq: i + 1, document: document() }])),
      )
      expect(outcomes.flat().every(({ outcome }) => outcome === 'written')).to.equal(true)
      expect((await indices[0]!.describe()).documents).to.equal(8)
      const made = (await (await fetch(`${url}/_cat/indices/${prefix}-*?format=json`)).json()) as { index: string }[]
      expect(made.map(({ index }) => index.split('-')[2]).sort()).to.eql(['documents', 'memories'])
    })

    it('keeps few segments, each of which a recall searches: seven batches of one tenant leave at most four', async () => {
      // An index of its own, in which the engine's default would merge nothing yet.
      const index = open('00000002')
      await index.make('first')
      for (let seq = 1; seq < 8; seq++) await index.for('merged').write([{ id: `m${seq}`, seq, document: document() }])
      const { name } = await index.describe()
      await until('each shard has four segments or fewer', async () => {
        const answer = await fetch(`${url}/_cat/segments/${name}?format=json`)
        const segments = ((await answer.json()) as CatSegment[]).filter(
          ({ prirep, searchable }) => prirep === 'p' && searchable === 'true',
        )
        const counts = ['0', '1'].map((shard) => segments.filter((segment) => segment.shard === shard).length)
        return counts.every((count) => count > 0 && count <= 4)
      })
    })

    it('has a vector in every document, and never finds a placeholder, even by its own', async () => {
      const index = open('00000004')
      await index.make('first')
      expect(await index.remark(['first'], 'second')).to.equal(true)
      const tenant = index.for('lacking')
      const stored = { plain: document({ vector: unit(1) }), none: document({ vector: null }) }
      await tenant.write([
        { id: 'plain', seq: 1, document: stored.plain },
        { id: 'none', seq: 2, document: stored.none },
        { id: 'gone', seq: 3, document: null },
      ])
      const { name } = await index.describe()
      const counted = await fetch(`${url}/${name}/_search?size=0`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          track_total_hits: true,
          aggs: {
            with: { filter: { exists: { field: 'vector' } } },
            lacking: { filter: { term: { lacks_vector: true } } },
          },
        }),
      })
      const { hits, aggregations } = (await counted.json()) as {
        hits: { total: { value: number } }
        aggregations: { with: { doc_count: number }; lacking: { doc_count: number } }
      }
      // Three documents, and on each of two shards a mark and its origin.
      expect(hits.total.value).to.equal(7)
      expect(aggregations.with.doc_count).to.equal(7)
      expect(aggregations.lacking.doc_count).to.equal(6)
      for (const key of [documentKey('lacking', 'none'), documentKey('lacking', 'gone'), '#mark:r0', '#origin:r0']) {
        const { vector } = vectorColumns(null, key, DIMENSIONS)
        const request = { filter: filter(), size: 10, vector: { vector: Float32Array.from(vector) } }
        expect((await tenant.search(request)).legs.vector!.map(({ id }) => id)).to.deep.equal(['plain'])
      }
      const compare = (vector: Float32Array | null) =>
        tenant.compare([{ id: 'none', document: { ...stored.none, vector }, comparesVector: true }])
      expect(await compare(null)).to.deep.equal(['equal'])
      expect(await compare(unit(1))).to.deep.equal(['differs'])
      const placeholder = vectorColumns(null, documentKey('lacking', 'none'), DIMENSIONS).vector
      expect(await compare(Float32Array.from(placeholder))).to.deep.equal(['differs'])
    })

    it('counts frequencies over the rows that have one of the terms, and looks at no other', async () => {
      const index = open('00000005')
      await index.make('first')
      const rows = ['fox', 'den', 'fox', 'sea', 'oak', 'elm'].map((term) => document({ terms: [term, 'common'] }))
      const write = (tenantId: string) =>
        index.for(tenantId).write(rows.map((row, i) => ({ id: `m${i}`, seq: i + 1, document: row })))
      for (const tenantId of ['counted', 'other', 'third']) await write(tenantId)
      const request = { filter: filter(), size: 5, keyword: { terms: ['fox'] }, frequenciesOf: ['fox', 'den'] }
      const { statistics } = await index.for('counted').search(request)
      expect(Object.fromEntries(statistics!.frequency)).to.deep.equal({ fox: 2, den: 1 })
      const { lines, parts } = planSearch('counted', request, 1_000, new RememberedCounts())
      const body = lines[2 * parts.indexOf('frequencies') + 1]
      const { name } = await index.describe()
      const answer = await fetch(`${url}/${name}/_search?request_cache=false`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, profile: true }),
      })
      const { profile } = (await answer.json()) as {
        profile: { shards: { aggregations: { breakdown: { collect_count: number } }[] }[] }
      }
      const looked = profile.shards.map(({ aggregations: [aggregation] }) => aggregation?.breakdown.collect_count ?? 0)
      expect(looked.reduce((sum, count) => sum + count, 0)).to.equal(3)
    })

    it('counts a term that 200 documents of an audience have once a minute, and any other at every search', async () => {
      const clock = createMovingClock()
      const index = open('00000006', clock)
      await index.make('first')
      const tenant = index.for('common')
      const write = writerOf(tenant)
      const frequencies = async (audience: Audience) => {
        const request = {
          filter: filter({ audience }),
          size: 5,
          keyword: { terms: ['fox'] },
          frequenciesOf: ['fox', 'den'],
        }
        return Object.fromEntries((await tenant.search(request)).statistics!.frequency)
      }
      const [ana, ben] = ['ana', 'ben'].map((agentId) => ({ kind: 'shared', agentId, fleets: ['red'] }) as const)
      await write(200, { terms: ['fox'] })
      await write(210, { terms: ['den'], visibility: 'scope_agent', agentId: 'ana' })
      await write(220, { terms: ['den'], visibility: 'scope_team', fleetId: 'blue' })
      const ofBlue = { kind: 'shared', agentId: 'carl', fleets: ['blue'] } as const
      for (let time = 0; time < 2; time++) {
        expect(await frequencies(ana!)).to.deep.equal({ fox: 200, den: 210 })
        expect(await frequencies(ofBlue)).to.deep.equal({ fox: 200, den: 220 })
        // What is remembered was counted for those who read these documents, and for no others.
        expect(await frequencies(ben!)).to.deep.equal({ fox: 200, den: 0 })
        expect(await frequencies({ kind: 'own', agentId: 'ana' })).to.deep.equal({ fox: 0, den: 210 })
        expect(await frequencies({ ...ben!, fleets: ['red', 'green'] })).to.deep.equal({ fox: 200, den: 0 })
        expect(await frequencies({ ...ben!, fleets: 'all' })).to.deep.equal({ fox: 200, den: 220 })
        expect(await frequencies({ kind: 'nobody' })).to.deep.equal({ fox: 0, den: 0 })
        const other = {
          filter: filter({ audience: ana! }),
          size: 5,
          keyword: { terms: ['fox'] },
          frequenciesOf: ['fox'],
        }
        expect((await index.for('another').search(other)).statistics!.frequency.get('fox')).to.equal(0)
      }
      await write(1, { terms: ['fox', 'den'] })
      expect(await frequencies(ana!)).to.deep.equal({ fox: 200, den: 211 })
      expect(await frequencies(ben!)).to.deep.equal({ fox: 200, den: 1 })
      clock.advance(60_001)
      expect(await frequencies(ben!)).to.deep.equal({ fox: 201, den: 1 })
    })

    it('counts the documents of an audience at every search below 5,000, and from there on once in ten seconds', async () => {
      let now = Date.now()
      const index = open('00000007', { now: () => now })
      await index.make('first')
      const tenant = index.for('counted')
      const write = writerOf(tenant)
      const totals = async (audience: Audience) => {
        const request = { filter: filter({ audience }), size: 5, keyword: { terms: ['fox'] }, frequenciesOf: ['fox'] }
        const { documents, averageLength } = (await tenant.search(request)).statistics!
        return [documents, Math.round(documents * averageLength)]
      }
      const [ana, ben] = ['ana', 'ben'].map((agentId) => ({ kind: 'shared', agentId, fleets: ['red'] }) as const)
      await write(5_000, { terms: ['a', 'b', 'c'], agentId: 'ana' })
      await write(2, { terms: ['a'], visibility: 'scope_agent', agentId: 'ana' })
      await write(3, { terms: ['a', 'b'], visibility: 'scope_team', fleetId: 'red', agentId: 'ben' })
      await write(4, { terms: ['a', 'b'], visibility: 'scope_team', fleetId: 'blue' })
      await write(5, { terms: ['a', 'b'], visibility: 'scope_team', fleetId: null })
      const checkAll = async (more: number) => {
        expect(await totals(ana!)).to.deep.equal([5_010, 15_018])
        expect(await totals(ben!)).to.deep.equal([5_008 + more, 15_016 + more])
        expect(await totals({ ...ben!, fleets: ['red', 'blue'] })).to.deep.equal([5_012 + more, 15_024 + more])
        expect(await totals({ ...ben!, fleets: 'all' })).to.deep.equal([5_012 + more, 15_024 + more])
        expect(await totals({ kind: 'own', agentId: 'ana' })).to.deep.equal([5_002, 15_002])
        expect(await totals({ kind: 'own', agentId: 'ben' })).to.deep.equal([3 + more, 6 + more])
        expect(await totals({ kind: 'nobody' })).to.deep.equal([0, 0])
      }
      for (let time = 0; time < 2; time++) await checkAll(0)
      await write(1, { terms: ['a'], agentId: null })
      await write(1, { terms: ['a'], visibility: 'scope_agent', agentId: 'ben' })
      await checkAll(1)
      now += 10_001
      expect(await totals(ana!)).to.deep.equal([5_011, 15_019])
    })

    it('counts segments below 64 MB as equally small, and lets a refresh wait a second for their merge', async () => {
      const index = open('00000003')
      await index.make('first')
      const { name } = await index.describe()
      const answer = await fetch(`${url}/${name}/_settings?flat_settings`)
      const { settings } = Object.values(
        (await answer.json()) as Record<string, { settings: Record<string, string> }>,
      )[0]!
      expect(settings).to.include({
        'index.merge.policy.floor_segment': '64mb',
        'index.merge_on_flush.max_full_flush_merge_wait_time': '1s',
      })
    })

    it('of a lower version is deleted with the removal of the new one', async () => {
      const index = open()
      await index.make('first')
      const older = (await index.describe()).name.replace(/-v\d+$/, '-v1-index')
      await fetch(`${url}/${older}`, { method: 'PUT' })
      await index.remove()
      expect((await fetch(`${url}/${older}`, { method: 'HEAD' })).status).to.equal(404)
    })

    for (const [what, id] of [
      ['the mark', '#mark:r0'],
      ['what the mark stands beside, as when everything but the mark was deleted,', '#origin:r0'],
    ] as const)
      it(`that lost ${what} of a shard has no mark there, and gets none`, async () => {
        const index = open()
        await index.make('first')
        const { name } = await index.describe()
        await fetch(`${url}/${name}/_delete_by_query?refresh=true`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ query: { terms: { _id: [id] } } }),
        })
        expect((await index.marks())!.filter((mark) => mark === '')).to.have.length(1)
        expect(await index.remark(['first'], 'second')).to.equal(false)
      })

    it('of which a shard is on no node for now is neither missing nor smaller: nobody can tell', async () => {
      const index = open()
      await index.make('first')
      const { name } = await index.describe()
      const marks = await index.marks()
      const tell = async (method: string, path: string, body: object) => {
        const headers = { 'content-type': 'application/json' }
        const answer = await fetch(`${url}/${path}`, { method, headers, body: JSON.stringify(body) })
        expect(answer.ok, await answer.text()).to.equal(true)
      }
      const shards = await fetch(`${url}/_cat/shards/${name}?format=json&h=index,node`)
      const [shard] = (await shards.json()) as { index: string; node: string }[]
      const allocate = (enable: 'none' | null) =>
        tell('PUT', `${shard!.index}/_settings`, { 'index.routing.allocation.enable': enable })
      await allocate('none')
      const cancel = { index: shard!.index, shard: 0, node: shard!.node, allow_primary: true }
      await tell('POST', '_cluster/reroute', { commands: [{ cancel }] })
      for (const call of [() => index.marks(), () => index.describe()])
        await until('the shard is on no node', async () =>
          expect(await call().catch((error: unknown) => error)).to.include({
            name: 'UnavailableError',
            reason: 'unreachable',
          }),
        )
      await allocate(null)
      await fetch(`${url}/_cluster/health/${shard!.index}?wait_for_status=yellow&timeout=60s`)
      expect([...(await index.marks())!].sort()).to.deep.equal([...marks!].sort())
    })

    it('that takes no writes reports why, still answers, and continues when it is writable', async () => {
      const index = open()
      await index.make('first')
      await index.for('t').write(changes({ a: {} }))
      const block = (name: string, value: true | null) =>
        fetch(`${url}/${prefix}-*/_settings`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ [`index.blocks.${name}`]: value }),
        })
      const doctor = () =>
        runCairn(['doctor'], {
          env: { OPENSEARCH_URL: url, OPENSEARCH_INDEX_PREFIX: prefix, CAIRN_URL: 'http://127.0.0.1:1' },
        })
      for (const [name, reason, advice] of [
        ['write', 'read_only', /takes no writes .*set index\.blocks\.write/],
        // The engine itself sets this very block beyond the flood stage.
        ['read_only_allow_delete', 'disk_full', /flood stage.*free space/],
      ] as const) {
        await block(name, true)
        const refused: unknown = await index
          .for('t')
          .write([{ id: 'b', seq: 9, document: document() }])
          .catch((error: unknown) => error)
        expect(refused).to.include({ name: 'UnavailableError', dependency: 'search', reason })
        expect(await index.health()).to.have.property('reason', reason)
        expect(await index.for('t').countOf(['a'])).to.equal(1)
        const { code, stdout } = await doctor()
        expect([code, advice.test(stdout)], stdout).to.deep.equal([1, true])
        await block(name, null)
        expect(await index.health()).to.equal(null)
      }
      expect((await index.for('t').write([{ id: 'b', seq: 9, document: document() }]))[0]!.outcome).to.equal('written')
    })

    it('that was deleted is an outage for searches and writes, never created again by a write', async () => {
      const index = open()
      await index.make('first')
      await fetch(`${url}/${prefix}-*`, { method: 'DELETE' })
      const failures = [
        await index
          .for('t')
          .write(changes({ a: {} }))
          .catch((error: unknown) => error),
        await index
          .for('t')
          .search({ filter: filter(), size: 1, keyword: { terms: ['word'] } })
          .catch((error: unknown) => error),
      ]
      for (const failure of failures) expect(failure).to.be.instanceOf(UnavailableError)
      expect(await index.health()).to.have.property('reason')
      const left: unknown = await (await fetch(`${url}/_cat/indices/${prefix}-*?format=json`)).json()
      expect(left).to.eql([])
      expect(await index.marks()).to.equal(null)
    })
  })
})
