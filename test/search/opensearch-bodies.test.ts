import { expect } from 'chai'
import { indexBody } from '../../search/opensearch/mapping.js'
import { bulkLines, readOutcomes } from '../../search/opensearch/bulk.js'
import { EngineFailure } from '../../search/opensearch/connection.js'
import { audienceToken, documentKey, storedKeyword, tenantToken, tokensOf } from '../../search/opensearch/keywords.js'
import { readersOf } from '../../search/opensearch/readers.js'
import { RememberedCounts } from '../../search/opensearch/remembered-counts.js'
import { cosineOf, readAnswer, type MultiAnswer } from '../../search/opensearch/search-answers.js'
import { type Part, planSearch } from '../../search/opensearch/search-bodies.js'
import type { SearchRequest } from '../../search/search-index.js'
import { changes, document, EVERY_CONDITION, filter, unit } from './seeds.js'

describe('opensearch bodies', () => {
  describe('an audience', () => {
    const table = [
      ['nobody reads nothing', { kind: 'nobody' }, [], [], false, true],
      [
        'an author is searched for among all audiences of the tenant, with a filter',
        { kind: 'own', agentId: 'alice' },
        ['agent:alice', 'by:alice'],
        ['org', 'team', 'agent:alice'],
        true,
        false,
      ],
      [
        'one fleet is found by its tokens alone',
        { kind: 'shared', agentId: 'alice', fleets: ['red', 'red'] },
        ['org', 'team', 'agent:alice', 'team:red'],
        ['org', 'team', 'agent:alice', 'team:red'],
        false,
        true,
      ],
      [
        'no agent and no fleet is found by its tokens alone',
        { kind: 'shared', agentId: null, fleets: [] },
        ['org', 'team'],
        ['org', 'team'],
        false,
        true,
      ],
      [
        'several fleets are searched for among all, with a filter',
        { kind: 'shared', agentId: null, fleets: ['red', 'blue'] },
        ['org', 'team', 'team:red', 'team:blue'],
        ['org', 'team'],
        true,
        false,
      ],
      [
        'every fleet is found by its tokens alone',
        { kind: 'shared', agentId: 'alice', fleets: 'all' },
        ['org', 'team', 'agent:alice', 'fleets'],
        ['org', 'team', 'agent:alice'],
        true,
        true,
      ],
    ] as const
    for (const [name, audience, tokens, audiences, searchesFleets, isExact] of table) {
      it(`of ${name}`, () => {
        expect(readersOf('acme', audience)).to.eql({
          tokens: tokens.map((token) => audienceToken('acme', token)),
          audiences,
          searchesFleets,
          elsewhere: null,
          isExact,
          usesRarity: audience.kind !== 'own',
        })
      })
    }
  })

  it('contain every filter in every leg, and statistics over what the audience sees', () => {
    const { lines, parts } = planSearch('acme', wholeRequest(), 2400, new RememberedCounts())
    const visible = { terms: { readers: ['["acme","agent:alice"]', '["acme","by:alice"]'] } }
    const filter = [
      visible,
      { terms: { memory_type: ['fact'] } },
      { terms: { fleet_id: ['red'] } },
      { term: { agent_id: 'bob' } },
      { term: { run_id: 'r' } },
      { range: { created_at: { gt: 1, lt: 2 } } },
      {
        bool: {
          filter: [
            { terms: { metadata_terms: ['["k","3v"]'] } },
            { range: { metadata_terms: { gt: '["k","2', lte: '["k","25"]' } } },
            {
              bool: {
                should: [{ terms: { entity_ids: ['e'] } }, { exists: { field: 'entity_ids' } }],
                minimum_should_match: 1,
              },
            },
            { bool: { must_not: [{ range: { created_at: { gte: 1 } } }] } },
            { terms: { run_id: ['r'] } },
            { exists: { field: 'valid_start' } },
            { bool: { must_not: [{ range: { valid_start: { gt: 3 } } }, { range: { valid_end: { lte: 3 } } }] } },
          ],
        },
      },
    ]
    const must_not = [
      { terms: { status: ['pending', 'confirmed', 'cancelled', 'outdated', 'conflicted', 'archived', 'deleted'] } },
      { range: { expires_at: { lte: 1000 } } },
      { range: { valid_start: { gt: 3 } } },
      { range: { valid_end: { lte: 3 } } },
    ]
    const withVector = [...must_not, { term: { lacks_vector: true } }]
    const common = { stored_fields: '_none_', docvalue_fields: ['id'], track_total_hits: false }
    const formsOf = (term: string) =>
      ['org', 'team', 'agent:alice'].map((audience) => tokensOf('acme', audience, [term])[0]!)
    const ofFleets = (term: string) => ({ term: { fleet_terms: tokensOf('acme', 'fleets', [term])[0] } })
    const header = { routing: 'acme' }
    const entity = { constant_score: { filter: { term: { entity_ids: 'e' } }, boost: 1 } }
    const keyword = {
      bool: { should: [{ match: { terms: formsOf('a').join('|') } }, ofFleets('a')], minimum_should_match: 1 },
    }
    expect(parts).to.eql(['vector', 'keyword', 'entity', 'totals', 'frequencies', 'mark'])
    expect(lines).to.eql([
      header,
      {
        ...common,
        size: 5,
        timeout: '2400ms',
        query: {
          knn: {
            vector: { vector: [1, 0, 0, 0, 0, 0, 0, 0], k: 5, filter: { bool: { filter, must_not: withVector } } },
          },
        },
      },
      header,
      {
        ...common,
        size: 5,
        timeout: '2400ms',
        query: {
          bool: {
            should: [{ constant_score: { filter: keyword, boost: 1 } }],
            minimum_should_match: 1,
            filter,
            must_not,
          },
        },
      },
      header,
      {
        ...common,
        size: 5,
        timeout: '2400ms',
        sort: ['_score', { created_at: 'desc' }],
        query: { bool: { should: [entity], minimum_should_match: 1, filter, must_not } },
      },
      header,
      {
        size: 0,
        track_total_hits: false,
        timeout: '2400ms',
        query: { bool: { filter: [visible] } },
        aggs: {
          audience: {
            filters: { filters: visible.terms.readers.map((token) => ({ term: { readers: token } })) },
            aggs: { words: { sum: { field: 'word_count' } } },
          },
        },
      },
      header,
      {
        size: 0,
        track_total_hits: false,
        timeout: '2400ms',
        query: {
          bool: {
            should: [{ terms: { terms: formsOf('b') } }, { terms: { fleet_terms: [ofFleets('b').term.fleet_terms] } }],
            minimum_should_match: 1,
            filter: [visible],
          },
        },
        aggs: {
          frequency: {
            filters: { filters: [...formsOf('b').map((token) => ({ term: { terms: token } })), ofFleets('b')] },
          },
        },
      },
      header,
      { ...common, size: 2, timeout: '2400ms', query: { term: { tenant_id: '\u0000mark' } } },
    ])
  })

  it('choose hits of an audience by the rarity of terms in what it sees, with no filter of the audience', () => {
    const request = {
      filter: filter({ audience: { kind: 'shared', agentId: null, fleets: ['red'] } }),
      size: 5,
      keyword: { terms: ['a'] },
      frequenciesOf: ['a'],
    }
    const [, keyword, , , , frequencies] = planSearch('acme', request, 1000, new RememberedCounts()).lines as Record<
      string,
      unknown
    >[]
    const forms = ['org', 'team', 'team:red'].map((audience) => tokensOf('acme', audience, ['a'])[0]!)
    expect(keyword)
      .to.have.nested.property('query.bool.should')
      .that.eql([{ match: { terms: forms.join('|') } }])
    expect(keyword).to.have.nested.property('query.bool.filter').that.eql([])
    expect(frequencies)
      .to.have.nested.property('query.bool')
      .that.eql({ should: [{ terms: { terms: forms } }], minimum_should_match: 1, filter: [] })
    const filters = forms.map((form) => ({ term: { terms: form } }))
    expect(frequencies).to.have.nested.property('aggs.frequency.filters.filters').that.eql(filters)
  })

  it('look for what an agent wrote in other fleets in a body of its own, and count it apart', () => {
    const request = {
      filter: filter({
        audience: { kind: 'shared', agentId: 'ana', fleets: ['red'] },
        authoredFleets: ['red', 'blue'],
      }),
      size: 5,
      keyword: { terms: ['a'] },
      frequenciesOf: ['a'],
    }
    const plan = planSearch('acme', request, 1000, new RememberedCounts())
    const bodyOf = (part: Part) => plan.lines[2 * plan.parts.indexOf(part) + 1]
    const readers = ['org', 'team', 'agent:ana', 'team:red']
    const forms = readers.map((audience) => tokensOf('acme', audience, ['a'])[0]!)
    const ofFleets = { term: { fleet_terms: tokensOf('acme', 'fleets', ['a'])[0]! } }
    const own = [
      { term: { readers: audienceToken('acme', 'by:ana') } },
      { terms: { readers: [audienceToken('acme', 'team:blue')] } },
    ]
    expect(plan.parts).to.eql(['keyword', 'keyword elsewhere', 'totals', 'frequencies', 'mark'])
    expect(bodyOf('keyword')).to.have.nested.property('query.bool.filter').that.eql([])
    expect(bodyOf('keyword elsewhere')).to.have.nested.property('query.bool.filter').that.eql(own)
    expect(bodyOf('keyword elsewhere'))
      .to.have.nested.property('query.bool.should')
      .that.eql([{ constant_score: { filter: ofFleets, boost: 1 } }])
    const [ofTotals, ofTokens] = ['totals', 'frequencies'].map((part) => bodyOf(part as Part))
    const counted = readers.map((name) => ({ term: { readers: audienceToken('acme', name) } }))
    expect(ofTotals)
      .to.have.nested.property('aggs.audience.filters.filters')
      .that.eql([...counted, { bool: { filter: own } }])
    expect(ofTokens)
      .to.have.nested.property('aggs.frequency.filters.filters')
      .that.eql([...forms.map((form) => ({ term: { terms: form } })), { bool: { filter: [ofFleets, ...own] } }])
    const none = planSearch(
      'acme',
      { ...request, filter: { ...request.filter, authoredFleets: ['red'] } },
      1000,
      new RememberedCounts(),
    )
    expect(none.parts).to.eql(['keyword', 'totals', 'frequencies', 'mark'])
  })

  it('join the hits of both bodies of the keyword leg, the best of each first, or fail together', () => {
    const request = {
      filter: filter({ audience: { kind: 'shared', agentId: 'ana', fleets: [] }, authoredFleets: ['blue'] }),
      size: 5,
      keyword: { terms: ['a', 'b'] },
    }
    const known = new RememberedCounts()
    const plan = planSearch('acme', request, 1000, known)
    const found = (hits: readonly (readonly [string, number])[]) => ({
      hits: { hits: hits.map(([id, _score]) => ({ _score, fields: { id: [id] as const } })) },
    })
    const shared = found([
      ['s1', 8],
      ['s2', 3],
    ])
    const own = found([
      ['o1', 2],
      ['o2', 1],
    ])
    const { legs, failed } = readAnswer(plan, { responses: [shared, own, found([])] }, known)
    expect(legs.keyword).to.eql([
      { id: 's1', score: 8 },
      { id: 'o1', score: 8 },
      { id: 'o2', score: 4 },
      { id: 's2', score: 3 },
    ])
    expect(failed).to.eql([])
    const late = readAnswer(plan, { responses: [shared, { ...own, timed_out: true }, found([])] }, known)
    expect([late.legs.keyword, late.failed]).to.eql([undefined, ['keyword']])
  })

  it('count nothing again that is known, but for tokens whose count is one caller’s own', () => {
    const ofRed = filter({ audience: { kind: 'shared', agentId: 'bob', fleets: ['red'] } })
    const request = { filter: ofRed, size: 5, keyword: { terms: ['a'] }, frequenciesOf: ['a', 'b'] }
    const tokens = (term: string) =>
      ['org', 'team', 'agent:bob', 'team:red'].map((audience) => tokensOf('acme', audience, [term])[0]!)
    const readers = ['org', 'team', 'agent:bob', 'team:red'].map((audience) => audienceToken('acme', audience))
    const known = new RememberedCounts()
    for (const [i, token] of [...tokens('a'), tokens('b')[3]!].entries()) known.addToken(`terms ${token}`, 300 + i)
    known.addAudience(readers[1]!, { documents: 6_000, words: 60_000 })
    const plan = planSearch('acme', request, 1000, known)
    const bodyOf = (part: Part) => plan.lines[2 * plan.parts.indexOf(part) + 1]
    const unknown = [readers[0]!, readers[2]!, readers[3]!]
    expect(bodyOf('totals')).to.deep.include({ query: { bool: { filter: [{ terms: { readers: unknown } }] } } })
    const ofAudiences = unknown.map((token) => ({ term: { readers: token } }))
    expect(bodyOf('totals')).to.have.nested.property('aggs.audience.filters.filters').that.eql(ofAudiences)
    const ofTokens = tokens('b')
      .slice(0, 3)
      .map((token) => ({ term: { terms: token } }))
    expect(bodyOf('frequencies')).to.have.nested.property('aggs.frequency.filters.filters').that.eql(ofTokens)
    const found = { hits: { hits: [] } }
    const audience = {
      buckets: [
        { doc_count: 7_000, words: { value: 14_000 } },
        { doc_count: 0, words: { value: 0 } },
        { doc_count: 3_000, words: { value: 14_000 } },
      ],
    }
    const frequency = { buckets: [200, 199, 201].map((doc_count) => ({ doc_count })) }
    const responses = [
      found,
      { ...found, aggregations: { audience } },
      { ...found, aggregations: { frequency } },
      found,
    ]
    const answer = readAnswer(plan, { responses }, known)
    expect(answer.statistics).to.eql({
      documents: 16_000,
      averageLength: 88_000 / 16_000,
      frequency: new Map([
        ['a', 300 + 301 + 302 + 303],
        ['b', 304 + 600],
      ]),
    })
    expect(tokens('b').map((token) => known.ofToken(`terms ${token}`))).to.eql([200, undefined, 201, 304])
    expect(readers.map((token) => known.ofAudience(token)?.documents)).to.eql([7_000, 6_000, undefined, undefined])

    for (const token of readers) known.addAudience(token, { documents: 6_000, words: 60_000 })
    for (const token of tokens('b')) known.addToken(`terms ${token}`, 300)
    const all = planSearch('acme', request, 1000, known)
    expect(all.parts).to.eql(['keyword', 'mark'])
    const { statistics } = readAnswer(all, { responses: [found, found] }, known)
    expect(statistics).to.deep.include({ documents: 24_000, averageLength: 10 })
    const own = { ...request, filter: filter({ audience: { kind: 'own', agentId: 'bob' } }) }
    for (const term of ['a', 'b']) for (const token of tokens(term)) known.addToken(`fleet_terms ${token}`, 300)
    const ofOne = planSearch('acme', own, 1000, known)
    expect(ofOne.parts).to.eql(['keyword', 'totals', 'frequencies', 'mark'])
    expect(new Set(ofOne.counted!.terms.flatMap(({ tokens }) => tokens.map(({ key }) => key)))).to.eql(new Set([null]))
  })

  it('count for each tenant what is known of another alone, and for each audience', () => {
    const requestOf = (fleetId: string) => ({
      filter: filter({ audience: { kind: 'shared', agentId: 'bob', fleets: [fleetId] } }),
      size: 5,
      frequenciesOf: ['a', 'b'],
    })
    const known = new RememberedCounts()
    const plan = planSearch('acme', requestOf('red'), 1000, known)
    const aggregations = {
      audience: { buckets: [1, 2, 3, 4].map((i) => ({ doc_count: 5_000 * i, words: { value: 9_000 * i } })) },
      frequency: { buckets: Array.from({ length: 8 }, (_, i) => ({ doc_count: 200 + i })) },
    }
    const found = { hits: { hits: [] } }
    readAnswer(plan, { responses: [{ ...found, aggregations }, { ...found, aggregations }, found] }, known)
    const knownOf = (tenant: string, fleetId: string) => {
      const { audiences, terms } = planSearch(tenant, requestOf(fleetId), 1000, known).counted!
      return [audiences, terms.flatMap(({ tokens }) => tokens)].map(
        (counts) => counts.filter((count) => count.known !== null).length,
      )
    }
    expect(knownOf('acme', 'red')).to.eql([4, 8])
    expect(knownOf('acme', 'blue')).to.eql([3, 6])
    expect(knownOf('harbour', 'red')).to.eql([0, 0])
  })

  it('count nothing for nobody', () => {
    const request = {
      filter: filter({ audience: { kind: 'nobody' } }),
      size: 5,
      keyword: { terms: ['a'] },
      frequenciesOf: ['a'],
    }
    const plan = planSearch('acme', request, 1000, new RememberedCounts())
    expect(plan.parts).to.eql(['mark'])
    const { statistics } = readAnswer(plan, { responses: [{ hits: { hits: [] } }] }, new RememberedCounts())
    expect(statistics).to.eql({ documents: 0, averageLength: 0, frequency: new Map([['a', 0]]) })
  })

  it("have no more tokens than the engine takes, whatever the caller's audiences", () => {
    const terms = Array.from({ length: 600 }, (_, i) => `t${i}`)
    const request = { filter: filter(), size: 5, keyword: { terms }, frequenciesOf: terms }
    const { lines, counted } = planSearch('acme', request, 1000, new RememberedCounts())
    expect(counted!.terms.map(({ tokens }) => tokens.length)).to.eql(Array(333).fill(3))
    expect(lines[1]).to.have.nested.property('query.bool.should').with.length(666)
  })

  it('never send a zero vector', () => {
    const plan = planSearch(
      'acme',
      { filter: filter(), size: 5, vector: { vector: unit(1).fill(0) } },
      1000,
      new RememberedCounts(),
    )
    expect(plan.parts).to.eql(['mark'])
    expect(plan.empty).to.eql(['vector'])
  })

  it('route every change by its tenant, with its sequence as external version, tombstones as documents', () => {
    const lines = bulkLines(
      'a:b,c',
      [...changes({ m: { terms: ['x', 'y'], vector: unit(1) } }), { id: 'n', seq: 7, document: null }],
      { now: 99, dimensions: 4 },
    )
    expect(lines[0]).to.eql({
      index: { _id: 'a%3Ab%2Cc:m', routing: 'a%3Ab%2Cc', version: 1, version_type: 'external' },
    })
    expect(lines[1]).to.include({
      tenant_id: 'a:b,c',
      id: 'm',
      terms: tokensOf('a:b,c', 'org', ['x', 'y']).join(' '),
      fleet_terms: '',
      term_count: 2,
      word_count: 2,
    })
    expect(lines[1])
      .to.have.property('vector')
      .that.eqls([...unit(1)])
    expect(lines[1]).not.to.have.property('lacks_vector')
    expect(lines[2]).to.eql({
      index: { _id: 'a%3Ab%2Cc:n', routing: 'a%3Ab%2Cc', version: 7, version_type: 'external' },
    })
    expect(lines[3]).to.include({ tenant_id: 'a:b,c', id: 'n', status: 'deleted', tombstoned_at: 99 })
  })

  it('give every document without a vector a placeholder of its own, marked as one', () => {
    const without = [
      ...changes({ none: { vector: null }, zero: { vector: unit(1).fill(0) } }),
      { id: 'gone', seq: 7, document: null },
    ]
    const linesOf = () => bulkLines('acme', without, { now: 99, dimensions: 64 })
    const documents = linesOf().filter((_, i) => i % 2 === 1) as { vector: number[]; lacks_vector: boolean }[]
    expect(documents.map((document) => document.lacks_vector)).to.eql([true, true, true])
    for (const { vector } of documents) {
      expect(vector).to.have.length(64)
      expect(Math.hypot(...vector)).to.be.closeTo(1, 1e-4)
    }
    const dots = [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map(([a, b]) => documents[a!]!.vector.reduce((sum, value, i) => sum + value * documents[b!]!.vector[i]!, 0))
    for (const dot of dots) expect(Math.abs(dot)).to.be.lessThan(0.6)
    expect(linesOf()).to.eql(bulkLines('acme', without, { now: 99, dimensions: 64 }))
  })

  it('are strict, set their refresh interval and use the one vector engine without native libraries', () => {
    const body = indexBody({ embedderId: 'm', dimensions: 4, shards: 3, replicas: undefined }, 'alias')
    expect(body.mappings.dynamic).to.equal('strict')
    expect(body.settings.index).to.include({
      number_of_shards: 3,
      refresh_interval: '200ms',
      auto_expand_replicas: '0-1',
    })
    expect(body.mappings.properties.vector.method).to.include({ engine: 'lucene', space_type: 'innerproduct' })
    expect(body.aliases).to.eql({ alias: {} })
    const fixed = indexBody({ embedderId: 'm', dimensions: 4, shards: 3, replicas: 2 }, 'alias')
    expect(fixed.settings.index).to.include({ number_of_replicas: 2 }).and.not.have.property('auto_expand_replicas')
  })

  it("keep keys of tenants apart and within the engine's limits", () => {
    const tenants = ['a', 'a:b', 'a,b', 'a%3Ab', 'ä'.repeat(500), 'ä'.repeat(501)]
    const keys = tenants.map((tenant) => documentKey(tenant, 'b:c'))
    expect(new Set(keys).size).to.equal(tenants.length)
    for (const [i, key] of keys.entries()) {
      expect(Buffer.byteLength(key)).to.be.below(512)
      expect(tenantToken(tenants[i]!)).to.match(/^[^:,]+$/)
    }
    expect(storedKeyword('x'.repeat(512))).to.equal('x'.repeat(512))
    expect(storedKeyword('x'.repeat(513))).to.match(/^#[0-9a-f]{64}$/)
  })
})

describe('opensearch answers', () => {
  it('return the cosine from the score of an inner product', () => {
    for (const cosine of [1, 0.5, 0, -0.25, -1]) {
      expect(cosineOf(cosine >= 0 ? 1 + cosine : 1 / (1 - cosine))).to.be.closeTo(cosine, 1e-12)
    }
  })

  const ok = { status: 200, hits: { hits: [{ _score: 1.5, fields: { id: ['m'] as const } }] } }
  const refused = { status: 400, error: { type: 'parsing_exception' } }
  const busy = { status: 429, error: { type: 'rejected_execution_exception' } }
  const totals = {
    status: 200,
    hits: { hits: [] },
    aggregations: { audience: { buckets: [1, 1].map((doc_count) => ({ doc_count, words: { value: 2 } })) } },
  }
  const frequencies = {
    status: 200,
    hits: { hits: [] },
    aggregations: { frequency: { buckets: [1, 0, 2, 0].map((doc_count) => ({ doc_count })) } },
  }
  const counts = [totals, frequencies] as const
  const read = (...responses: MultiAnswer['responses']) =>
    readAnswer(planSearch('acme', wholeRequest(), 100, new RememberedCounts()), { responses }, new RememberedCounts())

  it('name the legs that failed, timed out or met a broken shard, and return the others', () => {
    const late = { ...ok, timed_out: true }
    const halved = { ...ok, _shards: { failed: 1 } }
    expect(read(refused, ok, ok, ...counts)).to.deep.include({ failed: ['vector'] })
    expect(read(ok, late, ok, ...counts)).to.deep.include({ failed: ['keyword'] })
    const answer = read(ok, busy, halved, ...counts)
    expect(answer.failed).to.eql(['keyword', 'entity'])
    expect(answer.legs).to.eql({ vector: [{ id: 'm', score: 0.5 }] })
    expect(answer.statistics).to.deep.include({ documents: 2, averageLength: 2, frequency: new Map([['b', 3]]) })
  })

  it("are hits with the engine's scores and no statistics when those failed", () => {
    const answer = read(ok, ok, ok, totals, busy)
    expect(answer.statistics).to.equal(null)
    expect(read(ok, ok, ok, busy, frequencies).statistics).to.equal(null)
    expect(answer.failed).to.eql([])
    expect(answer.legs.keyword).to.eql([{ id: 'm', score: 1.5 }])
  })

  it('have the mark of their shard only with its origin beside it, which a shard has lost when all but the mark was deleted', () => {
    const marked = (...ids: string[]) => {
      const hits = ids.map((id) => ({ _score: 1, fields: { id: [id] as const } }))
      return read(ok, ok, ok, ...counts, { ...ok, hits: { hits } }).mark
    }
    expect([marked('origin', 'first'), marked('first', 'origin')]).to.eql(['first', 'first'])
    expect([marked('first'), marked('origin'), marked()]).to.eql([null, null, null])
  })

  it('are an outage when every part met one, and failed legs when the requests are at fault', () => {
    const gone = { status: 404, error: { type: 'index_not_found_exception' } }
    expect(() => read(busy, busy, gone, busy, busy)).to.throw(EngineFailure, 'rejected_execution_exception')
    expect(read(refused, refused, refused, busy, busy)).to.deep.include({ failed: ['vector', 'keyword', 'entity'] })
  })

  const outcomes = [
    [{ status: 201 }, 'written'],
    [{ status: 200 }, 'written'],
    [{ status: 409, error: { type: 'version_conflict_engine_exception' } }, 'written'],
    [{ status: 400, error: { type: 'mapper_parsing_exception' } }, '400 mapper_parsing_exception'],
    [{ status: 500, error: { type: 'null_pointer_exception' } }, '500 null_pointer_exception'],
    [{ status: 429, error: { type: 'rejected_execution_exception' } }, null],
    [{ status: 503, error: { type: 'unavailable_shards_exception' } }, null],
    [{ status: 404, error: { type: 'index_not_found_exception' } }, null],
    [{ status: 403, error: { type: 'cluster_block_exception' } }, null],
  ] as const
  for (const [item, expected] of outcomes) {
    const means = expected === null ? 'an outage of the whole call' : expected === 'written' ? 'written' : 'refused'
    it(`of a bulk item with ${item.status} ${'error' in item ? item.error.type : ''} mean ${means}`, () => {
      const answer = () => readOutcomes([{ id: 'm', seq: 1, document: document() }], { items: [{ index: item }] })
      if (expected === null) expect(answer).to.throw(EngineFailure)
      else if (expected === 'written') expect(answer()).to.eql([{ id: 'm', outcome: 'written' }])
      else expect(answer()).to.eql([{ id: 'm', outcome: 'refused', reason: expected }])
    })
  }
})

function wholeRequest(): SearchRequest {
  return {
    filter: {
      audience: { kind: 'own', agentId: 'alice' },
      ...EVERY_CONDITION,
    },
    size: 5,
    keyword: { terms: ['a', 'a', ''] },
    vector: { vector: unit(1) },
    entity: { entityIds: ['e', 'e'] },
    frequenciesOf: ['b'],
  }
}
