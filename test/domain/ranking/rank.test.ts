import { expect } from 'chai'
import fc from 'fast-check'
import { MEMORY_STATUSES, type MemoryType } from '../../../domain/memory.js'
import type {
  AnalysedQuery,
  Candidate,
  PieceSimilarity,
  RankedMemory,
  TermStatistics,
} from '../../../domain/ranking/candidate.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'
import { poolStatistics } from '../../../domain/ranking/lexical.js'
import { NEIGHBOUR_OFFSETS } from '../../../domain/ranking/pool.js'
import { rank } from '../../../domain/ranking/rank.js'
import { runToEnd } from '../../../domain/yielding.js'
import { shortVector } from '../../../domain/ranking/short-vector.js'
import { WEIGHTS } from '../../../domain/ranking/weights.js'
import { DEFAULT_SETTINGS } from '../../../domain/settings/settings.gen.js'
import type { TimeReference } from '../../../domain/text/time-reference.js'
import { UTC } from '../../../domain/text/time-zone.js'

const NOW = Date.parse('2026-05-01T12:00:00Z')
const DAY = 86_400_000
const OPTIONS = { now: NOW, freshnessFloor: DEFAULT_SETTINGS.recall.freshness_floor }
const WORDS = ['fox', 'den', 'sea', 'oak']

/** Pieces are words, by their number; the vixen is similar to the fox, and every other word only to itself. */
const PIECES = [...WORDS, 'vixen', 'unknown', 'thanks', 'great']
const NEAR: Readonly<Record<string, number>> = { 'fox vixen': 0.6 }
const space: PieceSimilarity = {
  similaritiesTo: (piece, others) =>
    Float32Array.from(others, (other) => (other === piece ? 1 : (NEAR[`${PIECES[piece]} ${PIECES[other]}`] ?? 0))),
}
const piecesOf = (words: readonly string[]) => Uint16Array.from(new Set(words.map((word) => PIECES.indexOf(word))))

interface Given extends Partial<Omit<Candidate, 'text' | 'neighbours'>> {
  readonly words?: readonly string[]
  readonly vector?: readonly number[] | null
  readonly beside?: Readonly<Record<number, string>>
  readonly text?: Partial<Candidate['text']>
}

function candidate(id: string, { words = [], vector = null, beside = {}, text, ...given }: Given = {}): Candidate {
  return {
    id,
    memoryType: 'fact',
    status: 'active',
    weight: 0.5,
    runId: null,
    createdAt: NOW,
    recallCount: 0,
    entities: 0,
    hop: 0,
    neighbours: NEIGHBOUR_OFFSETS.map((offset) => beside[offset] ?? null),
    text: {
      terms: hashTerms(words),
      length: words.length,
      vector: vector && shortVector(unit(vector)),
      pieces: piecesOf(words),
      author: null,
      stated: 1,
      mentionsTime: false,
      textKey: id,
      at: NOW,
      until: null,
      ...text,
    },
    ...given,
  }
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector) || 1
  return Float32Array.from(vector, (value) => value / length)
}

function ranked(candidates: readonly Candidate[], query: Partial<AnalysedQuery> = { terms: ['fox'] }): RankedMemory[] {
  const asked = queryOf(query)
  return runToEnd(rank(asked, candidates, statisticsOf(candidates, asked.terms), space, OPTIONS))
}

function queryOf(query: Partial<AnalysedQuery>): AnalysedQuery {
  const { terms = [] } = query
  const words = terms.map((term) => ({ word: term, term, pieces: piecesOf([term]) }))
  return { terms, words, vector: null, times: [], zone: UTC, isTemporalQuestion: false, author: null, ...query }
}

function statisticsOf(candidates: readonly Candidate[], terms: readonly string[]): TermStatistics {
  return poolStatistics(
    null,
    candidates.map(({ text }) => text),
    terms,
  )
}

const idsOf = (result: readonly RankedMemory[]) => result.map((row) => row.candidate.id)
const byId = (result: readonly RankedMemory[]) => new Map(result.map((row) => [row.candidate.id, row]))

describe('domain/ranking/rank', () => {
  it('pauses for each text and each piece of the query', () => {
    const rows = [candidate('a'), candidate('b')]
    const asked = queryOf({ terms: ['fox', 'den'] })
    const pauses = [...rank(asked, rows, statisticsOf(rows, asked.terms), space, OPTIONS)]
    expect(pauses.length).to.be.at.least(rows.length + asked.words.length)
  })

  describe('evidence for a row', () => {
    it('is each of its keywords, meaning, entities, neighbours and run alone', () => {
      const candidates = [
        candidate('words', { words: ['fox'] }),
        candidate('meaning', { words: ['oak'], vector: [1, 0] }),
        candidate('entity', { entities: 1 }),
        candidate('hop', { hop: 1 }),
        candidate('neighbour', { beside: { [-1]: 'words' } }),
        candidate('told', { words: ['fox'], runId: 'run' }),
        candidate('run', { runId: 'run' }),
        candidate('nothing', { words: ['den'], vector: [0, 1], runId: 'other', beside: { 1: 'entity' } }),
        candidate('opposite', { words: ['den'], vector: [-1, 0] }),
      ]
      const found = idsOf(ranked(candidates, { terms: ['fox'], vector: unit([1, 0]) }))
      expect(found).to.have.members(['words', 'meaning', 'entity', 'hop', 'neighbour', 'told', 'run'])
    })

    it('drops every row when the query is empty', () => {
      expect(ranked([candidate('a', { words: ['fox'], vector: [1] })], { terms: [], vector: null })).to.deep.equal([])
      expect(ranked([])).to.deep.equal([])
    })

    it('ignores a neighbour that is not a candidate', () => {
      expect(ranked([candidate('a', { beside: { 1: 'gone', [-1]: 'hidden' } })])).to.deep.equal([])
    })
  })

  describe('the order', () => {
    const pairs: [fact: string, better: Given, worse: Given][] = [
      ['heavier first', { weight: 0.9 }, { weight: 0.1 }],
      ['newer first', {}, { createdAt: NOW - 90 * DAY }],
      ['more often recalled first', { recallCount: 9 }, {}],
      ['the one with the query’s entity first', { entities: 1 }, {}],
      ['the one with the rarer entity first', { entities: 1 }, { entities: 0.5 }],
      ['the one found by a hop first', { hop: 0.5 }, {}],
      ['the live one before the outdated one', {}, { status: 'outdated' }],
      ['the live one before the conflicted one', {}, { status: 'conflicted' }],
      ['the one with more of the keywords first', { words: ['fox', 'den'] }, { words: ['fox', 'oak'] }],
      ['the one with the more similar vector first', { vector: [1, 0.1] }, { vector: [1, 2] }],
    ]
    for (const [fact, better, worse] of pairs)
      it(`puts ${fact}`, () => {
        const pair = [
          candidate('worse', { words: ['fox'], ...worse }),
          candidate('better', { words: ['fox'], ...better }),
        ]
        expect(idsOf(ranked(pair, { terms: ['fox', 'den'], vector: unit([1, 0]) }))).to.deep.equal(['better', 'worse'])
      })

    it('puts equal scores newest first, then by id, in whatever order the candidates are given', () => {
      // Rows in the future of the clock are equally fresh.
      const rows = [
        candidate('b', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('c', { words: ['fox'], createdAt: NOW + 1 }),
        candidate('a', { words: ['fox'], createdAt: NOW + 2 }),
      ]
      for (const order of [rows, [...rows].reverse(), [rows[1]!, rows[2]!, rows[0]!]])
        expect(idsOf(ranked(order))).to.deep.equal(['a', 'c', 'b'])
    })
  })

  describe('evidence', () => {
    const order = (rows: readonly Candidate[], query: Partial<AnalysedQuery>) => idsOf(ranked(rows, query))

    it('counts similar words in part: less than the word itself, more than nothing', () => {
      const rows = [
        candidate('none', { words: ['oak'], vector: [1, 9] }),
        candidate('near', { words: ['vixen'], vector: [1, 9] }),
        candidate('same', { words: ['fox'], vector: [1, 9] }),
      ]
      expect(order(rows, { terms: ['fox'], vector: unit([1, 0]) })).to.deep.equal(['same', 'near', 'none'])
    })

    it('puts an informative text before one that is not', () => {
      const small = Array.from({ length: 6 }, (_, i) => candidate(`small${i}`, { words: ['fox', 'thanks', 'great'] }))
      const [first] = order([...small, candidate('told', { words: ['fox', 'sea', 'oak'] })], { terms: ['fox'] })
      expect(first).to.equal('told')
    })

    it('puts an answer before a question', () => {
      const rows = [
        candidate('asks', { words: ['fox', 'den'], createdAt: NOW + 1, text: { stated: 0 } }),
        candidate('tells', { words: ['fox', 'den'] }),
      ]
      expect(order(rows, { terms: ['fox'] })).to.deep.equal(['tells', 'asks'])
    })

    it('does not count a number as informative', () => {
      const terms = (...words: string[]) => ({ terms: hashTerms(words), length: words.length })
      const rows = [
        candidate('a', { words: ['fox'], text: terms('fox', 'den') }),
        candidate('b', { words: ['fox'], text: terms('fox', 'den', '4711', 'a1b2') }),
      ]
      const found = byId(ranked(rows))
      expect(found.get('a')!.evidence.informativeness)
        .to.be.closeTo(found.get('b')!.evidence.informativeness, 1e-12)
        .and.to.be.greaterThan(0)
    })

    it('never returns a row for its informativeness alone', () => {
      expect(order([candidate('rare', { words: ['oak', 'sea', 'den'] })], { terms: ['fox'] })).to.deep.equal([])
    })

    it('boosts rows of the time that the query names, most when it agrees to the day', () => {
      const of = (id: string, at: string) => candidate(id, { words: ['fox'], text: { at: Date.parse(at) } })
      const rows = [
        of('year', '2024-05-07'),
        of('other', '2023-05-20'),
        of('day', '2023-05-07'),
        of('month', '2023-06-07'),
      ]
      const times = [{ kind: 'date', year: 2023, month: 5, day: 7 }] as const
      const found = byId(ranked(rows, { terms: ['fox'], times }))
      const boost = (id: string) => found.get(id)!.parts.temporal_boost
      expect(boost('day')).to.be.greaterThan(boost('other'))
      expect(boost('other')).to.be.greaterThan(1)
      expect([boost('year'), boost('month')]).to.deep.equal([1, 1])
    })

    it('returns a row for its time alone', () => {
      const rows = [candidate('then', { words: ['den'], text: { at: Date.parse('2023-05-07') } })]
      expect(order(rows, { times: [{ kind: 'date', year: 2023, month: 5, day: null }] })).to.deep.equal(['then'])
      expect(order(rows, { times: [{ kind: 'date', year: 2022, month: 5, day: null }] })).to.deep.equal([])
    })

    it('covers every instant of a validity that has an end', () => {
      const valid = { at: Date.parse('2023-01-01'), until: Date.parse('2023-12-01') }
      const rows = [
        candidate('valid', { words: ['fox'], text: valid }),
        candidate('open', { words: ['fox'], text: { at: valid.at } }),
      ]
      const march = { kind: 'date', year: null, month: 3, day: null } as const
      const span = { kind: 'span', start: Date.parse('2023-03-01'), end: Date.parse('2023-04-01') } as const
      for (const time of [span, { ...march, year: 2023 }, march, { ...march, day: 31 }]) {
        const found = byId(ranked(rows, { terms: ['fox'], times: [time] }))
        expect(found.get('valid')!.parts.temporal_boost).to.be.greaterThan(1)
        expect(found.get('open')!.parts.temporal_boost).to.equal(1)
      }
    })

    it('ranks a row that was valid at the requested time with rows that are valid now', () => {
      const then = { at: Date.parse('2023-01-01'), until: Date.parse('2023-04-01') }
      const boosts = (times: readonly TimeReference[]) => {
        const outdated = { words: ['fox'], status: 'outdated' as const }
        const rows = [
          candidate('live', { words: ['fox'], text: then }),
          candidate('ended', { ...outdated, text: then }),
          candidate('replaced', { ...outdated, text: { at: then.at } }),
        ]
        const found = byId(ranked(rows, { terms: ['fox'], times }))
        return ['live', 'ended', 'replaced'].map((id) => {
          const { temporal_boost, status_penalty } = found.get(id)!.parts
          return temporal_boost * status_penalty
        })
      }
      const [live, ended, replaced] = boosts([{ kind: 'date', year: 2023, month: 1, day: null }])
      expect(ended).to.be.greaterThan(1).and.equal(live)
      expect(replaced).to.equal(live! / 2)
      expect(boosts([{ kind: 'date', year: 2022, month: 1, day: null }])).to.deep.equal([1, 0.5, 0.5])
      expect(boosts([{ kind: 'span', start: then.at, end: Infinity }])[1]).to.be.lessThan(1)
      expect(boosts([])).to.deep.equal([1, 0.5, 0.5])
    })

    it('covers no time of the year outside a validity, and every one of a long validity', () => {
      const boostOf = (at: string, until: string) => {
        const text = { at: Date.parse(at), until: Date.parse(until) }
        const times = [{ kind: 'date', year: null, month: 3, day: null }] as const
        return ranked([candidate('a', { words: ['fox'], text })], { terms: ['fox'], times })[0]!.parts.temporal_boost
      }
      expect(boostOf('2023-04-01', '2024-03-01')).to.equal(1)
      expect(boostOf('2023-04-01', '2024-03-02')).to.be.greaterThan(1)
      expect(boostOf('2023-12-01', '2026-01-01')).to.be.greaterThan(1)
    })

    it('counts a span of one day as a day, and one with an open end as half', () => {
      const [start, row] = [
        Date.parse('2023-05-07'),
        candidate('a', { words: ['fox'], text: { at: 1_683_450_000_000 } }),
      ]
      const dateOf = (from: number, end: number) =>
        ranked([row], { terms: ['fox'], times: [{ kind: 'span', start: from, end }] })[0]!.evidence.date
      expect(dateOf(start, start + DAY)).to.equal(1.5)
      expect(dateOf(start, start + 2 * DAY)).to.equal(1)
      expect(dateOf(start, Infinity)).to.equal(0.5)
      expect(dateOf(-Infinity, start + DAY)).to.equal(0.5)
      expect(dateOf(-Infinity, start)).to.equal(0)
    })

    it('prefers rows that mention a time when the query asks for one', () => {
      const rows = [
        candidate('b', { words: ['fox'] }),
        candidate('a', { words: ['fox'], text: { mentionsTime: true } }),
      ]
      expect(order(rows, { terms: ['fox'], isTemporalQuestion: true })).to.deep.equal(['a', 'b'])
      expect(order(rows, { terms: ['fox'] })).to.deep.equal(['b', 'a'])
    })

    it('prefers rows of the one author that the query names', () => {
      const rows = [
        candidate('b', { words: ['fox'] }),
        candidate('a', { words: ['fox'], text: { author: { name: 'ana', isAgent: false } } }),
      ]
      expect(order(rows, { terms: ['fox'], author: 'ana' })).to.deep.equal(['a', 'b'])
      expect(order(rows, { terms: ['fox'], author: 'ben' })).to.deep.equal(['b', 'a'])
    })
  })

  describe('context', () => {
    it('boosts a row most by the row before it, and least by the one two after', () => {
      const [before, after, twoBefore, twoAfter, none] = [-1, 1, -2, 2, 3].map((offset) => {
        const rows = [
          candidate('told', { words: ['fox'] }),
          candidate('row', { words: ['den'], beside: { [offset]: 'told' } }),
        ]
        return byId(ranked(rows, { terms: ['fox', 'den'] })).get('row')!.parts.base
      })
      expect(before).to.be.greaterThan(after!)
      expect(after).to.be.closeTo(twoBefore!, 1e-6)
      expect(twoBefore).to.be.greaterThan(twoAfter!)
      expect(twoAfter).to.be.greaterThan(none!)
    })

    it('combines the vector of a row with those of the two before it', () => {
      const rows = [
        candidate('told', { vector: [1, 0] }),
        candidate('after', { vector: [0, 1], beside: { [-1]: 'told' } }),
        candidate('before', { vector: [0, 1], beside: { 1: 'told' } }),
      ]
      expect(idsOf(ranked(rows, { vector: unit([1, 0]) }))).to.deep.equal(['told', 'after'])
      const [near, far] = [-1, -2].map((offset) => {
        const beside = { [offset]: 'told' }
        const results = ranked([rows[0]!, candidate('after', { vector: [0, 1], beside })], { vector: unit([1, 0]) })
        return byId(results).get('after')!.evidence.meaning
      })
      expect(near).to.be.closeTo(0.5 / Math.hypot(1, 0.5), 1e-6)
      expect(far).to.be.closeTo(0.3 / Math.hypot(1, 0.3), 1e-6)
    })

    it('boosts every row of a run by the mean of its three best, or of all when there are fewer', () => {
      const told = (id: string, runId: string) => candidate(id, { words: ['fox', 'den'], runId })
      const addedWith = (ids: string[]) => {
        const rows = [
          told('best', 'other'),
          ...ids.map((id) => told(id, 'run')),
          candidate('beside', { runId: 'run', words: ['fox'] }),
        ]
        const { base, context_boost } = byId(ranked(rows, { terms: ['fox', 'den'] })).get('beside')!.parts
        return base * (context_boost - 1)
      }
      expect(addedWith(['a'])).to.be.greaterThan(addedWith([]))
      expect(addedWith(['a', 'b', 'c'])).to.be.greaterThan(addedWith(['a']))
      expect(addedWith(['a', 'b', 'c', 'd'])).to.be.closeTo(addedWith(['a', 'b', 'c']), 0.02)
    })

    it('treats a row without a run, or alone in it, as a run of its own', () => {
      const rows = [
        candidate('none', { words: ['fox'] }),
        candidate('alone', { words: ['fox'], runId: 'run' }),
        candidate('two', { words: ['fox'], runId: 'runs' }),
        candidate('runs', { words: ['fox'], runId: 'runs' }),
      ]
      const boosts = ranked(rows).map(({ parts }) => parts.context_boost)
      expect(new Set(boosts).size).to.equal(1)
      expect(boosts[0]).to.be.greaterThan(1)
    })

    it('does not mix runs', () => {
      const rows = [candidate('told', { words: ['fox'], runId: 'one' }), candidate('row', { runId: 'two' })]
      expect(idsOf(ranked(rows))).to.deep.equal(['told'])
    })
  })

  describe('the results', () => {
    const candidates = [
      candidate('both', { words: ['fox', 'den'], text: { textKey: 'fox den' } }),
      candidate('again', { words: ['fox', 'den'], text: { textKey: 'fox den' }, createdAt: NOW - DAY }),
      candidate('one', { words: ['fox'] }),
      candidate('none', { words: ['sea'] }),
    ]
    const asked = queryOf({ terms: ['fox', 'den'] })
    const first = (limits: { minScore?: number; most?: number }) =>
      runToEnd(rank(asked, candidates, statisticsOf(candidates, asked.terms), space, { ...OPTIONS, ...limits }))

    it('have each text once, with the number of the others', () => {
      expect(first({}).map(({ candidate: { id }, folded }) => [id, folded])).to.deep.equal([
        ['both', 1],
        ['one', 0],
      ])
    })

    it('are no more than asked for, and no less similar', () => {
      expect(idsOf(first({ most: 1 }))).to.deep.equal(['both'])
      const [, one] = first({})
      expect(idsOf(first({ minScore: one!.similarity }))).to.deep.equal(['both', 'one'])
      expect(idsOf(first({ minScore: one!.similarity + 1e-9 }))).to.deep.equal(['both'])
      expect(first({ most: 0 })).to.deep.equal([])
    })
  })

  describe('the parts', () => {
    it('scale keywords and meaning by the best candidate, and keep vec_sim as the cosine', () => {
      const rows = [
        candidate('a', { words: ['fox', 'den'], vector: [1, 1] }),
        candidate('b', { words: ['fox'], vector: [0, 1] }),
      ]
      const parts = byId(ranked(rows, { terms: ['fox', 'den'], vector: unit([1, 0]) }))
      expect(parts.get('a')!.parts.fts_score).to.equal(1)
      expect(parts.get('b')!.parts.fts_score).to.be.within(0.01, 0.99)
      expect(parts.get('a')!.parts.vec_sim).to.be.closeTo(Math.SQRT1_2, 1e-6)
      expect(parts.get('b')!.parts.vec_sim).to.be.closeTo(0, 1e-6)
    })

    it('have the values of the formula', () => {
      const row = candidate('a', {
        words: ['fox'],
        vector: [1, 0],
        weight: 0.9,
        entities: 5,
        hop: 1,
        recallCount: 3,
        createdAt: NOW - 120 * DAY,
        status: 'outdated',
      })
      const [{ parts, score }] = ranked([row], { terms: ['fox'], vector: unit([1, 0]) }) as [RankedMemory]
      // Soft coverage, meaning, coverage and run are 1; alone in its pool, its one word is as rare as possible.
      const content = 1 + WEIGHTS.meaning + WEIGHTS.coverage
      const sum = content + (WEIGHTS.informativeness * Math.log(2)) / Math.log(1.5) + 0.01
      const people = 3 * WEIGHTS.entity + WEIGHTS.hop
      expect(parts.base).to.be.closeTo(sum * (0.9 + 0.2 * 0.9), 1e-6)
      expect(parts.context_boost).to.be.closeTo((sum + WEIGHTS.run) / sum, 1e-6)
      expect(parts.entity_boost).to.be.closeTo((sum + WEIGHTS.run + people) / (sum + WEIGHTS.run), 1e-6)
      expect(parts.freshness).to.be.closeTo(0.94 + 0.06 / 2, 1e-6)
      expect(parts.recall_boost).to.be.closeTo(1.004, 1e-12)
      expect(parts.temporal_boost).to.equal(1)
      expect(parts.status_penalty).to.equal(0.5)
      expect(score).to.be.closeTo((sum + WEIGHTS.run + people) * 1.08 * 0.97 * 1.004 * 0.5, 1e-5)
    })

    const halfLives: Record<MemoryType, number> = {
      preference: 365,
      rule: 365,
      decision: 180,
      fact: 120,
      commitment: 120,
      outcome: 90,
      insight: 90,
      plan: 60,
      intention: 60,
      episode: 45,
      task: 30,
      action: 30,
      cancellation: 14,
    }
    for (const [type, days] of Object.entries(halfLives) as [MemoryType, number][])
      it(`let a ${type} lose half of its freshness in ${days} days, down to a floor of 0.94`, () => {
        const freshnessAt = (age: number) =>
          ranked([candidate('a', { words: ['fox'], memoryType: type, createdAt: NOW - age * DAY })])[0]!.parts.freshness
        expect(freshnessAt(0)).to.equal(1)
        expect(freshnessAt(days)).to.be.closeTo(0.97, 1e-9)
        expect(freshnessAt(100 * days)).to.be.closeTo(0.94, 1e-9)
      })

    it('penalise only outdated and conflicted rows', () => {
      const penalties = MEMORY_STATUSES.map(
        (status) => [status, ranked([candidate('a', { words: ['fox'], status })])[0]!.parts.status_penalty] as const,
      )
      expect(penalties.filter(([, penalty]) => penalty !== 1)).to.have.deep.members([
        ['outdated', 0.5],
        ['conflicted', 0.5],
      ])
    })

    it('never boost a row by recalls beyond 1.01', () => {
      const [row] = ranked([candidate('a', { words: ['fox'], recallCount: 10 ** 9 })])
      expect(row!.parts.recall_boost).to.equal(1.01)
    })
  })

  describe('similarity', () => {
    it('is the cosine, or the share of the query’s rarity that the words cover when that is greater', () => {
      const rows = [
        candidate('meant', { vector: [1, 1] }),
        candidate('worded', { words: ['fox', 'den'] }),
        candidate('half', { words: ['fox'] }),
      ]
      const found = byId(ranked(rows, { terms: ['fox', 'den'], vector: unit([1, 0]) }))
      expect(found.get('meant')!.similarity).to.be.closeTo(Math.SQRT1_2, 1e-6)
      expect(found.get('worded')!.similarity).to.equal(1)
      expect(found.get('half')!.similarity).to.be.within(0.1, 0.9)
    })

    it('does not depend on the other candidates when the counts are the same', () => {
      const statistics = {
        documents: 100,
        averageLength: 3,
        frequency: new Map([
          ['fox', 5],
          ['den', 50],
        ]),
      }
      const row = candidate('a', { words: ['fox'], vector: [1, 1] })
      const query = queryOf({ terms: ['fox', 'den'], vector: unit([1, 0]) })
      const [alone] = runToEnd(rank(query, [row], statistics, space, OPTIONS))
      const other = candidate('b', { words: ['fox', 'den'], vector: [1, 0] })
      const among = runToEnd(rank(query, [row, other], statistics, space, OPTIONS))
      expect(byId(among).get('a')!.similarity).to.equal(alone!.similarity)
    })
  })

  describe('for any candidates', () => {
    const arbitraryRow = fc.record({
      words: fc.array(fc.constantFrom(...WORDS), { maxLength: 6 }),
      vector: fc.option(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }))),
      memoryType: fc.constantFrom<MemoryType>('fact', 'task', 'cancellation', 'rule'),
      status: fc.constantFrom(...MEMORY_STATUSES),
      weight: fc.double({ min: 0, max: 1, noNaN: true }),
      runId: fc.option(fc.constantFrom('one', 'two')),
      createdAt: fc.integer({ min: NOW - 4_000 * DAY, max: NOW + DAY }),
      recallCount: fc.nat(),
      entities: fc.double({ min: 0, max: 6, noNaN: true }),
      hop: fc.double({ min: 0, max: 1, noNaN: true }),
      beside: fc.dictionary(fc.constantFrom('-2', '-1', '1', '2'), fc.nat(12).map(String)),
    })
    const arbitraryRows = fc
      .array(arbitraryRow, { maxLength: 12 })
      .map((rows) => rows.map((row, i) => candidate(String(i), row)))
    const arbitraryQuery = fc.record({
      terms: fc.uniqueArray(fc.constantFrom(...WORDS, 'unknown')),
      vector: fc.option(fc.constantFrom(unit([1, 0]), unit([1, 1]))),
      times: fc.array(fc.constantFrom<TimeReference>({ kind: 'date', year: null, month: 5, day: 1 }), { maxLength: 1 }),
      isTemporalQuestion: fc.boolean(),
      author: fc.option(fc.constantFrom('ana', 'ben')),
    })

    it('the product of the parts except vec_sim and fts_score is the score, and no part exceeds its bounds', () => {
      fc.assert(
        fc.property(arbitraryRows, arbitraryQuery, (rows, query) => {
          for (const { score, similarity, parts } of ranked(rows, query)) {
            const { vec_sim, fts_score, ...factors } = parts
            const product = Object.values(factors).reduce((a, b) => a * b, 1)
            expect(product).to.be.closeTo(score, score * 1e-9)
            expect(score).to.be.finite.and.to.be.greaterThan(0)
            expect(similarity).to.be.within(0, 1)
            expect(vec_sim).to.be.within(0, 1.000001)
            expect(fts_score).to.be.within(0, 1)
            for (const boost of ['context_boost', 'entity_boost', 'recall_boost', 'temporal_boost'] as const)
              expect(parts[boost], boost).to.be.at.least(1)
            expect(parts.freshness).to.be.within(0.94, 1)
            expect([0.5, 1]).to.include(parts.status_penalty)
          }
        }),
      )
    })

    it('the order is that of the scores, in whatever order the candidates are given', () => {
      fc.assert(
        fc.property(arbitraryRows, arbitraryQuery, fc.infiniteStream(fc.nat()), (rows, query, numbers) => {
          const first = ranked(rows, query)
          const scores = first.map((row) => row.score)
          expect(scores).to.deep.equal([...scores].sort((a, b) => b - a))
          const shuffled = rows
            .map((row) => ({ row, at: numbers.next().value as number }))
            .sort((a, b) => a.at - b.at)
            .map(({ row }) => row)
          expect(idsOf(ranked(shuffled, query))).to.deep.equal(idsOf(first))
        }),
      )
    })
  })
})
