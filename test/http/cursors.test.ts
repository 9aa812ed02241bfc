import { expect } from 'chai'
import fc from 'fast-check'
import { randomBytes } from 'node:crypto'
import { readCursor, signCursor } from '../../http/pages.js'
import { HttpError } from '../../http/errors.js'

describe('a cursor', () => {
  const secret = randomBytes(32)
  const binding = { tenant: 'acme', operation: 'listMemories', status: 'active', nested: { a: 1, b: 2 } }
  const position = { createdAt: '2026-01-31T12:00:00.000Z', id: 'x' }
  const refused = (...[key, bound, cursor]: Parameters<typeof readCursor>) => {
    expect(() => readCursor(key, bound, cursor))
      .to.throw(HttpError)
      .with.property('status', 400)
  }

  it('returns the position that it was created from', () => {
    expect(readCursor(secret, binding, signCursor(secret, binding, position))).to.deep.equal(position)
  })

  it('needs no escaping in a URL', () => {
    expect(signCursor(secret, binding, { text: '>>>???äöü' })).to.match(/^[A-Za-z0-9_-]+$/)
  })

  it('is bound to values, not to their order, nor to undefined ones', () => {
    const cursor = signCursor(secret, binding, position)
    const same = {
      nested: { b: 2, a: 1 },
      fleet: undefined,
      status: 'active',
      operation: 'listMemories',
      tenant: 'acme',
    }
    expect(readCursor(secret, same, cursor)).to.deep.equal(position)
  })

  it('is refused for another tenant, operation or filter, and without a filter it had', () => {
    const cursor = signCursor(secret, binding, position)
    const { status: _, ...fewer } = binding
    for (const other of [
      { ...binding, tenant: 'other' },
      { ...binding, operation: 'listEntities' },
      { ...binding, status: 'archived' },
      { ...binding, visibility: 'scope_org' },
      fewer,
    ]) {
      refused(secret, other, cursor)
    }
  })

  it('is refused with another secret', () => {
    refused(randomBytes(32), binding, signCursor(secret, binding, position))
  })

  it('is refused with any character changed, added or removed', () => {
    const cursor = signCursor(secret, binding, position)
    for (let i = 0; i < cursor.length; i++) {
      refused(secret, binding, `${cursor.slice(0, i)}${cursor[i] === 'A' ? 'B' : 'A'}${cursor.slice(i + 1)}`)
      refused(secret, binding, cursor.slice(0, i))
    }
    refused(secret, binding, `${cursor}A`)
    refused(secret, binding, `${cursor}=`)
  })

  it('is refused when it is any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => refused(secret, binding, text)))
  })
})
