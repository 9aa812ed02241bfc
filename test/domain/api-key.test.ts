import { expect } from 'chai'
import { formatApiKey, hashSecret, makeApiKey, parseApiKey, randomBase62, secretMatches } from '../../domain/api-key.js'

describe('api keys', () => {
  it('are parsed as they were formatted', () => {
    const key = makeApiKey()
    expect(parseApiKey(formatApiKey(key))).to.deep.equal(key)
    expect(formatApiKey(key)).to.match(/^cairn_[0-9A-Za-z]{16}_[0-9A-Za-z]{43}$/)
  })

  it('are never the same twice', () => {
    const texts = Array.from({ length: 1000 }, () => formatApiKey(makeApiKey()))
    expect(new Set(texts).size).to.equal(1000)
  })

  for (const text of ['', 'cairn_', 'cairn_a_short', 'cairn__' + 'x'.repeat(43), 'other_a_' + 'x'.repeat(43)])
    it(`are not parsed from ${JSON.stringify(text)}`, () => expect(parseApiKey(text)).to.equal(null))

  it('contain only base62 and nothing around the key', () => {
    const text = formatApiKey(makeApiKey())
    for (const other of [` ${text}`, `${text} `, `${text}\n`, text.replace(/.$/, '-'), text.replace(/.$/, 'é')])
      expect(parseApiKey(other)).to.equal(null)
  })

  it('match their own secret and no other', () => {
    const [one, other] = [makeApiKey(), makeApiKey()]
    expect(secretMatches(one.secret, hashSecret(one.secret))).to.equal(true)
    expect(secretMatches(other.secret, hashSecret(one.secret))).to.equal(false)
    expect(secretMatches('', Buffer.alloc(0))).to.equal(false)
  })

  it('draw every character of base62 and skip bytes that would favour some', () => {
    expect(randomBase62(62, () => Buffer.from(Array.from({ length: 62 }, (_, i) => i)))).to.equal(
      '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    )
    let calls = 0
    const drawn = randomBase62(2, () => Buffer.from(calls++ === 0 ? [255, 248] : [61, 1]))
    expect(drawn).to.equal('z1')
  })
})
