import { expect } from 'chai'
import fc from 'fast-check'
import { fieldChanges } from '../../../domain/documents/changes.js'
import { fieldsFault, fieldsOf } from '../../../domain/documents/fields.js'
import { fieldValue, type Scalar } from '../../../domain/filter-values.js'

const byCodePoints = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

describe('a field’s value', () => {
  const ascending: Scalar[] = [
    null,
    false,
    true,
    -Number.MAX_VALUE,
    -1e21,
    -2,
    -1.5,
    -1,
    -Number.MIN_VALUE,
    0,
    Number.MIN_VALUE,
    0.1,
    1,
    1.5,
    2,
    10,
    2 ** 53,
    Number.MAX_VALUE,
    '',
    '\u0001',
    ' ',
    '10',
    '2',
    'A',
    'Z',
    'a',
    'ab',
    'b',
    'é',
    '\uffee',
    '😀',
  ]

  it('has the order of the values: null, booleans, numbers, strings by code points', () => {
    const values = ascending.map(fieldValue)
    expect([...values].reverse().sort(byCodePoints)).to.deep.equal(values)
    expect(new Set(values).size).to.equal(values.length)
  })

  it('has the order of any two numbers, and is equal only for equal ones', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(number, number, (a, b) => {
        const order = a < b ? -1 : a > b ? 1 : 0
        expect(Math.sign(byCodePoints(fieldValue(a), fieldValue(b)))).to.equal(order)
      }),
    )
  })

  it('has the order of any two strings by code points, and is equal only for equal ones', () => {
    const text = fc.string({ unit: 'binary', maxLength: 20 })
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(byCodePoints(fieldValue(a), fieldValue(b)))).to.equal(Math.sign(byCodePoints(a, b)))
      }),
    )
  })

  it('is the same for -0 and 0', () => expect(fieldValue(-0)).to.equal(fieldValue(0)))

  it('distinguishes a string from the number, boolean or null that looks like it', () => {
    for (const value of [1, true, false, null, -1e21]) expect(fieldValue(String(value))).not.to.equal(fieldValue(value))
  })

  it('stays short for long strings, ordered by their beginning, and equal only for equal ones', () => {
    const long = (end: string) => `${'😀'.repeat(128)}${end}`
    expect(fieldValue(long('a'))).to.have.lengthOf(1 + 2 * 128 + 64)
    expect(fieldValue(long('a'))).to.equal(fieldValue(long('a')))
    expect(fieldValue(long('a'))).not.to.equal(fieldValue(long('b')))
    expect(fieldValue('😀'.repeat(128))).to.equal(`3${'😀'.repeat(128)}`)
    expect(byCodePoints(fieldValue('😀'.repeat(128)), fieldValue(long('a')))).to.equal(-1)
    expect(byCodePoints(fieldValue('y'.repeat(200)), fieldValue('z'))).to.equal(-1)
    // A string that spells another one's value is not equal to it.
    expect(fieldValue(fieldValue('x'.repeat(200)).slice(1))).not.to.equal(fieldValue('x'.repeat(200)))
  })
})

describe('a document’s fields', () => {
  it('are its top-level scalars, sorted by key', () => {
    const data = JSON.parse(
      '{"b": 1, "a": "x", "list": [1], "object": {"c": 1}, "none": null, "__proto__": true}',
    ) as object
    expect(fieldsOf(data as Record<string, unknown>)).to.deep.equal([
      { key: '__proto__', value: '11' },
      { key: 'a', value: '3x' },
      { key: 'b', value: fieldValue(1) },
      { key: 'none', value: '0' },
    ])
  })

  it('are at most 256, not counting values that are not scalars', () => {
    const scalars = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]))
    expect(fieldsFault({ ...scalars(256), list: [], object: {} })).to.equal(null)
    expect(fieldsFault(scalars(257))).to.match(/256/)
  })

  it('have keys of at most 200 code points', () => {
    expect(fieldsFault({ ['😀'.repeat(200)]: 1 })).to.equal(null)
    expect(fieldsFault({ ['x'.repeat(201)]: 1 })).to.match(/200/)
    expect(fieldsFault({ ['x'.repeat(201)]: {} })).to.match(/200/)
  })

  it('change where their values do', () => {
    const before = { same: 1, other: 1, gone: 1, becomesList: 1, wasList: [1] }
    const after = { same: 1, other: '1', becomesList: [1], wasList: 1, new: null }
    const { written, gone } = fieldChanges(before, after)
    expect(written.map(({ key }) => key)).to.deep.equal(['new', 'other', 'wasList'])
    expect([...gone].sort()).to.deep.equal(['becomesList', 'gone'])
  })
})
