import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import Database from 'libsql'
import { type Audience, isVisible, VISIBILITIES } from '../../domain/visibility.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { SearchIndex } from '../../search/search-index.js'
import { connect } from '../../search/sqlite/connection.js'
import { filterCondition } from '../../search/sqlite/filters.js'
import { createSqliteIndex } from '../../search/sqlite/sqlite-index.js'
import { matchAny, tokenOf } from '../../search/sqlite/by-keyword.js'
import { authoredFleetsOf, DIMENSIONS, EVERY_CONDITION, changes, document, filter, ids, unit } from './seeds.js'
import { inTime } from '../support/states.js'

describe('sqlite file', () => {
  let directory: string
  const opened: SearchIndex[] = []

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
  })
  afterEach(async () => {
    for (const index of opened.splice(0)) await index.stop()
    await rm(directory, { recursive: true, force: true })
  })

  function create(): SearchIndex {
    const index = createSqliteIndex({
      directory,
      embedderId: 'test/model',
      dimensions: DIMENSIONS,
      generation: '00000001',
    })
    opened.push(index)
    return index
  }
  async function madeWithOne(): Promise<string> {
    const index = create()
    await index.make('first')
    await index.for('t').write(changes({ kept: { terms: ['word'] } }))
    await index.stop()
    return join(
      directory,
      (await readdir(directory)).find((name) => name.startsWith('memories-') && name.endsWith('.sqlite'))!,
    )
  }
  async function found(index: SearchIndex): Promise<string[]> {
    return ids(await index.for('t').search({ filter: filter(), size: 1000, keyword: { terms: ['word'] } }), 'keyword')
  }
  /** Checks that the index neither answers as if it were empty nor is created anew: its mark is gone. */
  async function expectUnmarked(index = create()): Promise<void> {
    expect(await index.marks()).to.include('')
    expect(await index.remark(['first'], 'second').catch(() => false)).to.equal(false)
    const answer = await index
      .for('t')
      .search({ filter: filter(), size: 1 })
      .catch(() => ({ mark: null }))
    expect(answer.mark).to.equal(null)
  }

  it('of an earlier version is removed with the current one', async () => {
    const path = await madeWithOne()
    await writeFile(path.replace(/-v\d+\./, '-v1.'), 'words')
    await create().remove()
    expect(await readdir(directory)).to.deep.equal([])
  })

  it('has no mark when it is not a database', async () => {
    const path = await madeWithOne()
    await writeFile(path, 'this is not a database at all, whatever its name says'.repeat(100))
    await expectUnmarked()
  })

  it('has no mark when it is another database, which stays unchanged', async () => {
    const path = await madeWithOne()
    await rm(path)
    const foreign = connect(path, 'write')
    foreign.exec('create table meta (other text); create table precious (value text)')
    foreign.close()
    await expectUnmarked()
    expect(connect(path, 'read').all("select name from sqlite_master where name = 'precious'")).to.have.length(1)
  })

  it('accepts no write when its embedder is not that of its name', async () => {
    const path = await madeWithOne()
    const file = connect(path, 'write')
    file.run("update meta set value = 'someone else' where key = 'embedder_id'")
    file.close()
    const failure = await create()
      .for('t')
      .write(changes({ again: {} }))
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(UnavailableError)
  })

  it('is lost when one of its tables is, which the first write finds', async () => {
    const path = await madeWithOne()
    const file = connect(path, 'write')
    file.exec('drop table vectors')
    file.close()
    const index = create()
    expect(await index.marks()).to.deep.equal(['first', 'first'])
    const write = index.for('t').write(changes({ again: {} }))
    expect(await write.catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
    expect(await index.marks()).to.deep.equal(['', 'first'])
  })

  it('is counted by the documents of a tenant, so that those are missed which somebody else deleted', async () => {
    const index = create()
    await index.make('first')
    const word = { terms: ['word'] }
    for (const tenant of ['before', 't', 'after'])
      await index.for(tenant).write(changes({ kept: word, gone: word, lost: word }))
    await index.for('t').write([{ id: 'gone', seq: 1_000_000, document: null }])
    expect(await index.for('t').count()).to.equal(2)
    const path = (await readdir(directory)).find((name) => /^memories-.*\.sqlite$/.test(name))!
    const other = connect(join(directory, path), 'write')
    other.run(
      "delete from documents where id = 'lost' and tenant = (select number from tenants where tenant = 't')",
      [],
    )
    other.close()
    expect(await index.for('t').count()).to.equal(1)
    expect(await index.for('after').count()).to.equal(3)
    expect(await index.for('nobody').count()).to.equal(0)
  })

  it('has no mark any more when it is found corrupt while serving', async () => {
    const path = await madeWithOne()
    const file = connect(path, 'write')
    // A leaf of the full-text index, which a search reads.
    file.run("update postings_data set block = x'ffffffffffffffff' where id > 1000")
    file.close()
    const index = create()
    expect(await index.marks()).to.deep.equal(['first', 'first'])
    expect(await found(index).catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
    expect(await index.health()).to.deep.equal({ reason: 'damaged', detail: 'sqlite: the search file is damaged' })
    expect(await index.marks()).to.deep.equal(['', 'first'])
  })

  it('is unavailable at once, for writes too, when it is removed or truncated while open', async () => {
    const cutOff = async (path: string) => truncate(path, (await stat(path)).size - 1)
    for (const lose of [rm, (path: string) => truncate(path, 0), cutOff]) {
      const path = await madeWithOne()
      const index = create()
      expect(await found(index)).to.deep.equal(['kept'])
      await index.for('t').write([{ id: 'also', seq: 9, document: document({ terms: ['word'] }) }])
      await lose(path)
      expect(await found(index).catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
      const write = index.for('t').write([{ id: 'lost', seq: 10, document: document() }])
      expect(await write.catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
      expect(await index.marks()).to.deep.equal(lose === rm ? null : ['', 'first'])
      await index.remove()
    }
  })

  it('that an older copy replaces is lost while it is open, and has the older mark afterwards', async () => {
    for (const isOpen of [true, false]) {
      const path = await madeWithOne()
      await copyFile(path, `${path}.copy`)
      const index = create()
      expect(await index.remark(['first'], 'second')).to.equal(true)
      if (!isOpen) await index.stop()
      await rename(`${path}.copy`, path)
      const next = isOpen ? index : create()
      expect(await next.remark(['second'], 'third').catch(() => false)).to.equal(false)
      expect((await next.marks())![0]).to.equal(isOpen ? '' : 'first')
      if (isOpen) expect(await found(next).catch((error: unknown) => error)).to.be.instanceOf(UnavailableError)
      else expect((await next.for('t').search({ filter: filter(), size: 1 })).mark).to.equal('first')
      await next.remove()
    }
  })

  it('contains every acknowledged write after its process was killed', async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', join(import.meta.dirname, 'sqlite-writer.ts'), directory],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    const acknowledged: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      acknowledged.push(line)
      if (acknowledged.length === 40) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await inTime('the writer exits', once(child, 'exit'))
    expect(child.signalCode).to.equal('SIGKILL')
    const index = create()
    await index.make('first')
    expect(await found(index)).to.include.members(acknowledged)
    const near = await index.for('t').search({ filter: filter(), size: 1000, vector: { vector: unit(1) } })
    expect(ids(near, 'vector')).to.include.members(acknowledged)
    expect((await index.for('t').write([{ id: 'm0', seq: 10_000, document: document() }]))[0]!.outcome).to.equal(
      'written',
    )
  })

  it('is on the disk when a write is acknowledged, so that a power cut loses none', async () => {
    const file = connect(await madeWithOne(), 'write')
    // 2 is `full`.
    expect(file.all('pragma synchronous')).to.deep.equal([[2]])
    file.close()
  })

  it('answers nothing once it is stopped, and can be stopped twice', async () => {
    const index = create()
    await index.make('first')
    await index.stop()
    await index.stop()
    const error = await found(index).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(UnavailableError)
    expect((await index.health())?.detail).to.contain('stopped')
  })

  it('finishes the queued writes before it stops', async () => {
    const index = create()
    await index.make('first')
    const writing = Array.from({ length: 10 }, (_, i) =>
      index.for('t').write([{ id: `m${i}`, seq: i + 1, document: document({ terms: ['word'] }) }]),
    )
    await index.stop()
    await Promise.all(writing)
    const again = create()
    await again.make('first')
    expect(await found(again)).to.have.length(10)
  })
})

describe('a sqlite connection', () => {
  const { prepare } = Database.prototype
  afterEach(() => {
    Database.prototype.prepare = prepare
  })

  it('keeps the 200 statements prepared that were used last', () => {
    const prepared: string[] = []
    Database.prototype.prepare = function (this: Database.Database, text: string) {
      prepared.push(text)
      return prepare.call(this, text)
    } as typeof prepare
    const connection = connect(':memory:', 'write')
    const ask = (i: number) => expect(connection.all(`select ${i}`)).to.deep.equal([[i]])
    ask(-1)
    for (let i = 0; i < 200; i++) {
      ask(i)
      ask(0)
    }
    expect(prepared).to.have.length(201)
    ask(-1)
    expect(prepared.slice(201)).to.deep.equal(['select -1'])
    connection.close()
  })
})

describe('sqlite statistics', () => {
  let directory: string
  let index: SearchIndex
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cairn-search-'))
    index = createSqliteIndex({ directory, embedderId: 'test/model', dimensions: DIMENSIONS, generation: '00000001' })
    await index.make('first')
  })
  after(async () => {
    await index.stop()
    await rm(directory, { recursive: true, force: true })
  })

  it('are those of the rows that `isVisible` shows, to every audience, after rewrites and tombstones too', async () => {
    const rows = [null, 'alice', 'bob'].flatMap((agentId) =>
      [null, 'red', 'blue', 'reddish'].flatMap((fleetId) =>
        VISIBILITIES.map((visibility) => ({ agentId, fleetId, visibility })),
      ),
    )
    const memories = index.for('t')
    const write = (row: (typeof rows)[number], i: number, seq: number) =>
      memories.write([{ id: `m${i}`, seq, document: document({ ...row, terms: ['word', 'word', `own${i}`] }) }])
    for (const [i] of rows.entries()) await write(rows[(i * 7 + 1) % rows.length]!, i, i + 1)
    for (const [i, row] of rows.entries()) await write(row, i, 1000 + i)
    const gone = rows.findIndex(({ agentId, visibility }) => agentId === 'alice' && visibility === 'scope_agent')
    await memories.write([{ id: `m${gone}`, seq: 5000, document: null }])
    const audiences: Audience[] = [
      { kind: 'nobody' },
      ...['alice', 'bob', 'carol'].map((agentId) => ({ kind: 'own', agentId }) as const),
      ...[null, 'alice', 'carol'].flatMap((agentId) =>
        (['all', [], ['red'], ['red', 'blue', 'red']] as const).map(
          (fleets) => ({ kind: 'shared', agentId, fleets }) as const,
        ),
      ),
    ]
    for (const audience of audiences) {
      const visible = rows.map((row, i) => i !== gone && isVisible(audience, row))
      const count = visible.filter(Boolean).length
      const asked = ['word', ...rows.map((_, i) => `own${i}`)]
      const narrowed = filter({ audience, authoredFleets: authoredFleetsOf(audience, rows) })
      const { statistics } = await memories.search({ filter: narrowed, size: 1, frequenciesOf: asked })
      expect(statistics, JSON.stringify(audience)).to.eql({
        documents: count,
        averageLength: count === 0 ? 0 : 3,
        frequency: new Map([['word', count], ...visible.map((is, i) => [`own${i}`, is ? 1 : 0] as const)]),
      })
    }
  })

  it('keep no word of what was deleted', async () => {
    const memories = index.for('erased')
    await memories.write(changes({ a: { terms: ['unspoken', 'kept'] }, b: { terms: ['kept'] } }))
    await memories.write([{ id: 'a', seq: 10, document: null }])
    const path = (await readdir(directory)).find((name) => /^memories-.*\.sqlite$/.test(name))!
    const file = connect(join(directory, path), 'read')
    const counted = file.all<[string, number]>("select token, documents from frequencies where token like '%_kept'")
    expect(counted.map(([, documents]) => documents)).to.eql([1, 1])
    expect(file.all("select * from frequencies where token like '%unspoken'")).to.eql([])
    file.close()
  })

  it('keep no word of what was deleted once it is expunged, in what a moved row has left in its page either', async () => {
    const memories = index.for('expunged')
    for (let i = 0; i < 200; i++) await memories.write(changes({ [`m${i}`]: { terms: [`kept${i}`, 'kept'] } }))
    await index.expunge()
    const path = (await readdir(directory)).find((name) => /^memories-.*\.sqlite$/.test(name))!
    expect([...plantInPages(join(directory, path), 'unspoken')]).to.have.members([2, 5, 10, 13])
    const text = async () =>
      (await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name), 'latin1')))).join('')
    expect((await text()).includes('unspoken')).to.equal(true)
    await index.expunge()
    expect((await text()).includes('unspoken')).to.equal(false)
    const file = connect(join(directory, path), 'read')
    expect(file.all('pragma integrity_check')).to.deep.equal([['ok']])
    file.close()
    const { legs } = await memories.search({ filter: filter(), size: 1000, keyword: { terms: ['kept'] } })
    expect(legs.keyword).to.have.length(200)
  })
})

/** Bytes of the header of each kind of page of a B-tree. */
const HEADER_BYTES = new Map([
  [2, 12],
  [5, 12],
  [10, 8],
  [13, 8],
])

/** Writes a word between the pointers and the rows of every page of a B-tree that has space there. Returns the kinds of these pages. */
function plantInPages(path: string, word: string): Set<number> {
  const file = new Database(path)
  const pages = file.prepare('select pgno, data from sqlite_dbpage').raw().all() as [number, Uint8Array][]
  const kinds = new Set<number>()
  for (const [page, data] of pages) {
    const bytes = Buffer.from(data)
    const at = page === 1 ? 100 : 0
    const kind = bytes[at]!
    const [begin, end] = [
      at + (HEADER_BYTES.get(kind) ?? 0) + 2 * bytes.readUInt16BE(at + 3),
      bytes.readUInt16BE(at + 5),
    ]
    if (!HEADER_BYTES.has(kind) || end - begin < word.length) continue
    bytes.write(word, begin)
    file.prepare('update sqlite_dbpage set data = ? where pgno = ?').run([bytes, BigInt(page)])
    kinds.add(kind)
  }
  file.close()
  return kinds
}

describe('sqlite statements', () => {
  it('write each (tenant, term) as a token of its own', () => {
    expect(tokenOf(7, 'plain1')).to.equal('7_plain1')
    expect(tokenOf(7, 'a-b')).to.equal('7__612d62')
    const terms = ['ab', 'AB', 'a_b', '_ab', 'a b', '6162', '', 'é', 'e\u0301']
    const tokens = [1, 11].flatMap((tenant) => terms.map((term) => tokenOf(tenant, term)))
    expect(new Set(tokens).size).to.equal(tokens.length)
    for (const token of tokens) expect(token).to.match(/^[a-z0-9_]+$/)
    expect(matchAny(['7_a', '7_b'])).to.equal('"7_a" OR "7_b"')
  })

  it('bind every value of a filter and contain none', () => {
    const condition = filterCondition(3, {
      audience: { kind: 'shared', agentId: "al'ice", fleets: ['red'] },
      ...EVERY_CONDITION,
    })
    expect(condition.sql).to.equal(
      "d.tenant = ? and ((d.visibility = 'scope_org') or (d.agent_id = ?) or " +
        "(d.visibility = 'scope_team' and (d.fleet_id is null or d.fleet_id in (select value from json_each(?))))) and " +
        'd.status in (select value from json_each(?)) and (d.expires_at is null or d.expires_at > ?) and ' +
        'd.memory_type in (select value from json_each(?)) and d.fleet_id in (select value from json_each(?)) and ' +
        'd.agent_id = ? and d.run_id = ? and d.created_at > ? and d.created_at < ? and ' +
        '(d.valid_start is null or d.valid_start <= ?) and (d.valid_end is null or d.valid_end > ?) and ' +
        '(exists (select 1 from document_metadata m where m.document = d.rowid and m.term in (select value from json_each(?))) and ' +
        'exists (select 1 from document_metadata m where m.document = d.rowid and m.term > ? and m.term <= ?) and ' +
        '((exists (select 1 from document_entities e where e.document = d.rowid and e.entity_id in (select value from json_each(?)))) or ' +
        '(exists (select 1 from document_entities e where e.document = d.rowid))) and ' +
        'not (((d.created_at >= ?) is true)) and ((d.run_id in (select value from json_each(?))) is true) and ' +
        'd.valid_start is not null and ' +
        '((d.valid_start is null or d.valid_start <= ?) and (d.valid_end is null or d.valid_end > ?)))',
    )
    expect(condition.binds).to.eql([
      3,
      "al'ice",
      '["red"]',
      '["active"]',
      1000,
      '["fact"]',
      '["red"]',
      'bob',
      'r',
      1,
      2,
      3,
      3,
      JSON.stringify(['["k","3v"]']),
      '["k","2',
      '["k","25"]',
      '["e"]',
      1,
      '["r"]',
      3,
      3,
    ])
  })
})
