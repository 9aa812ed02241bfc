import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { DOCUMENT_FILTER_FIELDS } from '../../../domain/filters/document-fields.js'
import { MEMORY_FILTER_FIELDS } from '../../../domain/filters/memory-fields.js'
import { readFilter } from '../../../domain/filters/read-filter.js'

const read = (given: unknown) => readFilter(given, MEMORY_FILTER_FIELDS)
const leaf = { run_id: 'r' }
const nested = (levels: number, of: object = leaf): object => (levels === 0 ? of : nested(levels - 1, { not: of }))
const entity = '10000000-0000-4000-8000-00000000000A'

describe('a filter', () => {
  it('becomes one expression', () => {
    expect(
      read({
        and: [
          { 'metadata.a.b': 'x' },
          { or: [{ 'metadata.n': { gte: -0, lt: 5 } }, { 'metadata.due': { gt: '2026-01-31' } }] },
          { not: { tags: { in: ['a', 'b', 'a'] } } },
          { memory_type: 'semantic' },
          { entity_id: entity },
          { run_id: { exists: false } },
          { created_at: { lte: '2026-01-31T01:00:00+01:00' } },
          { valid_at: '2026-01-31' },
          { 'metadata.': null },
        ],
      }),
    ).to.deep.equal({
      expression: {
        kind: 'and',
        of: [
          { kind: 'any of', field: { key: 'a.b' }, values: ['x'] },
          {
            kind: 'or',
            of: [
              {
                kind: 'range',
                field: { key: 'n' },
                of: 'numbers',
                from: { value: 0, includes: true },
                to: { value: 5, includes: false },
              },
              {
                kind: 'range',
                field: { key: 'due' },
                of: 'times',
                from: { value: Date.UTC(2026, 0, 31), includes: false },
              },
            ],
          },
          { kind: 'not', of: { kind: 'any of', field: { column: 'tags' }, values: ['a', 'b'] } },
          { kind: 'any of', field: { column: 'memory_type' }, values: ['fact'] },
          { kind: 'any of', field: { column: 'entity_id' }, values: [entity.toLowerCase()] },
          { kind: 'not', of: { kind: 'exists', field: { column: 'run_id' } } },
          {
            kind: 'range',
            field: { column: 'created_at' },
            of: 'times',
            to: { value: Date.UTC(2026, 0, 31), includes: true },
          },
          { kind: 'valid at', instant: Date.UTC(2026, 0, 31) },
          { kind: 'any of', field: { key: '' }, values: [null] },
        ],
      },
    })
  })

  it('has 20 conditions, 100 values and four levels at most', () => {
    expect(read({ or: Array<object>(20).fill(leaf) })).to.have.property('expression')
    expect(read({ and: [{ or: Array<object>(11).fill(leaf) }, { or: Array<object>(10).fill(leaf) }] }))
      .to.have.nested.property('fault.path')
      .deep.equal(['and', '1', 'or', '9', 'run_id'])
    expect(read(nested(4))).to.have.property('expression')
    expect(read(nested(5)))
      .to.have.nested.property('fault.path')
      .deep.equal(['not', 'not', 'not', 'not', 'not'])
    const values = (count: number) => [...Array(count).keys()]
    expect(read({ 'metadata.k': { in: values(100) } })).to.have.property('expression')
    expect(read({ and: [{ 'metadata.k': { in: values(99) } }, leaf, leaf] }))
      .to.have.nested.property('fault.path')
      .deep.equal(['and', '2', 'run_id'])
  })

  it('of the documentation can be evaluated', () => {
    const rest = readFileSync(new URL('../../../docs/rest.md', import.meta.url), 'utf8')
    const requests = [...rest.matchAll(/```json\n([^]*?)```/g)].map(
      ([, text]) => JSON.parse(text!) as { filter?: unknown; collection?: string },
    )
    const filtered = requests.filter(({ filter }) => filter !== undefined)
    expect(filtered).to.have.length(2)
    for (const { filter, collection } of filtered) {
      const fields = collection === undefined ? MEMORY_FILTER_FIELDS : DOCUMENT_FILTER_FIELDS
      expect(readFilter(filter, fields)).to.have.property('expression')
    }
  })

  const refused: readonly [given: unknown, path: string, msg?: RegExp][] = [
    [null, ''],
    ['x', ''],
    [[], ''],
    [[leaf], ''],
    [{}, ''],
    [{ run_id: 'r', agent_id: 'a' }, ''],
    [{ and: [{}] }, 'and 0'],
    [{ and: [] }, 'and'],
    [{ and: leaf }, 'and'],
    [{ or: Array<object>(21).fill(leaf) }, 'or', /20 conditions/],
    [{ not: [leaf] }, 'not'],
    [{ AND: [leaf] }, 'AND', /no field/],
    [{ metadata: 'x' }, 'metadata', /metadata\.<key>, tags, memory_type/],
    [{ content: 'x' }, 'content'],
    [{ constructor: 'x' }, 'constructor'],
    [JSON.parse('{"__proto__": "x"}'), '__proto__'],
    [{ 'metadata.k': [1] }, 'metadata.k'],
    [{ 'metadata.k': {} }, 'metadata.k'],
    [{ 'metadata.k': { eq: 1 } }, 'metadata.k eq', /in, exists, gt/],
    [{ 'metadata.k': { in: [] } }, 'metadata.k in'],
    [{ 'metadata.k': { in: 'x' } }, 'metadata.k in'],
    [{ 'metadata.k': { in: [1, [2]] } }, 'metadata.k in 1'],
    [{ 'metadata.k': { in: [...Array(101).keys()] } }, 'metadata.k in', /100 values/],
    [{ 'metadata.k': { in: [1], exists: true } }, 'metadata.k'],
    [{ 'metadata.k': { exists: true, gt: 1 } }, 'metadata.k'],
    [{ 'metadata.k': { exists: 'true' } }, 'metadata.k exists'],
    [{ 'metadata.k': { exists: null } }, 'metadata.k exists'],
    [{ 'metadata.k': { gt: 1, gte: 1 } }, 'metadata.k', /one of gt and gte/],
    [{ 'metadata.k': { lt: 1, lte: 1 } }, 'metadata.k', /one of lt and lte/],
    [{ 'metadata.k': { gt: 1, lt: '2026-01-31' } }, 'metadata.k', /not both/],
    [{ 'metadata.k': { gt: 'b' } }, 'metadata.k gt', /A time is written/],
    [{ 'metadata.k': { gt: true } }, 'metadata.k gt'],
    [{ 'metadata.k': { gt: null } }, 'metadata.k gt'],
    [{ 'metadata.k': { gt: Infinity } }, 'metadata.k gt'],
    [{ 'metadata.k': NaN }, 'metadata.k'],
    [{ 'metadata.k': { gt: '2026-02-30' } }, 'metadata.k gt'],
    [{ 'metadata.k': { gt: '2026-01-31T08:00:00' } }, 'metadata.k gt'],
    [{ created_at: '2026-01-31' }, 'created_at'],
    [{ created_at: { gt: 5 } }, 'created_at'],
    [{ created_at: { in: ['2026-01-31'] } }, 'created_at in'],
    [{ valid_at: { gt: '2026-01-31' } }, 'valid_at'],
    [{ valid_at: 'now' }, 'valid_at'],
    [{ tags: 5 }, 'tags'],
    [{ tags: null }, 'tags'],
    [{ tags: { gt: 5 } }, 'tags gt'],
    [{ tags: { in: ['a', 5] } }, 'tags in 1'],
    [{ memory_type: 'novel' }, 'memory_type', /fact, episode/],
    [{ status: { in: ['active', 'gone'] } }, 'status in 1', /active, pending/],
    [{ entity_id: 'ana' }, 'entity_id', /UUID/],
  ]
  for (const [given, path, msg = /./] of refused)
    it(`is not ${JSON.stringify(given)?.slice(0, 80)}`, () => {
      const found = read(given)
      expect(found).to.have.property('fault')
      const { fault } = found as { fault: { path: string[]; msg: string } }
      expect(fault.path).to.deep.equal(path === '' ? [] : path.split(' '))
      expect(fault.msg).to.match(msg)
    })

  it('is refused when it is deep, without reading on', () => {
    let deep: object = leaf
    for (let i = 0; i < 100_000; i++) deep = { not: deep }
    expect(read(deep)).to.have.nested.property('fault.path').with.length(5)
  })
})
