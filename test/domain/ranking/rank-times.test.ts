import { expect } from 'chai'
import type { Candidate } from '../../../domain/ranking/candidate.js'
import type { TimeReference } from '../../../domain/text/time-reference.js'
import { byId, candidate, DAY, type GivenQuery, idsOf, ranked } from '../../support/ranking.js'

/** Tests what the times of a query and of the memories do to the order. */
describe('domain/ranking/rank', () => {
  describe('evidence', () => {
    const order = (rows: readonly Candidate[], query: GivenQuery) => idsOf(ranked(rows, query))

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
      const [, penalised] = boosts([])
      expect(penalised).to.be.lessThan(1)
      expect(replaced).to.be.closeTo(live! * penalised!, 1e-12)
      expect(boosts([])).to.deep.equal([1, penalised, penalised])
      expect(boosts([{ kind: 'date', year: 2022, month: 1, day: null }])).to.deep.equal([1, penalised, penalised])
      expect(boosts([{ kind: 'span', start: then.at, end: Infinity }])[1]).to.be.lessThan(1)
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
      const start = Date.parse('2023-05-07')
      const row = candidate('a', { words: ['fox'], text: { at: start + DAY / 3 } })
      const addedBy = (time: TimeReference) =>
        ranked([row], { terms: ['fox'], times: [time] })[0]!.parts.temporal_boost - 1
      const addedBySpan = (from: number, end: number) => addedBy({ kind: 'span', start: from, end })
      const whole = addedBySpan(start, start + 2 * DAY)
      expect(whole).to.be.greaterThan(0)
      expect(addedBySpan(start, start + DAY))
        .to.equal(addedBy({ kind: 'date', year: 2023, month: 5, day: 7 }))
        .and.to.be.greaterThan(whole)
      expect(addedBySpan(start, Infinity)).to.be.closeTo(whole / 2, 1e-12)
      expect(addedBySpan(-Infinity, start + DAY)).to.be.closeTo(whole / 2, 1e-12)
      expect(addedBySpan(-Infinity, start)).to.equal(0)
    })

    it('prefers rows that mention a time when the query asks for one', () => {
      const rows = [
        candidate('b', { words: ['fox'] }),
        candidate('a', { words: ['fox'], text: { mentionsTime: true } }),
      ]
      expect(order(rows, { terms: ['fox'], isTemporalQuestion: true })).to.deep.equal(['a', 'b'])
      expect(order(rows, { terms: ['fox'] })).to.deep.equal(['b', 'a'])
    })
  })
})
