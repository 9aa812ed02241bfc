import { expect } from 'chai'
import { digitsFault } from '../../domain/written-digits.js'

describe('the written-out digits of an object', () => {
  it('are not limited as long as JSON writes them without an exponent', () => {
    const numbers = [0, -0, 1, -1.5, 2 ** 53, 999_999_999_999_999_900_000, 0.000001]
    expect(digitsFault({ list: Array.from({ length: 14_000 }, () => numbers) })).to.equal(null)
  })

  for (const number of [1e300, -1e300, 1e-300, -1e-300])
    it(`are limited to 262,144 for exponents such as that of ${number}, at any position`, () => {
      const data = (count: number) => ({ a: Array.from({ length: count }, () => ({ b: [number] })) })
      expect(digitsFault(data(873))).to.equal(null)
      expect(digitsFault(data(874))).to.match(/an exponent/)
    })

  it('are counted in nested lists', () => {
    let data: unknown = Array.from({ length: 1_000 }, () => 1e308)
    for (let depth = 0; depth < 90; depth++) data = [data]
    expect(digitsFault({ data })).to.match(/an exponent/)
  })
})
