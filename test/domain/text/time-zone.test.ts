import { expect } from 'chai'
import { dateTerms, timeTerms } from '../../../domain/text/memory-text.js'
import { timeReferences } from '../../../domain/text/time-expressions.js'
import { fixedZone, instantOf, namedZone, wallTimeOf } from '../../../domain/text/time-zone.js'

describe('a time zone', () => {
  const at = (text: string) => Date.parse(text)
  const wall = (instant: string, zone: string) =>
    new Date(wallTimeOf(at(instant), namedZone(zone)!)).toISOString().slice(0, 16)

  it('shows an instant as its clocks do, summer time included', () => {
    for (const [instant, zone, shown] of [
      ['2026-11-26T23:00Z', 'Asia/Tokyo', '2026-11-27T08:00'],
      ['2026-11-26T23:00Z', 'asia/tokyo', '2026-11-27T08:00'],
      ['2026-11-26T23:00Z', 'UTC', '2026-11-26T23:00'],
      ['2026-11-26T23:00Z', 'Asia/Kathmandu', '2026-11-27T04:45'],
      ['2026-11-26T23:00Z', 'America/St_Johns', '2026-11-26T19:30'],
      ['2025-03-09T06:59Z', 'America/New_York', '2025-03-09T01:59'],
      ['2025-03-09T07:00Z', 'America/New_York', '2025-03-09T03:00'],
      ['2025-11-02T06:00Z', 'America/New_York', '2025-11-02T01:00'],
      ['2025-06-30T22:00Z', 'Europe/Berlin', '2025-07-01T00:00'],
      ['2025-12-31T10:00Z', 'Pacific/Kiritimati', '2026-01-01T00:00'],
    ] as const)
      expect(wall(instant, zone), `${instant} ${zone}`).to.equal(shown)
  })

  it('names the instant of a wall time: the first of two, and the moment of the change for none', () => {
    const newYork = namedZone('America/New_York')!
    const instant = (shown: string, zone = newYork) =>
      new Date(instantOf(at(`${shown}Z`), zone)).toISOString().slice(0, 16)
    expect(instant('2025-03-09T00:00')).to.equal('2025-03-09T05:00')
    expect(instant('2025-03-10T00:00')).to.equal('2025-03-10T04:00')
    expect(instant('2025-11-02T01:30')).to.equal('2025-11-02T05:30')
    expect(instant('2018-11-04T00:00', namedZone('America/Sao_Paulo')!)).to.equal('2018-11-04T03:00')
    expect(instant('2026-11-27T08:00', fixedZone(9 * 3_600_000))).to.equal('2026-11-26T23:00')
    expect(instantOf(-Infinity, newYork)).to.equal(-Infinity)
  })

  it('is none for another name', () => {
    for (const name of ['', 'Tokyo', 'Mars/Olympus', 'Asia/Tokyo ', 'now', '../etc', '\0'])
      expect(namedZone(name), name).to.equal(null)
  })

  it('has days that the dates of two days in UTC belong to', () => {
    const tokyo = namedZone('Asia/Tokyo')!
    const now = wallTimeOf(at('2026-11-26T23:00Z'), tokyo)
    const termsOf = (query: string) => timeTerms(timeReferences(query, now), now, tokyo)
    const days = (...all: string[]) => [...new Set(all.flatMap((day) => dateTerms(new Date(day))))]
    expect(termsOf('what happened today?')).to.have.members(days('2026-11-26', '2026-11-27'))
    expect(termsOf('what happened yesterday?')).to.have.members(days('2026-11-25', '2026-11-26'))
  })
})
