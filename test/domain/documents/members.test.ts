import { expect } from 'chai'
import { fieldValue } from '../../../domain/filter-values.js'
import { LONG_LIST, membersOf } from '../../../domain/documents/members.js'

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

describe('the members of a document’s lists', () => {
  it('are its distinct scalars at top-level keys', () => {
    const data = { tags: ['a', 1, 'a', null, -0, 0, [2], { a: 3 }], none: [], deep: { tags: ['b'] }, one: 'a' }
    const values = ['a', 1, null, 0].map(fieldValue)
    expect(membersOf(data)).to.deep.equal({ rows: values.map((value) => ({ key: 'tags', value })), stored: true })
  })

  it('have 256 rows at most, of which long lists take one each', () => {
    for (const [data, rows, long] of [
      [{ a: numbers(256) }, 256, []],
      [{ a: numbers(257) }, 1, ['a']],
      [{ a: numbers(10_000), b: [1], c: numbers(200), d: numbers(40) }, 242, ['a']],
      [{ a: numbers(10_000), b: numbers(200), c: numbers(100) }, 102, ['a', 'b']],
      [{ a: numbers(128), b: numbers(128) }, 256, []],
      [{ a: numbers(128), b: numbers(129) }, 129, ['b']],
      [Object.fromEntries(numbers(256).map((i) => [i, [i]])), 256, []],
      [Object.fromEntries(numbers(256).map((i) => [i, [i, -1]])), 256, numbers(256).map(String)],
    ] as const) {
      const members = membersOf(data)
      const marked = members.rows.filter(({ value }) => value === LONG_LIST).map(({ key }) => key)
      expect([members.rows.length, members.stored]).to.deep.equal([rows, true])
      expect(marked).to.have.members([...long])
    }
  })

  it('are not stored for more lists than rows', () => {
    expect(membersOf(Object.fromEntries(numbers(257).map((i) => [i, [i]])))).to.deep.equal({ rows: [], stored: false })
  })
})
