import type { RecallFilter } from '../../domain/recall-filter.js'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Audience, isVisible, VISIBILITIES } from '../../domain/visibility.js'
import type { IndexChange, IndexDocument, SearchIndex, TenantIndex } from '../../search/search-index.js'
import { audienceRanges } from '../../search/audiences.js'
import { blockShape } from '../../search/sqlite/code-blocks.js'
import { createCodeCache } from '../../search/sqlite/code-cache.js'
import { connect, type Connection, wordsOf } from '../../search/sqlite/connection.js'
import { filterCondition } from '../../search/sqlite/filters.js'
import { nearest } from '../../search/sqlite/nearest.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { createVectorCodec } from '../../search/sqlite/vector-codec.js'
import { authoredFleetsOf, document, filter, ids } from './seeds.js'

const DIMENSIONS = 96

describe('sqlite vectors', function () {
  this.timeout(180_000)
  let directory: string
  let index: SearchIndex
  const random = createRandom(7)
  const rows = new Map<string, IndexDocument & { readonly vector: Float32Array }>()
  let seq = 0

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
    index = open()
    await index.make('first')
    await write(Array.from({ length: 9_000 }, (_, i) => [`m${i}`, row(i)]))
  })
  after(async () => {
    await index.stop()
    await rm(directory, { recursive: true, force: true })
  })

  function open(): SearchIndex {
    return createSqliteIndex({
      directory,
      embedderId: 'test/model',
      dimensions: DIMENSIONS,
      generation: '00000001',
    })
  }
  function row(i: number): IndexDocument & { readonly vector: Float32Array } {
    return {
      ...document({
        agentId: `agent${i % 7}`,
        fleetId: i % 5 === 0 ? null : `fleet${i % 5}`,
        visibility: VISIBILITIES[i % 3]!,
        status: i % 11 === 0 ? 'outdated' : 'active',
        runId: `run${i % 300}`,
        terms: [],
      }),
      vector: near(themes[i % themes.length]!, 0.9),
    }
  }
  const themes = Array.from({ length: 40 }, () => gaussian())

  async function write(documents: readonly (readonly [string, (IndexDocument & { vector: Float32Array }) | null])[]) {
    const changes = documents.map(([id, document]): IndexChange => ({ id, seq: ++seq, document }))
    for (const [id, document] of documents) {
      if (document === null) rows.delete(id)
      else rows.set(id, document)
    }
    for (let at = 0; at < changes.length; at += 500) await memories().write(changes.slice(at, at + 500))
  }
  async function openFile(role: 'read' | 'write'): Promise<Connection> {
    const path = (await readdir(directory)).find((name) => /^memories-.*\.sqlite$/.test(name))!
    return connect(join(directory, path), role)
  }
  const memories = (): TenantIndex => index.for('t')

  /** Returns the share of the exactly nearest 50 that the index finds, over some queries. */
  async function recall(fields: Partial<RecallFilter>, passes: (row: IndexDocument) => boolean): Promise<number> {
    let [found, wanted] = [0, 0]
    for (let i = 0; i < 20; i++) {
      const query = near(themes[i]!, 0.7)
      const exact = [...rows]
        .filter(([, row]) => passes(row))
        .map(([id, { vector }]) => ({ id, score: cosine(query, vector) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, 50)
      const answer = await memories().search({ filter: filter(fields), size: 50, vector: { vector: query } })
      const scores = new Map(answer.legs.vector!.map(({ id, score }) => [id, score]))
      for (const hit of answer.legs.vector!) expect(passes(rows.get(hit.id)!), hit.id).to.equal(true)
      expect(scores.size).to.equal(exact.length)
      for (const { id, score } of exact) if (scores.has(id)) expect(scores.get(id)).to.be.closeTo(score, 1e-5)
      found += exact.filter(({ id }) => scores.has(id)).length
      wanted += exact.length
    }
    return found / wanted
  }
  const everything: Audience = { kind: 'shared', agentId: null, fleets: 'all' }
  const all = (row: IndexDocument) => isVisible(everything, row)

  it('find the nearest of thousands, whatever share of them a filter lets pass', async () => {
    const filters: readonly [Partial<RecallFilter>, (row: IndexDocument) => boolean][] = [
      [{}, () => true],
      [{ statuses: ['outdated'] }, ({ status }) => status === 'outdated'],
      [{ agentId: 'agent3' }, ({ agentId }) => agentId === 'agent3'],
      [{ runId: 'run17' }, ({ runId }) => runId === 'run17'],
      [{ fleetIds: ['nobody'] }, () => false],
    ]
    for (const [fields, passes] of filters)
      expect(await recall(fields, (row) => all(row) && passes(row)), JSON.stringify(fields)).to.satisfy(
        (share: number) => Number.isNaN(share) || share >= 0.98,
      )
  })

  it('find the nearest of what each audience sees', async () => {
    const audiences: Audience[] = [
      { kind: 'nobody' },
      { kind: 'own', agentId: 'agent2' },
      { kind: 'shared', agentId: 'agent2', fleets: [] },
      { kind: 'shared', agentId: 'agent4', fleets: ['fleet1', 'fleet3'] },
      { kind: 'shared', agentId: 'stranger', fleets: 'all' },
    ]
    for (const audience of audiences)
      expect(
        await recall({ audience, authoredFleets: authoredFleetsOf(audience, rows.values()) }, (row) =>
          isVisible(audience, row),
        ),
        JSON.stringify(audience),
      ).to.satisfy((share: number) => Number.isNaN(share) || share >= 0.98)
  })

  it('follow rewrites, changes of audience, deletions and late writes, also after a restart', async () => {
    const changed = Array.from({ length: 2_000 }, (_, i) => i * 4)
    await write(changed.slice(0, 800).map((i) => [`m${i}`, null]))
    await write(changed.slice(800).map((i) => [`m${i}`, row(i + 1)]))
    const late = changed.slice(0, 100).map((i): IndexChange => ({ id: `m${i}`, seq: 1, document: row(i) }))
    await memories().write(late)
    expect(await recall({}, all)).to.be.at.least(0.98)
    await write(changed.slice(0, 50).map((i) => [`m${i}`, row(i + 2)]))
    expect(await recall({}, all)).to.be.at.least(0.98)
    await index.stop()
    index = open()
    expect(await recall({}, all)).to.be.at.least(0.98)
  })

  it('are compared together with their codes', async () => {
    const [id, expected] = [...rows].find(([, row]) => all(row))!
    const compared = () => memories().compare([{ id, document: expected, comparesVector: true }])
    expect(await compared()).to.eql(['equal'])
    const file = await openFile('write')
    const block = file.all<[number, Uint8Array]>('select number, codes from code_blocks')
    file.run("update code_blocks set codes = x''")
    expect(await compared()).to.eql(['differs'])
    for (const [number, codes] of block) file.run('update code_blocks set codes = ? where number = ?', [codes, number])
    file.close()
    expect(await compared()).to.eql(['equal'])
    const ofNobody = index.for('nobody').compare([{ id, document: expected, comparesVector: true }])
    expect(await ofNobody).to.eql(['missing'])
  })

  it('leave no code of a document that is deleted, or that has no vector any more', async () => {
    const leaving = index.for('leaving')
    const written = (i: number, vector: Float32Array | null) => ({ id: `m${i}`, document: document({ vector }) })
    const vectors = Array.from({ length: 3 }, (_, i) => near(themes[i]!, 0.1))
    await leaving.write(vectors.map((vector, i) => ({ ...written(i, vector), seq: i + 1 })))
    const file = await openFile('read')
    const { slotWords } = blockShape(createVectorCodec(DIMENSIONS))
    /** Returns how many codes there are. */
    const codes = () =>
      file
        .all<[Uint8Array]>(
          "select b.codes from code_blocks b join tenants t on t.number = b.tenant where t.tenant = 'leaving'",
        )
        .map(([bytes]) => wordsOf(bytes).filter((word, i) => word !== 0 && i % slotWords === slotWords - 1).length)
    expect(codes()).to.eql([3])
    await leaving.write([{ id: 'm2', seq: 4, document: null }])
    expect(codes()).to.eql([2])
    await leaving.write([{ ...written(1, null), seq: 5 }])
    expect(codes()).to.eql([1])
    await leaving.write([{ id: 'm0', seq: 6, document: null }])
    expect(codes()).to.eql([0])
    file.close()
  })

  it('are stored together with their documents or not at all', async () => {
    const tenant = index.for('together')
    const change: IndexChange = { id: 'one', seq: 1, document: document({ vector: near(themes[0]!, 0.1) }) }
    const file = await openFile('write')
    file.exec("create trigger refuse before insert on code_blocks begin select raise(abort, 'refused'); end")
    try {
      expect(await tenant.write([change]).catch(() => 'failed')).to.equal('failed')
    } finally {
      file.exec('drop trigger refuse')
      file.close()
    }
    expect(await tenant.count()).to.equal(0)
    await tenant.write([change])
    const answer = await tenant.search({ filter: filter(), size: 50, vector: { vector: themes[0]! } })
    expect(ids(answer, 'vector')).to.eql(['one'])
  })

  it('stay those of a document whose change is refused', async () => {
    const tenant = index.for('refusing')
    const kept = document({ vector: near(themes[0]!, 0.1) })
    await tenant.write([{ id: 'one', seq: 1, document: kept }])
    const refused = { ...kept, vector: near(themes[1]!, 0.1), status: null as never }
    const [outcome] = await tenant.write([{ id: 'one', seq: 2, document: refused }])
    expect(outcome!.outcome).to.equal('refused')
    expect(await tenant.compare([{ id: 'one', document: kept, comparesVector: true }])).to.eql(['equal'])
  })

  it('of hidden documents are not compared, so that they cost nothing and take no place', async () => {
    const tenant = index.for('hiding')
    const of = (id: string, i: number, fields: Partial<IndexDocument>): IndexChange => ({
      id: `${id}${i}`,
      seq: i + 1,
      document: document({ terms: [], visibility: 'scope_agent', ...fields }),
    })
    await tenant.write(
      Array.from({ length: 1_000 }, (_, i) => of('hidden', i, { agentId: 'bob', vector: near(themes[0]!, 0.01) })),
    )
    await tenant.write(
      Array.from({ length: 20 }, (_, i) => of('seen', i, { agentId: 'ana', vector: near(themes[0]!, 0.9) })),
    )
    const audience: Audience = { kind: 'shared', agentId: 'ana', fleets: [] }
    const file = await openFile('read')
    const [[number]] = file.all<[number]>(`select number from tenants where tenant = 'hiding'`) as [[number]]
    const compared: number[] = []
    const connection: Connection = {
      ...file,
      all: (sql, binds = []) => {
        for (const bind of binds) if (typeof bind === 'string' && /^\[\d/.test(bind)) compared.push(countOf(bind))
        return file.all(sql, binds)
      },
    }
    const hits = nearest(
      {
        connection,
        corpus: 'memories',
        codes: createCodeCache(),
        shape: blockShape(createVectorCodec(DIMENSIONS)),
        filterMs: 0,
        isConditional: false,
        passing: () => [],
        tenant: number,
        audience,
        elsewhere: [],
        ranges: audienceRanges(audience, []),
        filter: filterCondition(number, filter({ audience })),
        size: 50,
      },
      themes[0]!,
    )
    expect(hits.map(({ id }) => id)).to.have.members(Array.from({ length: 20 }, (_, i) => `seen${i}`))
    // The candidates, and those of them that pass the filter.
    expect(compared).to.eql([20, 20])
    file.close()
  })
  const countOf = (list: string) => (JSON.parse(list) as unknown[]).length

  it('that are all equal are found, as many as requested', async () => {
    const equal = index.for('equal')
    const vector = near(themes[0]!, 0.1)
    for (let at = 0; at < 20_000; at += 1_000)
      await equal.write(
        Array.from({ length: 1_000 }, (_, i) => ({
          id: `e${at + i}`,
          seq: at + i + 1,
          document: document({ terms: [], vector, agentId: at + i === 19_999 ? 'last' : 'alice' }),
        })),
      )
    const search = (fields: Partial<RecallFilter>, size: number) =>
      equal.search({ filter: filter(fields), size, vector: { vector } })
    const many = await search({}, 4_096)
    expect(new Set(ids(many, 'vector')).size).to.equal(4_096)
    for (const { score } of many.legs.vector!) expect(score).to.be.closeTo(1, 1e-5)
    expect(ids(await search({ agentId: 'last' }, 50), 'vector')).to.eql(['e19999'])
  })

  it('of a tenant are never read for another', async () => {
    const other = index.for('other')
    await other.write([{ id: 'one', seq: 1, document: document({ vector: near(themes[0]!, 0.5) }) }])
    const answer = await other.search({ filter: filter(), size: 50, vector: { vector: themes[0]! } })
    expect(ids(answer, 'vector')).to.eql(['one'])
  })

  function gaussian(): Float32Array {
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
    return toUnit(Float32Array.from({ length: DIMENSIONS }, normal))
  }
  function near(theme: Float32Array, noise: number): Float32Array {
    const away = gaussian()
    return toUnit(theme.map((value, i) => value + noise * away[i]!))
  }
})

describe('the cache of vector codes', () => {
  it('has 96 MiB at most: the tenants that were searched last', () => {
    const codes = new Uint8Array(16 * 2 ** 20)
    const read: number[] = []
    const connection = {
      all: (sql: string, [tenant]: readonly number[]) => {
        if (sql.includes('codes_version')) return [[1]]
        read.push(tenant! / 2 ** 32)
        return [[0, codes]]
      },
    } as unknown as Connection
    const cache = createCodeCache()
    const search = (tenant: number) => cache.read(connection, 'memories', tenant)
    for (const tenant of [1, 2, 3, 4, 5, 1, 6, 1]) search(tenant)
    expect(read).to.eql([1, 2, 3, 4, 5, 6])
    search(2)
    expect(read).to.eql([1, 2, 3, 4, 5, 6, 2])
  })
})

describe('vector codes', () => {
  it('have a sign for each of any number of dimensions, all of which differ for the opposite vector', () => {
    const random = createRandom(3)
    for (const dimensions of [1, 2, 3, 8, 31, 33, 100, 256, 384, 1536]) {
      const codec = createVectorCodec(dimensions)
      const vector = toUnit(Float32Array.from({ length: dimensions }, () => random() - 0.5))
      const { signs } = codec.query(vector)
      expect(signs).to.have.length(Math.ceil(dimensions / 32))
      expect(codec.encode(vector).subarray(0, signs.length), `${dimensions}`).to.eql(signs)
      const opposite = codec.encode(vector.map((value) => -value))
      for (let i = 0; i < dimensions; i++)
        expect(((opposite[i >> 5]! ^ signs[i >> 5]!) >>> (i & 31)) & 1, `${dimensions}`).to.equal(1)
    }
  })

  it('do not depend on the length of a vector', () => {
    const codec = createVectorCodec(64)
    const random = createRandom(5)
    const vector = Float32Array.from({ length: 64 }, () => random() - 0.5)
    expect(codec.encode(vector.map((value) => value * 1000))).to.eql(codec.encode(vector))
  })
})

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

function toUnit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Returns numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}
