import type { RecallFilter } from '../../domain/recall-filter.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { VISIBILITIES, audienceOf, isVisible, type VisibleRow, type Viewer } from '../../domain/visibility.js'
import type { IndexDocument, TenantIndex } from '../../search/search-index.js'
import { metadataTerm } from '../../search/search-index.js'
import type { Subject } from './search-index.test.js'
import { authoredFleetsOf, NOW, changes, document, filter, ids, unit } from './seeds.js'

const FOUND = { terms: ['word'], vector: unit(1), entityIds: ['e'] }

/** Returns what each leg finds with the filter, sorted; every document matches in every leg. */
async function foundBy(memories: TenantIndex, narrowed: RecallFilter): Promise<Record<string, string[]>> {
  const answer = await memories.search({
    filter: narrowed,
    size: 500,
    keyword: { terms: ['word'] },
    vector: { vector: unit(1) },
    entity: { entityIds: ['e'] },
  })
  expect(answer.failed).to.eql([])
  return {
    keyword: ids(answer, 'keyword').sort(),
    vector: ids(answer, 'vector').sort(),
    entity: ids(answer, 'entity').sort(),
  }
}

function everyLeg(found: readonly string[]): Record<string, string[]> {
  const sorted = [...found].sort()
  return { keyword: sorted, vector: sorted, entity: sorted }
}

interface Case {
  readonly documents: Readonly<Record<string, Partial<IndexDocument>>>
  readonly filters: readonly (readonly [Partial<RecallFilter>, readonly string[]])[]
}

const CASES: Readonly<Record<string, Case>> = {
  statuses: {
    documents: { active: {}, archived: { status: 'archived' }, outdated: { status: 'outdated' } },
    filters: [
      [{ statuses: ['active'] }, ['active']],
      [{ statuses: ['archived', 'outdated'] }, ['archived', 'outdated']],
      [{ statuses: ['cancelled'] }, []],
      [{ statuses: [] }, []],
    ],
  },
  'expires_at, from that instant on': {
    documents: { never: {}, later: { expiresAt: NOW + 1 }, now: { expiresAt: NOW }, before: { expiresAt: NOW - 1 } },
    filters: [
      [{}, ['never', 'later']],
      [{ now: NOW + 1 }, ['never']],
      [{ now: NOW - 2 }, ['never', 'later', 'now', 'before']],
    ],
  },
  memoryTypes: {
    documents: { fact: {}, plan: { memoryType: 'plan' }, rule: { memoryType: 'rule' } },
    filters: [
      [{ memoryTypes: ['plan'] }, ['plan']],
      [{ memoryTypes: ['plan', 'rule'] }, ['plan', 'rule']],
      [{ memoryTypes: [] }, []],
    ],
  },
  fleetIds: {
    documents: { none: {}, red: { fleetId: 'red' }, blue: { fleetId: 'blue' } },
    filters: [
      [{ fleetIds: ['red'] }, ['red']],
      [{ fleetIds: ['red', 'blue'] }, ['red', 'blue']],
      [{ fleetIds: ['Red'] }, []],
      [{ fleetIds: [] }, []],
    ],
  },
  agentId: {
    documents: { alice: {}, bob: { agentId: 'bob' }, none: { agentId: null } },
    filters: [
      [{ agentId: 'bob' }, ['bob']],
      [{ agentId: 'bo' }, []],
    ],
  },
  runId: {
    documents: { none: {}, one: { runId: 'run 1' }, two: { runId: 'run 2' }, long: { runId: 'r'.repeat(40_000) } },
    filters: [
      [{ runId: 'run 1' }, ['one']],
      [{ runId: 'run' }, []],
      [{ runId: 'r'.repeat(40_000) }, ['long']],
      [{ runId: 'r'.repeat(39_999) }, []],
    ],
  },
  'createdAfter and createdBefore, both excluded': {
    documents: { one: { createdAt: 1000 }, two: { createdAt: 2000 }, three: { createdAt: 3000 } },
    filters: [
      [{ createdAfter: 2000 }, ['three']],
      [{ createdBefore: 2000 }, ['one']],
      [{ createdAfter: 1001, createdBefore: 3000 }, ['two']],
      [{ createdAfter: 3001 }, []],
    ],
  },
  'validAt, open bounds holding every instant': {
    documents: {
      open: {},
      from: { validStart: 1000 },
      until: { validEnd: 1000 },
      between: { validStart: 1000, validEnd: 2000 },
      ancient: { validStart: -5000, validEnd: -4000 },
    },
    filters: [
      [{ validAt: 999 }, ['open', 'until']],
      [{ validAt: 1000 }, ['open', 'from', 'between']],
      [{ validAt: 2000 }, ['open', 'from']],
      [{ validAt: -4500 }, ['open', 'until', 'ancient']],
    ],
  },
  'metadataTerms, all of them, by JSON equality': {
    documents: {
      none: {},
      text: { metadataTerms: [metadataTerm('n', '1'), metadataTerm('k', 'v')] },
      number: { metadataTerms: [metadataTerm('n', 1), metadataTerm('k', 'v')] },
      long: { metadataTerms: [metadataTerm('k', 'x'.repeat(40_000))] },
    },
    filters: [
      [{ metadataTerms: [[metadataTerm('k', 'v')]] }, ['text', 'number']],
      [{ metadataTerms: [[metadataTerm('k', 'v')], [metadataTerm('n', 1)]] }, ['number']],
      [{ metadataTerms: [[metadataTerm('n', '1'), metadataTerm('n', 1)]] }, ['text', 'number']],
      [{ metadataTerms: [[metadataTerm('k', 'v')], [metadataTerm('n', 1), metadataTerm('n', 2)]] }, ['number']],
      [{ metadataTerms: [[metadataTerm('k', 'x'.repeat(40_000))]] }, ['long']],
      [{ metadataTerms: [[metadataTerm('k', 'x'.repeat(39_999))]] }, []],
      [{ metadataTerms: [] }, ['none', 'text', 'number', 'long']],
    ],
  },
}

export function describeFilters({ tenant }: Subject): void {
  describe('filters, in every leg', () => {
    for (const [member, { documents, filters }] of Object.entries(CASES)) {
      it(`narrow by ${member}`, async () => {
        const memories = tenant()
        const seeds = Object.entries(documents).map(([id, fields]) => [id, { ...FOUND, ...fields }])
        await memories.write(changes(Object.fromEntries(seeds)))
        for (const [narrowing, expected] of filters) {
          const found = await foundBy(memories, filter(narrowing))
          expect(found, JSON.stringify(narrowing).slice(0, 100)).to.eql(everyLeg(expected))
        }
      })
    }

    it('narrow by all members at once', async () => {
      const memories = tenant()
      const wanted: Partial<IndexDocument> = {
        ...FOUND,
        fleetId: 'red',
        memoryType: 'plan',
        runId: 'r',
        createdAt: 1000,
        expiresAt: NOW + 5,
        validStart: 5,
        validEnd: 10,
        metadataTerms: [metadataTerm('k', true)],
      }
      await memories.write(changes({ wanted, other: { ...wanted, runId: 's' }, bare: FOUND }))
      const narrowed = filter({
        audience: { kind: 'shared', agentId: 'alice', fleets: ['red'] },
        memoryTypes: ['plan'],
        fleetIds: ['red'],
        agentId: 'alice',
        runId: 'r',
        createdAfter: 999,
        createdBefore: 1001,
        validAt: 9,
        metadataTerms: [[metadataTerm('k', true)]],
      })
      expect(await foundBy(memories, narrowed)).to.eql(everyLeg(['wanted']))
    })
  })

  describe('audience', () => {
    const agents = [null, 'alice', 'bob'] as const
    const fleets = [null, 'red', 'blue', 'green'] as const

    it('shows in every leg exactly what `isVisible` says, to every viewer of every row', async () => {
      const memories = tenant()
      const rows = new Map<string, VisibleRow>()
      for (const agentId of agents) {
        for (const fleetId of fleets) {
          for (const visibility of VISIBILITIES)
            rows.set(`${agentId}/${fleetId}/${visibility}`, { agentId, fleetId, visibility })
        }
      }
      await memories.write(
        [...rows].map(([id, row], i) => ({ id, seq: i + 1, document: document({ ...FOUND, ...row }) })),
      )

      const viewer: fc.Arbitrary<Viewer> = fc.record({
        agentId: fc.constantFrom(...agents, 'carol'),
        fleetId: fc.constantFrom(...fleets),
        trust: fc.constantFrom(0, 1, 2, 3),
        fleetless: fc.boolean(),
      })
      const asked = fc.oneof(fc.constant('all' as const), fc.subarray(['red', 'blue', 'green', 'yellow']))
      await fc.assert(
        fc.asyncProperty(viewer, asked, async (who, fleetsAsked) => {
          const audience = audienceOf(who, fleetsAsked)
          const visible = [...rows].filter(([, row]) => isVisible(audience, row)).map(([id]) => id)
          const authoredFleets = authoredFleetsOf(audience, rows.values())
          expect(await foundBy(memories, filter({ audience, authoredFleets }))).to.eql(everyLeg(visible))
        }),
        { numRuns: 60 },
      )
    })

    it('shows nothing to nobody', async () => {
      const memories = tenant()
      await memories.write(changes({ a: FOUND }))
      expect(await foundBy(memories, filter({ audience: { kind: 'nobody' } }))).to.eql(everyLeg([]))
      expect(await foundBy(memories, filter())).to.eql(everyLeg(['a']))
    })
  })
}
