import { expect } from 'chai'
import fc from 'fast-check'
import { numberLossOf } from '../../domain/exact-numbers.js'

describe('a JSON number that is read as a double and written again', () => {
  const table: [loss: ReturnType<typeof numberLossOf>, tokens: string[]][] = [
    [
      null,
      ['0', '-0', '0.0', '0e400', '-0.000e-999', '1', '-1.50', '0.1', '1e20', '1E+20', '100000000000000000000.000'],
    ],
    [
      null,
      ['9007199254740991', '9007199254740992', '-9007199254740994', '9007199254740992.0', '6.02214076e23', '1e308'],
    ],
    [null, ['0.1234567890123456789', '12345678901234567.5', '5e-324', '1e-300', '1.7976931348623157e308']],
    [
      'digits',
      ['9007199254740993', '-9007199254740993', '9007199254740993.0', '90071992547409930e-1', '9.007199254740993e15'],
    ],
    ['digits', ['12345678901234567890', '12345678901234567890.0', '18446744073709551615', '1234567890123456789e5']],
    // A double represents these two, but JSON writes them as …7000 and …52000.
    ['digits', ['1152921504606846976', '18446744073709551616']],
    ['overflow', ['1e309', '-1e400', `1${'0'.repeat(400)}`, '0.1e400']],
    ['underflow', ['1e-400', '-1e-400', `0.${'0'.repeat(400)}1`, '2e-324']],
  ]
  for (const [loss, tokens] of table)
    for (const token of tokens)
      it(`${loss === null ? 'is unchanged' : `loses by ${loss}`}: ${token.slice(0, 30)}`, () =>
        expect(numberLossOf(token)).to.equal(loss))

  it('is unchanged when it was written from a double', () => {
    const double = fc.double({ noNaN: true, noDefaultInfinity: true })
    fc.assert(
      fc.property(double, (value) => {
        expect(numberLossOf(JSON.stringify(value))).to.equal(null)
      }),
    )
  })

  it('is unchanged as an integer exactly when the same integer comes back', () => {
    const integer = fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n })
    const near = fc.bigInt({ min: 2n ** 53n - 50n, max: 2n ** 53n + 50n })
    fc.assert(
      fc.property(fc.oneof(integer, near), fc.nat(3), fc.boolean(), (whole, zeros, isPower) => {
        const token = isPower
          ? `${whole}${'0'.repeat(zeros)}e-${zeros}`
          : `${whole}${zeros > 0 ? `.${'0'.repeat(zeros)}` : ''}`
        const back = Number(token).toLocaleString('en', { useGrouping: false, maximumFractionDigits: 0 })
        expect(numberLossOf(token)).to.equal(back.replace('-0', '0') === String(whole) ? null : 'digits')
      }),
    )
  })
})
