import { expect } from 'chai'
import fc from 'fast-check'
import { comparedTime } from '../../../domain/filters/compared-time.js'
import { parseInstant } from '../../../domain/instant.js'

describe('a time that filters compare', () => {
  const two = (most: number) => fc.integer({ min: 0, max: most }).map((n) => String(n).padStart(2, '0'))
  const date = fc
    .tuple(fc.constantFrom('0001', '1900', '2000', '2023', '2024', '9998'), two(13), two(32))
    .map((parts) => parts.join('-'))
  const seconds = fc.constantFrom('', ':00', ':59.9', ':59.123456789')
  const zone = fc.constantFrom('Z', '+00', '-14:00', '+0530', '+13:59')

  it('is an instant of the contract, on a day that exists', () => {
    fc.assert(
      fc.property(date, two(23), two(59), seconds, zone, (day, hour, minute, second, offset) => {
        const text = `${day}T${hour}:${minute}${second}${offset}`
        // The contract's instants end where their years in UTC do.
        if (!/^(0001-01-01|0001-01-02)/.test(day)) expect(comparedTime(text)).to.equal(parseInstant(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it('may be a date alone, which is its beginning in UTC', () => {
    fc.assert(
      fc.property(date, (day) => {
        expect(comparedTime(day)).to.equal(parseInstant(`${day}T00:00Z`))
      }),
      { numRuns: 1_000 },
    )
  })

  for (const text of [
    '',
    '2026',
    '2026-01-31 08:00Z',
    '2026-01-31T08:00',
    '2026-01-31T08:60Z',
    '2026-01-31T08:00:00.1234567890Z',
    '2026-01-31T08:00+15',
    '2026-01-31\n',
    ' 2026-01-31',
    '٢٠٢٦-٠١-٣١',
    '0000-01-01',
    '9'.repeat(100_000),
  ])
    it(`is not ${JSON.stringify(text.slice(0, 40))}`, () => expect(comparedTime(text)).to.equal(null))
})
