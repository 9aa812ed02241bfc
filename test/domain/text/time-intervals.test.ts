import { expect } from 'chai'
import { intervalBounds } from '../../../domain/text/time-intervals.js'
import { namedZone, UTC } from '../../../domain/text/time-zone.js'

describe('domain/text/time-intervals', () => {
  const boundsOf = (from: string, to: string, length: 'hour' | 'day' | 'week', zone = UTC) =>
    intervalBounds({ from: Date.parse(from), to: Date.parse(to) }, length, zone)?.map((at) =>
      new Date(at).toISOString(),
    )

  it('have the moments from the first to the last in them', () =>
    expect(boundsOf('2026-03-02T10:20:00Z', '2026-03-04T00:00:00Z', 'day')).to.deep.equal([
      '2026-03-02T00:00:00.000Z',
      '2026-03-03T00:00:00.000Z',
      '2026-03-04T00:00:00.000Z',
    ]))

  it('are one where both moments are in one', () =>
    expect(boundsOf('2026-03-02T10:20:00Z', '2026-03-02T10:20:01Z', 'hour')).to.deep.equal([
      '2026-03-02T10:00:00.000Z',
      '2026-03-02T11:00:00.000Z',
    ]))

  it('begin weeks on Monday', () =>
    expect(boundsOf('2026-03-01T12:00:00Z', '2026-03-02T12:00:00Z', 'week')).to.deep.equal([
      '2026-02-23T00:00:00.000Z',
      '2026-03-02T00:00:00.000Z',
      '2026-03-09T00:00:00.000Z',
    ]))

  it('are the days of a zone, longer and shorter where its clocks change', () => {
    const berlin = namedZone('Europe/Berlin')!
    expect(boundsOf('2026-03-28T12:00:00Z', '2026-03-29T23:00:00Z', 'day', berlin)).to.deep.equal([
      '2026-03-27T23:00:00.000Z',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
      '2026-03-30T22:00:00.000Z',
    ])
    expect(boundsOf('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', 'hour', berlin)).to.have.length(4)
  })

  it('begin hours and days where a zone is ahead by half an hour', () => {
    const kolkata = namedZone('Asia/Kolkata')!
    expect(boundsOf('2026-03-02T00:00:00Z', '2026-03-02T00:10:00Z', 'hour', kolkata)![0]).to.equal(
      '2026-03-01T23:30:00.000Z',
    )
    expect(boundsOf('2026-03-02T00:00:00Z', '2026-03-02T00:10:00Z', 'day', kolkata)![0]).to.equal(
      '2026-03-01T18:30:00.000Z',
    )
  })

  it('have their first moment in them where clocks show an hour twice', () => {
    for (const [zone, from] of [
      ['Europe/Berlin', '2026-10-25T01:30:00Z'],
      ['America/Halifax', '2025-11-02T05:23:00Z'],
    ] as const) {
      const [start, end] =
        boundsOf(from, '2026-10-25T03:00:00Z', 'hour', namedZone(zone)!) ??
        boundsOf(from, '2025-11-02T07:00:00Z', 'hour', namedZone(zone)!)!
      expect(Date.parse(start!)).to.be.at.most(Date.parse(from))
      expect(Date.parse(end!)).to.be.greaterThan(Date.parse(from))
    }
  })

  it('are at most a thousand', () => {
    expect(boundsOf('2026-01-01T00:00:00Z', '2026-02-11T16:00:00Z', 'hour')).to.have.length(1_001)
    expect(boundsOf('2026-01-01T00:00:00Z', '2026-02-11T16:00:01Z', 'hour')).to.equal(undefined)
    expect(boundsOf('0001-01-01T00:00:00Z', '9999-12-31T00:00:00Z', 'hour')).to.equal(undefined)
  })
})
