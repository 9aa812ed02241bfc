import { expect } from 'chai'
import type { QueryWord } from '../../../domain/ranking/candidate.js'
import { NEIGHBOUR_OFFSETS } from '../../../domain/ranking/pool.js'
import { wordMatcher, type WordPieces } from '../../../domain/ranking/word-matches.js'

/** Pieces are whole words by their length; two are the more similar the less their lengths differ. */
const space: WordPieces = {
  piecesOf: (word) => Uint16Array.of(word.length),
  similaritiesTo: (piece, others) => Float32Array.from(others, (other) => Math.max(0, 1 - Math.abs(piece - other) / 4)),
}
const asked = (...words: string[]): QueryWord[] =>
  words.map((word) => ({ word, terms: [word], pieces: space.piecesOf(word) }))
const candidate = (beside: Readonly<Record<number, string>> = {}) => ({
  id: 'own',
  neighbours: NEIGHBOUR_OFFSETS.map((offset) => beside[offset] ?? null),
})

describe('domain/ranking/word-matches', () => {
  const match = (texts: Record<string, string>, words: QueryWord[], beside?: Readonly<Record<number, string>>) =>
    wordMatcher(words, (id) => texts[id], space)(candidate(beside))

  it('names the most similar word of the memory for each word of the query', () => {
    expect(match({ own: 'a bbb, ccccc!' }, asked('xxx', 'yyyyyy'))).to.deep.equal([
      { word: 'xxx', matched: 'bbb', similarity: 1, memoryId: 'own' },
      { word: 'yyyyyy', matched: 'ccccc', similarity: 0.75, memoryId: 'own' },
    ])
  })

  it('names the word of the same term for a word without pieces', () => {
    const unknown = (word: string, term: string): QueryWord => ({ word, terms: [term], pieces: new Uint16Array(0) })
    const words = [unknown('通勤', '通勤'), unknown('runs', 'run'), unknown('安排', '安排')]
    expect(match({ own: '我每天通勤，he Running on' }, words)).to.deep.equal([
      { word: '通勤', matched: '通勤', similarity: 1, memoryId: 'own' },
      { word: 'runs', matched: 'Running', similarity: 1, memoryId: 'own' },
    ])
  })

  it('segments no more of a text than the words that are compared', () => {
    const han = (at: number) => String.fromCodePoint(0x4e00 + at)
    const text = Array.from({ length: 9_000 }, (_, at) => han(at) + (at % 9 === 8 ? '，' : '')).join('')
    const { segment } = Intl.Segmenter.prototype
    let characters = 0
    Intl.Segmenter.prototype.segment = function (input) {
      characters += input.length
      return segment.call(this, input)
    }
    try {
      match({ own: text }, asked('xxx'))
      match({ own: text.replaceAll('，', '') }, asked('xxx'))
    } finally {
      Intl.Segmenter.prototype.segment = segment
    }
    expect(characters).to.be.within(200, 2_000)
  })

  it('names the neighbour when its weighted match is better', () => {
    const texts = { own: 'a', before: 'bbb', after: 'bbb' }
    expect(match(texts, asked('xxx'), { 1: 'after', [-1]: 'before' })).to.deep.equal([
      { word: 'xxx', matched: 'bbb', similarity: 0.85, memoryId: 'before' },
    ])
  })

  it('omits words without a match, and texts that are not shown', () => {
    expect(match({ own: 'a' }, asked('xxxxxxxx'))).to.deep.equal([])
    expect(match({}, asked('xxx'), { [-1]: 'hidden' })).to.deep.equal([])
  })

  it('reads the first hundred words of a long text', () => {
    const long = Array.from({ length: 101 }, (_, i) => `w${i}`.padEnd(i === 100 ? 20 : 5, 'x')).join(' ')
    const [found] = match({ own: long }, asked('y'.repeat(20)))
    expect(found?.matched ?? 'none').to.not.have.length(20)
  })

  it('compares each of the first 16 pieces of a word once with all pieces of a text', () => {
    let compared = 0
    const counting: WordPieces = {
      ...space,
      similaritiesTo: (...given) => (compared++, space.similaritiesTo(...given)),
    }
    const words = [{ word: 'long', terms: ['long'], pieces: Uint16Array.from({ length: 300 }, (_, i) => i) }]
    const matchesOf = wordMatcher(words, (id) => (id === 'own' ? 'a bb' : 'ccc dddd'), counting)
    for (const beside of [undefined, { 1: 'next' }]) matchesOf(candidate(beside))
    expect(compared).to.equal(2 * 16)
  })

  it('compares a word that several texts have once', () => {
    const compared: number[][] = []
    const counting: WordPieces = {
      ...space,
      similaritiesTo: (piece, others) => (compared.push([...others]), space.similaritiesTo(piece, others)),
    }
    const texts: Record<string, string> = { own: 'a bb bb', before: 'bb ccc', after: 'ccc a' }
    wordMatcher(asked('xxx'), (id) => texts[id], counting)(candidate({ [-1]: 'before', 1: 'after' }))
    expect(compared).to.deep.equal([[1, 2, 3]])
  })

  it('compares a compound and its parts', () => {
    expect(match({ own: 'pruneCart' }, asked('xxxxx', 'xxxx')).map(({ matched }) => matched)).to.deep.equal([
      'prune',
      'Cart',
    ])
  })
})
