import { expect } from 'chai'
import { orderBySupersession } from '../../../domain/life/lineage.js'

const member = (id: string, day: number) => ({ id, createdAt: new Date(Date.UTC(2024, 0, day)) })

describe('a lineage', () => {
  it('sorts a superseded memory before the one that superseded it, whenever they were written', () => {
    const supersessionLinks = [
      { oldId: 'late', newId: 'first' },
      { oldId: 'first', newId: 'last' },
    ]
    const members = [member('first', 1), member('late', 2), member('last', 3)]
    expect(orderBySupersession(members, supersessionLinks).map(({ id }) => id)).to.deep.equal(['late', 'first', 'last'])
  })

  it('sorts by time of writing otherwise', () => {
    const supersessionLinks = ['a', 'b', 'c'].map((oldId) => ({ oldId, newId: 'last' }))
    const members = [member('a', 3), member('last', 9), member('b', 1), member('c', 2)]
    expect(orderBySupersession(members, supersessionLinks).map(({ id }) => id)).to.deep.equal(['b', 'c', 'a', 'last'])
  })

  it('breaks a cycle at its earliest member', () => {
    const supersessionLinks = [
      { oldId: 'a', newId: 'b' },
      { oldId: 'b', newId: 'a' },
    ]
    expect(orderBySupersession([member('b', 2), member('a', 1)], supersessionLinks).map(({ id }) => id)).to.deep.equal([
      'a',
      'b',
    ])
  })
})
