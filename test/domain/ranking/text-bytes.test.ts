import { expect } from 'chai'
import fc from 'fast-check'
import type { AnalysedText } from '../../../domain/ranking/candidate.js'
import { hashTerms } from '../../../domain/ranking/hashed-terms.js'
import { shortVector } from '../../../domain/ranking/vectors.js'
import { decodeText, encodeText } from '../../../domain/ranking/text-bytes.js'
import { textKey } from '../../../domain/text/memory-text.js'

const time = fc.integer({ min: -8.64e15, max: 8.64e15 })
const value = fc.float({ min: -1, max: 1, noNaN: true })
const analysed: fc.Arbitrary<AnalysedText> = fc
  .record({
    words: fc.array(fc.string(), { maxLength: 60 }),
    vector: fc.option(
      fc.array(value, { minLength: 1, maxLength: 300 }).map((values) => shortVector(Float32Array.from(values))),
    ),
    pieces: fc.uint16Array({ maxLength: 256 }).map((pieces) => Uint16Array.from(pieces)),
    author: fc.option(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 120 }), isAgent: fc.boolean() })),
    stated: fc.double({ min: 0, max: 1, noNaN: true }),
    mentionsTime: fc.boolean(),
    at: time,
    until: fc.option(time),
  })
  .map(({ words, ...text }) => ({
    ...text,
    terms: hashTerms(words),
    length: words.length,
    textKey: textKey({ title: null, content: words.join(' ') }),
  }))

describe('domain/ranking/text-bytes', () => {
  it('decodes what it encoded', () => {
    fc.assert(fc.property(analysed, (text) => void expect(decodeText(encodeText(text))).to.deep.equal(text)))
  })

  it('refuses bytes that are cut, longer, of another format or part of other bytes', () => {
    fc.assert(
      fc.property(analysed, fc.nat(), (text, at) => {
        const bytes = encodeText(text)
        expect(decodeText(bytes.slice(0, at % bytes.length))).to.equal(null)
        expect(decodeText(Uint8Array.of(...bytes, 0))).to.equal(null)
        const other = bytes.slice()
        other[at % 4]! ^= 1
        expect(decodeText(other)).to.equal(null)
        expect(decodeText(new Uint8Array(Uint8Array.of(...bytes, 0).buffer, 0, bytes.length))).to.equal(null)
      }),
    )
    expect(decodeText(new Uint8Array())).to.equal(null)
  })

  it('refuses random bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        (bytes) => void expect(decodeText(Uint8Array.from(bytes))).to.equal(null),
      ),
    )
  })

  it('has this layout in format 6', () => {
    const text: AnalysedText = {
      terms: hashTerms(['fox', 'den', 'fox', '42']),
      length: 4,
      vector: shortVector(Float32Array.of(0.6, -0.8)),
      pieces: Uint16Array.of(7, 3),
      author: { name: 'ana', isAgent: true },
      stated: 0.5,
      mentionsTime: true,
      textKey: textKey({ title: null, content: 'fox den fox 42' }),
      at: Date.parse('2026-05-01'),
      until: null,
    }
    expect(Buffer.from(encodeText(text)).toString('hex')).to.equal(LAYOUT)
  })
})

const LAYOUT =
  '0600746300000004' + // magic and format; length
  '4279de0d5c800000' + // at
  '7ff8000000000000' + // until: none
  '3fe0000000000000' + // stated
  '3bce9b90' + // the vector's scale
  '00000003' + // terms
  '000200020003' + // pieces, dimensions, bytes of the author's name
  '0007' + // all flags
  '57dc1db9c669cdd119f904787e3aee12' + // the key of the text
  'bd2cec28247b4c424eed15e6' + // terms
  '010002000100' + // their counts
  '07000300' + // pieces
  '5f81' + // the vector
  '616e61'
