import { foldText } from '../text/fold.js'
import { IS_UNDELIMITED } from '../text/scripts.js'
import { type Concept, LEXICONS, type Lexicon } from './concepts.js'

/** Words of a concept in a text. */
export interface Hit {
  readonly concept: Concept
  /** The languages that have the word, a bit for each; the lowest is English. */
  readonly languages: number
  readonly start: number
  readonly end: number
}

/** A node of a trie over UTF-16 units. Most nodes have one successor, and a map for it would take three times the memory. */
interface Node {
  /** The next nodes by units of ASCII, near the root, where most walks end; a hole for none. */
  readonly ascii: (Node | undefined)[] | null
  /** The unit of the first successor, -1 without any. */
  firstUnit: number
  first: Node | undefined
  /** The other successors. */
  others: Map<number, Node> | null
  /** Concepts of entries that end here and must end with a word. */
  whole: readonly Meaning[]
  /** Concepts of entries that end here and whose word may go on. */
  open: readonly Meaning[]
}

type Meaning = Pick<Hit, 'concept' | 'languages'>

/** Returns whether a word is an English one, so that English word order holds. */
export function isEnglish({ languages }: Hit): boolean {
  return (languages & 1) !== 0
}

const NONE: readonly Meaning[] = []

function successorOf(node: Node, unit: number): Node | undefined {
  if (unit < 128 && node.ascii) return node.ascii[unit]
  return unit === node.firstUnit ? node.first : node.others?.get(unit)
}

const SPACE = 32
const IS_SPACE = /\s/
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
/** Signs that say no: a cross, a prohibition; and the first half of the ones beyond the basic plane. */
const MARK = /[\u26d4\u274c\u2717\u2718\ud83d\udeab]/
/** Particles that Arabic writes before a word, without a space. */
const ARABIC_PARTICLE = /[\u0648\u0641\u0628\u0643\u0644\u0627\u0633]/

/** Before the Chinese "don't" (别), which is the second half of a word there: 识别, 特别, 分别, 级别, 类别, 区别, 个别. */
const ENDS_IN_OTHER = /[识識特分级級类類区區个個性辨判鉴鑑差派]/

let root: Node | undefined

/** Builds the trie, which takes some 0.4 s, unless it was built. `findConcepts` calls it. */
export function loadLexicon(): void {
  root ??= createTrie(LEXICONS)
}

/** Entries of two or more words end here at the latest, so that the walk from each position is bounded. */
const LONGEST_ENTRY = 60
/** Longer words are looked into at every position: they may be several words that were run together. */
const LONGEST_WORD = 18

/** Finds the words of all concepts in a folded text in lower case, in the order of their positions. */
export function findConcepts(lower: string): Hit[] {
  loadLexicon()
  const hits: Hit[] = []
  const kinds = kindsOf(lower)
  let wordStart = 0
  for (let i = 0; i < lower.length; i++) {
    const kind = kinds[i]
    if (kind === OTHER) {
      // Names of hidden files: `.env`.
      if (lower[i] === '.' && kinds[i + 1] === SPACED && kinds[i - 1] !== SPACED) walk(lower, kinds, i, hits)
      continue
    }
    if (i === 0 || kinds[i - 1] !== SPACED) wordStart = i
    if (kind === UNDELIMITED_LETTER || i === wordStart || mayBeginInside(lower, kinds, wordStart, i))
      walk(lower, kinds, i, hits)
  }
  return hits
}

const OTHER = 0
const SPACED = 1
const UNDELIMITED_LETTER = 2

/** Classifies each character once. */
function kindsOf(lower: string): Uint8Array {
  const kinds = new Uint8Array(lower.length)
  for (let i = 0; i < lower.length; i++) {
    const code = lower.charCodeAt(i)
    if (code < 128) kinds[i] = (code >= 97 && code <= 122) || (code >= 48 && code <= 57) ? SPACED : OTHER
    else kinds[i] = kindOf(lower[i]!)
  }
  return kinds
}

const known = new Map<string, number>()

function kindOf(letter: string): number {
  let kind = known.get(letter)
  if (kind === undefined) {
    kind =
      IS_UNDELIMITED.test(letter) || MARK.test(letter)
        ? UNDELIMITED_LETTER
        : LETTER_OR_DIGIT.test(letter)
          ? SPACED
          : OTHER
    if (known.size < 65_536) known.set(letter, kind)
  }
  return kind
}

function mayBeginInside(lower: string, kinds: Uint8Array, wordStart: number, at: number): boolean {
  if (at - wordStart <= 3 && lower[at]! >= '\u0621' && lower[at]! <= '\u064a') {
    for (let i = wordStart; i < at; i++) if (!ARABIC_PARTICLE.test(lower[i]!)) return false
    return true
  }
  return kinds[wordStart + LONGEST_WORD] === SPACED && isOneWord(kinds, wordStart, wordStart + LONGEST_WORD)
}

function isOneWord(kinds: Uint8Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (kinds[i] !== SPACED) return false
  return true
}

/** Adds the entries that begin at a position: the longest of each concept. */
function walk(lower: string, kinds: Uint8Array, from: number, hits: Hit[]): void {
  if (lower[from] === '\u522b' && ENDS_IN_OTHER.test(lower[from - 1] ?? '')) return
  const first = hits.length
  let node = root
  let at = from
  for (; at < lower.length && at - from < LONGEST_ENTRY;) {
    const isSpace = kinds[at] === OTHER && IS_SPACE.test(lower[at]!)
    const code: number = isSpace ? SPACE : lower.charCodeAt(at)
    node = node && successorOf(node, code)
    if (!node) return
    at++
    if (isSpace) while (at - from < LONGEST_ENTRY && IS_SPACE.test(lower[at] ?? '')) at++
    const endsWord = kinds[at] !== SPACED || kinds[at - 1] !== SPACED
    if (endsWord) for (const meaning of node.whole) put(hits, first, { ...meaning, start: from, end: at })
    for (const meaning of node.open) put(hits, first, { ...meaning, start: from, end: endOfWord(kinds, at) })
  }
}

function put(hits: Hit[], first: number, hit: Hit): void {
  for (let i = first; i < hits.length; i++) if (hits[i]!.concept === hit.concept) return void (hits[i] = hit)
  hits.push(hit)
}

function endOfWord(kinds: Uint8Array, at: number): number {
  let end = at
  while (end - at < 24 && kinds[end] === SPACED && kinds[end - 1] === SPACED) end++
  return end
}

function createTrie(lexicons: readonly Lexicon[]): Node {
  const top = createNode(0)
  for (const [i, lexicon] of lexicons.entries())
    for (const [concept, list] of Object.entries(lexicon) as [Concept, string][])
      for (const entry of list.split(','))
        for (const spelled of alternativesOf(entry)) addEntry(top, spelled, { concept, languages: 1 << i })
  return top
}

/** Spells out what an entry abbreviates: `stop(s|ped|) it` stands for three. */
function alternativesOf(entry: string): string[] {
  const group = /\(([^()]*)\)/.exec(entry)
  if (!group) return [entry]
  const [before, after] = [entry.slice(0, group.index), entry.slice(group.index + group[0].length)]
  return group[1]!.split('|').flatMap((part) => alternativesOf(`${before}${part}${after}`))
}

function createNode(depth: number): Node {
  const ascii = depth < 2 ? new Array<Node | undefined>(128).fill(undefined) : null
  return { ascii, firstUnit: -1, first: undefined, others: null, whole: NONE, open: NONE }
}

function addSuccessor(node: Node, unit: number, depth: number): Node {
  const next = createNode(depth)
  if (unit < 128 && node.ascii) node.ascii[unit] = next
  else if (node.firstUnit === -1) [node.firstUnit, node.first] = [unit, next]
  else (node.others ??= new Map<number, Node>()).set(unit, next)
  return next
}

const PLAIN = /^[a-z0-9 ,.'*-]*$/i

function addEntry(top: Node, entry: string, meaning: Meaning): void {
  // Folding changes nothing in plain words, and takes most of the time.
  const folded = (PLAIN.test(entry) ? entry : foldText(entry)).trim().toLowerCase().replace(/\s+/g, ' ')
  if (folded === '') return
  const isOpen = folded.endsWith('*')
  let node = top
  for (let i = 0; i < folded.length - (isOpen ? 1 : 0); i++) {
    const unit = folded.charCodeAt(i)
    node = successorOf(node, unit) ?? addSuccessor(node, unit, i + 1)
  }
  const meanings = isOpen ? node.open : node.whole
  const known = meanings.find(({ concept }) => concept === meaning.concept)
  const merged = known
    ? meanings.map((other) => (other === known ? { ...known, languages: known.languages | meaning.languages } : other))
    : [...meanings, meaning]
  if (isOpen) node.open = merged
  else node.whole = merged
}
