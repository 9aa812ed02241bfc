import { REVERSALS } from '../text/negations.js'
import { isOf, type Statement, type StatementWord } from './statement.js'

/**
 * Returns whether two statements say the same in the same words: beside capital letters, punctuation, a definite article, "now", a note in front of it ("FYI: …") and a
 * sign for "is", nothing tells them apart. One word more or other, also a preposition, a tense or a plural, may state something else.
 */
export function haveSameWords(a: Statement, b: Statement): boolean {
  if (a.language !== b.language || a.signs !== b.signs) return false
  const [wordsOfA, wordsOfB] = [tellingWords(a), tellingWords(b)]
  return wordsOfA.length === wordsOfB.length && wordsOfA.every((word, i) => areSame(word, wordsOfB[i]!, a))
}

/** Returns the words that say something. A comma does where something is denied: "No, restart it". */
function tellingWords(statement: Statement): readonly StatementWord[] {
  const words = withoutNote(statement)
  const keepsBreaks = words.some(({ kind }) => kind === 'break') && denies(words, statement)
  return words.filter((word) => (word.kind === 'break' ? keepsBreaks : !isOf('definiteArticles', word, statement)))
}

function denies(words: readonly StatementWord[], { language }: Statement): boolean {
  const forms = words.map(({ plain }) => plain)
  return REVERSALS.in({ plain: forms.join(' '), words: forms }, [language]).length > 0
}

/** Returns the words of a statement after "Note:". */
function withoutNote(statement: Statement): readonly StatementWord[] {
  const [first, second] = statement.words
  const isNote = first !== undefined && isOf('notes', first, statement) && second !== undefined && isSign(second)
  return isNote ? statement.words.slice(2) : statement.words
}

function areSame(a: StatementWord, b: StatementWord, statement: Statement): boolean {
  if (a.kind !== b.kind) return false
  if (a.kind === 'relation' && isSign(a) !== isSign(b)) return isOf('copulas', isSign(a) ? b : a, statement)
  if (isSign(a) || a.text === b.text) return isSign(a) || !isSign(b)
  return a.text.toLowerCase() === b.text.toLowerCase() && !isByCase(a) && !isByCase(b)
}

/** Returns whether a word is a sign between a thing and its value, or punctuation. */
function isSign({ plain }: StatementWord): boolean {
  return plain === ''
}

/** Returns whether the case of a word may be all that tells it from another: `-d` and `-D`, "us" and "US". */
function isByCase({ text }: StatementWord): boolean {
  return text.length === 1 || text === text.toUpperCase()
}
