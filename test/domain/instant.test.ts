import { expect } from 'chai'
import { parseInstant } from '../../domain/instant.js'

describe('an instant', () => {
  const MIDNIGHT = Date.UTC(2026, 10, 1)

  it('is named by every form of ISO 8601 with an offset', () => {
    for (const text of [
      '2026-11-01T00:00:00Z',
      '2026-11-01T00:00:00.000Z',
      '2026-11-01t00:00:00z',
      '2026-11-01T00:00Z',
      '2026-11-01T00:00+00:00',
      '2026-11-01T00:00:00+0000',
      '2026-11-01T00:00:00-00:00',
      '2026-11-01T00:00+00',
      '2026-11-01T05:30+0530',
      '2026-11-01T05:45:00+05:45',
      '2026-10-31T19:00:00.000000-05',
      '2026-11-01T09:00+09',
    ])
      expect(parseInstant(text), text).to.equal(MIDNIGHT)
  })

  it('has milliseconds, whatever digits follow them', () => {
    expect(parseInstant('2026-11-01T00:00:00.1Z')).to.equal(MIDNIGHT + 100)
    expect(parseInstant('2026-11-01T00:00:00.123456+0000')).to.equal(MIDNIGHT + 123)
    expect(parseInstant('2026-11-01T00:00:00.123999999Z')).to.equal(MIDNIGHT + 123)
  })

  it('is nothing that names another one elsewhere, on no day, or in another form', () => {
    for (const text of [
      '2026-11-01',
      '2026-11-01Z',
      '2026-11-01T00:00:00',
      '2026-11-01T00:00',
      '2026-11-01T00Z',
      '2026-11-01 00:00:00Z',
      '2026-11-01T00:00:00Z00',
      '2026-11-01T00:00:00 00:00',
      '2026-11-01T00:00:00+0',
      '2026-11-01T00:00:00+000',
      '2026-11-01T00:00:00+24:00',
      '2026-11-01T00:00:00+00:60',
      '2026-11-01T00:00:60Z',
      '2026-11-01T00:60Z',
      '2026-11-01T25:00Z',
      '2026-02-29T00:00Z',
      '2026-13-01T00:00Z',
      '20261101T000000Z',
      '2026-11-01T00:00:00,5Z',
      '2026-11-01T00:00.5Z',
      '0000-12-31T00:00Z',
      '0001-01-01T00:00+01',
      '9999-12-31T23:59-01',
      '1793491200',
      'today',
      '',
    ])
      expect(parseInstant(text), text).to.equal(null)
  })
})
