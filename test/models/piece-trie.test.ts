import { expect } from 'chai'
import fc from 'fast-check'
import { PieceTrie } from '../../models/piece-trie.js'
import { packPieces } from '../../scripts/tables/pieces.js'

const trieOf = (pieces: ReadonlyMap<string, number>) => new PieceTrie(packPieces(pieces), 0)

describe('the trie of pieces', () => {
  const character = fc.constantFrom('a', 'b', 'é', 'ก', '漢', '😀', '\ud83d', '\uffff')
  const piece = fc.string({ unit: character, minLength: 1, maxLength: 6 })

  it('finds the longest piece that begins at each place, as trying every length does', () => {
    fc.assert(
      fc.property(fc.uniqueArray(piece, { maxLength: 40 }), fc.string({ unit: character }), (pieces, text) => {
        const values = new Map(pieces.map((each, i) => [each, i]))
        const trie = trieOf(values)
        for (let start = 0; start <= text.length; start++) {
          const node = trie.longest(text, start)
          const longest = pieces
            .filter((each) => text.startsWith(each, start))
            .sort((one, other) => other.length - one.length)[0]
          expect(node === 0 ? undefined : trie.valueOf(node)).to.equal(longest && values.get(longest))
          if (longest !== undefined) expect(trie.lengthOf(node)).to.equal(longest.length)
        }
      }),
    )
  })

  it('finds a piece of 255 characters, and refuses a longer one', () => {
    const trie = trieOf(new Map([['x'.repeat(255), 7]]))
    expect(trie.valueOf(trie.longest('x'.repeat(300), 1))).to.equal(7)
    expect(() => trieOf(new Map([['x'.repeat(256), 7]]))).to.throw('255')
  })
})
