import type { RecallFilter } from '../../domain/recall-filter.js'
import { expect } from 'chai'
import fc from 'fast-check'
import type { IndexCondition } from '../../domain/filters/index-condition.js'
import { MEMORY_FILTER_FIELDS } from '../../domain/filters/memory-fields.js'
import { readFilter } from '../../domain/filters/read-filter.js'
import { runToEnd } from '../../domain/yielding.js'
import { memoryEntry } from '../../services/indexing/index-entries.js'
import { memoryCondition } from '../../services/retrieval/filters.js'
import { type FilteredRow, filteredRow, meets, randomFilter } from '../support/random-filters.js'
import { VISIBILITIES, audienceOf, isVisible, type VisibleRow, type Viewer } from '../../domain/visibility.js'
import type { IndexDocument, TenantIndex } from '../../search/search-index.js'
import { metadataTerm } from '../../search/search-index.js'
import { fieldValue, type Scalar } from '../../domain/filter-values.js'
import type { Subject } from './search-index.test.js'
import { authoredFleetsOf, NOW, changes, document, filter, ids, unit } from './seeds.js'

const FOUND = { terms: ['word'], vector: unit(1), entityIds: ['e'] }

function term(key: string, value: Scalar): string {
  return metadataTerm(key, fieldValue(value))
}

/** Returns a filter by these terms: one of each list. */
function byTerms(...lists: readonly string[][]): Partial<RecallFilter> {
  return { condition: { kind: 'and', of: lists.map((anyOf) => ({ kind: 'terms', anyOf })) } }
}

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
  'terms of metadata, by JSON equality': {
    documents: {
      none: {},
      text: { metadataTerms: [term('n', '1'), term('k', 'v')] },
      number: { metadataTerms: [term('n', 1), term('k', 'v')] },
      long: { metadataTerms: [term('k', 'x'.repeat(40_000))] },
    },
    filters: [
      [byTerms([term('k', 'v')]), ['text', 'number']],
      [byTerms([term('k', 'v')], [term('n', 1)]), ['number']],
      [byTerms([term('n', '1'), term('n', 1)]), ['text', 'number']],
      [byTerms([term('k', 'v')], [term('n', 1), term('n', 2)]), ['number']],
      [byTerms([term('k', 'x'.repeat(40_000))]), ['long']],
      [byTerms([term('k', 'x'.repeat(39_999))]), []],
      [{}, ['none', 'text', 'number', 'long']],
    ],
  },
}

const ROWS = 60

/** Returns a row as indexing writes it, with what both legs find it by. */
function indexedRow(row: FilteredRow, i: number): IndexDocument {
  const memory = {
    ...document(),
    ...{ version: 1, title: null, content: 'word', language: null, metadata: row.metadata },
    systemMetadata: row.tags.length > 0 ? { tags: row.tags } : {},
    ...{ agentId: row.agent_id, fleetId: row.fleet_id, runId: row.run_id },
    ...{ memoryType: row.memory_type, status: row.status, visibility: 'scope_org' as const },
    createdAt: new Date(row.created_at),
    expiresAt: null,
    validStart: row.ts_valid_start === null ? null : new Date(row.ts_valid_start),
    validEnd: row.ts_valid_end === null ? null : new Date(row.ts_valid_end),
    ...{ textHash: Buffer.alloc(32), seenFrom: new Date(NOW) },
    ...{
      entityIds: row.entity_id,
      givenEntityIds: row.entity_id,
      foundNames: [],
      nearKeys: [],
      isNearDuplicate: false,
    },
  }
  const { document: indexed } = runToEnd(memoryEntry({ id: `${i}`, seq: i + 1, memory }))
  return { ...indexed!, terms: ['word'], vector: unit(1) }
}

async function foundInTwoLegs(memories: TenantIndex, narrowed: RecallFilter): Promise<object> {
  const { keyword, vector } = await foundBy(memories, narrowed)
  return { keyword, vector }
}

function twoLegs(found: readonly string[]): object {
  const { keyword, vector } = everyLeg(found)
  return { keyword, vector }
}

/** A condition of each kind with the documents that meet it, of two that are there. */
const CONDITIONS: Readonly<Record<string, readonly [IndexCondition, Partial<IndexDocument>, Partial<IndexDocument>]>> =
  {
    'a term': [{ kind: 'terms', anyOf: ['x', 'y'] }, { metadataTerms: ['y'] }, { metadataTerms: ['z'] }],
    'terms between': [
      { kind: 'terms between', from: { term: 'k2', includes: true }, to: { term: 'k5', includes: false } },
      { metadataTerms: ['k1', 'k2', 'k7'] },
      { metadataTerms: ['k1', 'k5', 'k7'] },
    ],
    'terms between, the other way round': [
      { kind: 'terms between', from: { term: 'k2', includes: false }, to: { term: 'k5', includes: true } },
      { metadataTerms: ['k5'] },
      { metadataTerms: ['k2'] },
    ],
    'a column': [{ kind: 'column', column: 'run_id', anyOf: ['r', 's'] }, { runId: 's' }, { runId: 't' }],
    'an empty column': [{ kind: 'column', column: 'run_id', anyOf: ['r'] }, { runId: 'r' }, { runId: null }],
    'a time': [
      { kind: 'times', column: 'valid_start', from: { value: 5, includes: true } },
      { validStart: 5 },
      { validStart: 4 },
    ],
    'a missing time': [
      { kind: 'times', column: 'valid_end', to: { value: 5, includes: false } },
      { validEnd: 4 },
      { validEnd: null },
    ],
    'a column that has something': [{ kind: 'has', column: 'valid_end' }, { validEnd: 4 }, { validEnd: null }],
    entities: [{ kind: 'entities', anyOf: ['f', 'g'] }, { entityIds: ['e', 'g'] }, { entityIds: ['e'] }],
    validity: [{ kind: 'valid at', instant: 5 }, { validStart: 5, validEnd: 6 }, { validEnd: 5 }],
    'all of several': [
      {
        kind: 'and',
        of: [
          { kind: 'has', column: 'run_id' },
          { kind: 'terms', anyOf: ['x'] },
        ],
      },
      { runId: 'r', metadataTerms: ['x'] },
      { metadataTerms: ['x'] },
    ],
    'one of several': [
      {
        kind: 'or',
        of: [
          { kind: 'has', column: 'run_id' },
          { kind: 'terms', anyOf: ['x'] },
        ],
      },
      { metadataTerms: ['x'] },
      { metadataTerms: ['z'] },
    ],
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

    for (const [name, [condition, met, unmet]] of Object.entries(CONDITIONS)) {
      it(`narrow by ${name}, and by its opposite`, async () => {
        const memories = tenant()
        await memories.write(changes({ met: { ...FOUND, ...met }, unmet: { ...FOUND, ...unmet } }))
        expect(await foundBy(memories, filter({ condition }))).to.eql(everyLeg(['met']))
        const not = { kind: 'not', of: condition } as const
        expect(await foundBy(memories, filter({ condition: not }))).to.eql(everyLeg(['unmet']))
        const either = { kind: 'or', of: [condition, not] } as const
        const hidden = filter({ audience: { kind: 'shared', agentId: 'bob', fleets: [] }, condition: either })
        await memories.write([
          { id: 'unmet', seq: 9, document: document({ ...FOUND, ...unmet, visibility: 'scope_agent' }) },
        ])
        expect(await foundBy(memories, hidden)).to.eql(everyLeg(['met']))
      })
    }

    it('evaluate a filter of a caller as a plain reading of the contract does', async () => {
      const memories = tenant()
      const rows = fc.sample(filteredRow, { numRuns: ROWS, seed: 1 })
      await memories.write(rows.map((row, i) => ({ id: `${i}`, seq: i + 1, document: indexedRow(row, i) })))
      const all = rows.map((_, i) => `${i}`)
      expect(await foundInTwoLegs(memories, filter())).to.eql(twoLegs(all))
      await fc.assert(
        fc.asyncProperty(randomFilter, async (given) => {
          const read = readFilter(given, MEMORY_FILTER_FIELDS)
          if ('fault' in read) throw new Error(`${read.fault.path.join('.')}: ${read.fault.msg}`)
          const expected = all.filter((_, i) => meets(given, rows[i]!))
          const found = await foundInTwoLegs(memories, filter({ condition: memoryCondition(read.expression) }))
          expect(found).to.eql(twoLegs(expected))
        }),
        { numRuns: 150 },
      )
    })

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
        metadataTerms: [term('k', true)],
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
        ...byTerms([term('k', true)]),
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
