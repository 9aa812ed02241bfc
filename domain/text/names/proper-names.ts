import { STOP_WORDS } from '../words.js'
import { isCommonWord } from './common-words.js'
import { type FoundName, LONGEST_NAME_WORDS } from './found-name.js'

interface Word {
  readonly text: string
  readonly isCapital: boolean
  readonly beginsSentence: boolean
  /** True when only a space separates it from the next word. */
  readonly continues: boolean
}

/**
 * Finds names by their capitals: runs of capitalised words, with `of`, `the`, `de` and the like inside. Where a capital
 * says nothing, at the beginning of a sentence and in titles, a word is a name only if the dictionary does not contain
 * it; a dictionary word that begins a sentence is left out of the name after it ("Yesterday Ana", but also "New York"
 * as "York").
 */
export function properNames(text: string): FoundName[] {
  const words = parseWords(text)
  const names: FoundName[] = []
  const add = (run: readonly Word[]) => {
    const name = run.map(({ text: word }) => word).join(' ')
    if (isName(run)) names.push({ name, type: 'name' })
  }
  for (const sentence of sentencesOf(words)) {
    const isTitle = isInCapitals(sentence)
    for (const run of runsOf(sentence, isTitle)) add(run)
  }
  return names
}

const TOKEN = /\S+/gu
const WORD = /\p{L}[\p{L}\p{M}\p{N}]{0,39}(?:['\u2019.&-][\p{L}\p{N}]{1,40}){0,4}/u
/** Punctuation that may surround a word; with anything else the token is no word: `DB_POOL_SIZE=20`. */
const SURROUNDING_PUNCTUATION = /^[^\p{L}\p{N}_=@#/\\]*$/u
const ENDS_SENTENCE = /[.!?:;\u2026"\u201d)\]]$/u
const BEGINS_AFTER = /^["\u201c\u2018'(\[*#>-]/u
const IS_MARK = /^[^\p{L}\p{N}]+$/u
const ABBREVIATED = /^(?:Dr|Mr|Mrs|Ms|Prof|St|Jr|Sr|Mt|\p{Lu})\.$/u
/** Matches most words, which need no further analysis. */
const PLAIN = /^[a-z]+$/
const LONGEST_TOKEN = 80

function parseWords(text: string): Word[] {
  const words: Word[] = []
  let beginsSentence = true
  let line = 0
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (text.slice(line, index).includes('\n')) beginsSentence = true
    line = index
    if (PLAIN.test(token)) {
      words.push({ text: token, isCapital: false, beginsSentence, continues: true })
      beginsSentence = false
      continue
    }
    const word = wordIn(token)
    const abbreviated = ABBREVIATED.test(token)
    const bare = word?.[0].replace(/['\u2019]s$/u, '') ?? ''
    const end = word ? word.index + word[0].length : 0
    words.push({
      text: abbreviated ? token : bare,
      isCapital: /^\p{Lu}/u.test(bare),
      beginsSentence: beginsSentence || BEGINS_AFTER.test(token),
      continues: abbreviated || (word !== null && end === token.length && bare === word[0]),
    })
    // A mark of a list or a heading that stands alone changes nothing: "- For whom".
    beginsSentence = !abbreviated && (ENDS_SENTENCE.test(token) || (beginsSentence && IS_MARK.test(token)))
  }
  return words
}

function wordIn(token: string): RegExpExecArray | null {
  if (token.length > LONGEST_TOKEN) return null
  const word = WORD.exec(token)
  if (!word) return null
  const isWhole =
    SURROUNDING_PUNCTUATION.test(token.slice(0, word.index)) &&
    SURROUNDING_PUNCTUATION.test(token.slice(word.index + word[0].length))
  return isWhole ? word : null
}

function sentencesOf(words: readonly Word[]): Word[][] {
  const sentences: Word[][] = []
  for (const word of words) {
    if (word.beginsSentence || sentences.length === 0) sentences.push([])
    sentences.at(-1)!.push(word)
  }
  return sentences
}

/** Returns whether the sentence is written like a title, or all in capitals: capitals then say nothing. */
function isInCapitals(sentence: readonly Word[]): boolean {
  const small = sentence.filter(({ isCapital }) => !isCapital)
  return sentence.length - small.length >= 4 && small.every(({ text }) => STOP_WORDS.has(text))
}

const CONNECTORS = new Set('of the de del della di da la le van von der den du al bin y & for'.split(' '))

/** Returns the runs of capitalised words, including connectors between them. */
function runsOf(sentence: readonly Word[], isTitle: boolean): Word[][] {
  const runs: Word[][] = []
  let run: Word[] = []
  let waiting: Word[] = []
  const close = () => {
    if (run.length > 0) runs.push(run)
    run = []
    waiting = []
  }
  for (const word of sentence) {
    if (word.isCapital && !isNotPartOfName(word, isTitle)) {
      run.push(...waiting, word)
      waiting = []
    } else if (run.length > 0 && CONNECTORS.has(word.text) && waiting.length < 2) waiting.push(word)
    else close()
    if (!word.continues) close()
  }
  close()
  return runs
}

/** Returns whether a capitalised word is not part of a name. */
function isNotPartOfName({ text, beginsSentence }: Word, isTitle: boolean): boolean {
  if (NEVER_NAMES.has(text.toLowerCase().replace(/['\u2019].*$/u, ''))) return true
  if (beginsSentence || isTitle || /^\p{Lu}{2,}$/u.test(text)) return isCommonWord(text)
  return false
}

/** Words that are always capitalised and are not names. */
const NEVER_NAMES = new Set(
  `i monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september october november december
  mon tue tues wed thu thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec mr mrs ms dr am pm utc gmt todo fixme note pr http sqlstate`.split(
    /\s+/,
  ),
)

function isName(run: readonly Word[]): boolean {
  const [first] = run
  if (run.length > LONGEST_NAME_WORDS || first === undefined) return false
  return (
    run.length > 1 ||
    (first.text.length > 1 && !first.text.endsWith('.') && !(first.text.length < 3 && isCommonWord(first.text)))
  )
}
