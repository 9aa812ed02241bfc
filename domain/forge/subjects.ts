import { analyse, segmentedWords } from '../text/analysis.js'
import { plainLetters } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { nameKey } from '../text/memory-text.js'
import { namesIn } from '../text/names/names-in.js'
import { isCommonWord } from '../text/names/common-words.js'
import { isHiragana, isUnspaced } from '../text/segments.js'
import { stopWordsOf } from '../text/stop-words.js'
import type { Step } from './steps.js'
import { NAME, type ReadTrace, type Vocabulary } from './vocabulary.js'

/** Names and words of so many of the runs are what the work is about. */
const COMMON_SHARE = 0.5
const MOST_SUBJECTS = 8
/** A name says more than a word of the same rarity. */
const NAME_VALUE = 2.5

/** Names and words that the runs of a workflow have in common, the most telling first, as their texts spell it. */
export interface Subjects {
  readonly subjects: readonly string[]
  /** Keys of entities and tools among them, for the fingerprint. */
  readonly names: readonly string[]
}

export function subjectsOf(
  traces: readonly ReadTrace[],
  steps: readonly Step[],
  { features, traces: all }: Vocabulary,
  rarity: Float64Array,
): Subjects {
  const counts = new Map<number, number>()
  for (const { features: own } of traces) for (const feature of own) counts.set(feature, (counts.get(feature) ?? 0) + 1)
  const spellings = spellingsIn(steps)
  const inSteps = stepsByTerm(steps)
  const common = [...counts].filter(
    ([, count]) => count >= 2 && count >= COMMON_SHARE * traces.length && all.length > 0,
  )
  const valued = common.flatMap(([feature, count]) => {
    const text = features[feature]!
    const isName = text.startsWith(NAME)
    const key = isName ? text.slice(NAME.length) : text
    const spelled = spellings.get(isName ? text : key)
    if (spelled === undefined || /\d/.test(key)) return []
    const value =
      (count / traces.length) *
      rarity[feature]! *
      (isName ? NAME_VALUE : 1) *
      Math.sqrt(isName ? 1 : (inSteps.get(feature) ?? 0))
    return [{ key, isName, spelled, value }]
  })
  valued.sort(
    (a, b) => b.value - a.value || (a.key < b.key ? -1 : a.key > b.key ? 1 : Number(b.isName) - Number(a.isName)),
  )
  const subjects = new Map<string, string>()
  for (const { spelled, value } of valued) {
    const key = spelled.toLowerCase()
    if (value > 0 && ![...subjects.keys()].some((other) => other.includes(key) || key.includes(other)))
      subjects.set(key, spelled)
  }
  return {
    subjects: [...subjects.values()].slice(0, MOST_SUBJECTS),
    names: valued.filter(({ isName }) => isName).map(({ key }) => key),
  }
}

function stepsByTerm(steps: readonly Step[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const { statements } of steps)
    for (const term of new Set(statements.flatMap(({ statement }) => [...statement.terms])))
      counts.set(term, (counts.get(term) ?? 0) + 1)
  return counts
}

/** Returns whether a word of another language than English, whose function words are no terms, only serves the sentence. */
function isFunctionWordOf(word: string, language: Language | null | undefined): boolean {
  if (isHiragana(word)) return true
  return language != null && language !== 'en' && stopWordsOf(language).has(plainLetters(word.toLowerCase()))
}

/** Returns the most common spelling of each term and, by `NAME` and its key, of each name in the statements of steps. */
function spellingsIn(steps: readonly Step[]): Map<string, string> {
  const counts = new Map<string, Map<string, number>>()
  const count = (key: string, spelling: string) => {
    const of = counts.get(key) ?? new Map<string, number>()
    counts.set(key, of.set(spelling, (of.get(spelling) ?? 0) + 1))
  }
  for (const { statements } of steps)
    for (const { statement } of statements) {
      const { language } = statement.memory
      for (const word of segmentedWords(statement.text)) {
        const [term] = analyse(word, 'en')
        const isWord = word.length > (isUnspaced(word) ? 1 : 2) && !isFunctionWordOf(word, language)
        if (term !== undefined && isWord) count(term, isCommonWord(word) ? word.toLowerCase() : word)
      }
      for (const { name } of namesIn(statement.text, null, language ?? null)) count(NAME + nameKey(name), name)
    }
  return new Map(
    [...counts].map(([key, of]) => [
      key,
      [...of].sort(([a, x], [b, y]) => y - x || a.length - b.length || (a < b ? -1 : 1))[0]![0],
    ]),
  )
}
