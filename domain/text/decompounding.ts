import { plainLetters } from './characters.js'
import table from './compounds.json' with { type: 'json' }
import { frequentWordsOf } from './frequent-words.js'
import type { Language } from './language.js'
import { stopWordsOf } from './stop-words.js'

/** Says how a language joins words to one. */
interface Compounding {
  /** The words that may be parts, in plain letters, with the weight of each: the rarer, the higher. */
  readonly weights: ReadonlyMap<string, number>
  /** The letters that may stand between two parts, none first. */
  readonly links: readonly string[]
}

/** Shorter words are too often endings and prefixes: `end`, `ein`, `her`. */
const SHORTEST_PART = 4
const LONGEST_PART = 16
const LONGEST_COMPOUND = 40
/** The weight of a part beside that of its rank: the split with fewer parts is right more often. */
const WEIGHT_OF_PART = 3
const WEIGHT_OF_LETTER_BETWEEN = 0.5

const known = new Map<Language, Compounding | null>()

/**
 * Returns the parts of a compound, `rechnung` and `nummer` of `rechnungsnummer`, in German, Dutch, Danish, Norwegian and Swedish, which write
 * compounds as one word. The word has plain small letters. All parts are among the frequent words of the language (frequent-words.ts). Empty
 * for other words and languages.
 */
export function partsOfCompound(word: string, language: Language): readonly string[] {
  if (word.length < 2 * SHORTEST_PART || word.length > LONGEST_COMPOUND) return []
  const compounding = compoundingOf(language)
  return compounding === null ? [] : splitCompound(word, compounding)
}

interface Split {
  readonly parts: readonly string[]
  readonly weight: number
}

/** Finds the lightest split of each beginning of the word, the shortest first, so that each part is looked up once. */
function splitCompound(word: string, { weights, links }: Compounding): readonly string[] {
  const splits = new Map<number, Split>([[0, { parts: [], weight: 0 }]])
  for (let end = 0; end <= word.length - SHORTEST_PART; end++) {
    const before = splits.get(end)
    if (before === undefined) continue
    for (const link of end === 0 ? [''] : links) {
      if (!word.startsWith(link, end)) continue
      const begin = end + link.length
      for (let next = begin + SHORTEST_PART; next <= Math.min(word.length, begin + LONGEST_PART); next++) {
        const part = word.slice(begin, next)
        const own = weights.get(part)
        if (own === undefined || part.length === word.length) continue
        const weight = before.weight + own + WEIGHT_OF_LETTER_BETWEEN * link.length
        const other = splits.get(next)
        if (other === undefined || weight < other.weight) splits.set(next, { parts: [...before.parts, part], weight })
      }
    }
  }
  return splits.get(word.length)?.parts ?? []
}

function compoundingOf(language: Language): Compounding | null {
  let compounding = known.get(language)
  if (compounding === undefined) known.set(language, (compounding = read(language)))
  return compounding
}

function read(language: Language): Compounding | null {
  if (!(language in table)) return null
  const { links, never } = table[language as keyof typeof table]
  const refused = new Set([...stopWordsOf(language), ...plainLetters(never).split(' ')])
  const words = [...frequentWordsOf(language)].filter(([word]) => word.length >= SHORTEST_PART && !refused.has(word))
  return {
    weights: new Map(words.map(([word, rank]) => [word, WEIGHT_OF_PART + Math.log(rank + 2)])),
    links: ['', ...links.split(' ')],
  }
}
