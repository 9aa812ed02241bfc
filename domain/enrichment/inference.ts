import { predicateKey } from '../life/contradictions.js'
import { CALLER_MEMORY_TYPES, type MemoryType } from '../memory.js'
import { findPersonalData, maskSpans } from '../personal-data/find.js'
import type { PiiPolicy } from '../personal-data/screen.js'
import { secretKindOf } from '../personal-data/secrets.js'
import { analyse } from '../text/analysis.js'
import type { Language } from '../text/language.js'
import { embeddedText, nameKey } from '../text/memory-text.js'
import { wordsIn } from '../text/words.js'
import { containsPhrase } from './grounding.js'
import { type TimePhrase, type Validity, validityOf } from './validity.js'

/** A language model's answer about a memory, in the form that its schema allows; nothing of it is trusted yet. */
export interface ModelAnswer {
  readonly type: string | null
  readonly title: string | null
  readonly tags: readonly string[]
  readonly entities: readonly { readonly name: string; readonly type: string | null; readonly role: string | null }[]
  readonly triple: { readonly subject: string; readonly predicate: string; readonly object: string } | null
  readonly times: readonly TimePhrase[]
}

interface InferredEntity {
  readonly name: string
  readonly type: string | null
  readonly role: string | null
}

/** The parts of an answer that passed the checks. */
export interface Inference {
  readonly title: string | null
  readonly memoryType: MemoryType | null
  readonly tags: readonly string[]
  /** Includes the triple's subject. */
  readonly entities: readonly InferredEntity[]
  readonly triple: { readonly subject: string; readonly predicate: string; readonly object: string } | null
  readonly validity: Validity
}

interface ReadMemory {
  readonly title: string | null
  readonly content: string
  readonly language: Language | null
  /** The instant that relative times ("yesterday") refer to. */
  readonly seenFrom: Date
}

/** Lengths in characters; except for the title, the contract allows more. */
const MAX_LENGTHS = { title: 200, tag: 40, name: 100, type: 40, role: 40, predicate: 64, object: 500 } as const
const MOST_TAGS = 8
const MOST_ENTITIES = 12
const TYPES: readonly string[] = CALLER_MEMORY_TYPES
/** Matches placeholders of masked personal data, which name nothing. */
const PLACEHOLDER = /\[[a-z_]+\]/
/** Control and format characters, private use, lone surrogates, and the Unicode line and paragraph separators. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _./+#-]*$/u
const PREDICATE = /^\p{L}[\p{L}\p{M}\p{N}_]*$/u
const WORD = /^\p{L}[\p{L}\p{M}\p{N} _-]*$/u

/** The text and policy that an answer is checked against. */
interface Ground {
  readonly text: string
  /** Words that occur in the text's personal data and secrets and nowhere else in it. */
  readonly hidden: ReadonlySet<string>
  readonly policy: PiiPolicy
}

/**
 * Checks a model's answer against the text that the model read. Drops, each on its own: names and values that the text
 * does not contain, anything too long or with control characters, types that only the service writes, and what the
 * tenant's policy forbids. Under the policy `flag`, a title, a predicate and an object may contain personal data, as
 * the text does; links and tags never do.
 */
export function inferenceFrom(answer: ModelAnswer, memory: ReadMemory, policy: PiiPolicy): Inference {
  const text = embeddedText(memory)
  const ground = { text, hidden: hiddenWords(text), policy }
  const triple = tripleFrom(answer.triple, ground)
  return {
    title: titleFrom(answer.title, ground),
    memoryType: typeFrom(answer.type),
    tags: tagsFrom(answer.tags, ground),
    entities: entitiesFrom(
      triple === null ? answer.entities : [...answer.entities, entityNamed(triple.subject)],
      ground,
    ),
    triple,
    validity: validityOf(text, answer.times, memory.seenFrom.getTime(), memory.language),
  }
}

/** Returns whether nothing passed the checks. */
export function isEmptyInference({ title, memoryType, tags, entities, triple, validity }: Inference): boolean {
  const nothing = title === null && memoryType === null && tags.length === 0 && entities.length === 0
  return nothing && triple === null && validity.start === null && validity.end === null
}

function typeFrom(type: string | null): MemoryType | null {
  if (type === null || !TYPES.includes(type)) return null
  return type === 'semantic' ? 'fact' : (type as MemoryType)
}

/** A title may be in words of its own, but at least half of its terms must be in the text, and so must every number. */
function titleFrom(title: string | null, ground: Ground): string | null {
  const clean = cleanText(title, MAX_LENGTHS.title)
  if (clean === null || !isAllowedByPolicy(clean, ground) || !namesNoNewNumber(clean, ground.text)) return null
  const known = new Set(analyse(ground.text, 'en'))
  const terms = analyse(clean, 'en')
  const shared = terms.filter((term) => known.has(term)).length
  return terms.length > 0 && shared * 2 >= terms.length ? clean : null
}

function tagsFrom(tags: readonly string[], ground: Ground): string[] {
  const clean = tags.flatMap((given) => {
    const tag = cleanText(given.toLowerCase(), MAX_LENGTHS.tag)
    return tag !== null && TAG.test(tag) && isFreeOfPersonalData(tag, ground) && namesNoNewNumber(tag, ground.text)
      ? [tag]
      : []
  })
  return [...new Set(clean)].slice(0, MOST_TAGS)
}

function entitiesFrom(entities: readonly InferredEntity[], ground: Ground): InferredEntity[] {
  const found = new Map<string, InferredEntity>()
  // In reverse, because the triple's subject is last: the limit never drops it.
  for (const { name: rawName, type, role } of entities.toReversed()) {
    const name = cleanText(rawName, MAX_LENGTHS.name)
    if (name === null || !isFreeOfPersonalData(name, ground) || !containsPhrase(ground.text, name)) continue
    const given = {
      name,
      type: wordFrom(type, MAX_LENGTHS.type, ground),
      role: wordFrom(role, MAX_LENGTHS.role, ground),
    }
    const known = found.get(nameKey(name))
    if (known) found.set(nameKey(name), { name, type: given.type ?? known.type, role: given.role ?? known.role })
    else if (found.size < MOST_ENTITIES) found.set(nameKey(name), given)
  }
  return [...found.values()].toReversed()
}

function entityNamed(name: string): InferredEntity {
  return { name, type: null, role: null }
}

function tripleFrom(triple: ModelAnswer['triple'], ground: Ground): Inference['triple'] {
  if (triple === null) return null
  const { text } = ground
  const subject = cleanText(triple.subject, MAX_LENGTHS.name)
  const object = cleanText(triple.object, MAX_LENGTHS.object)
  const predicate = cleanText(
    predicateKey(cleanText(triple.predicate, MAX_LENGTHS.predicate) ?? ''),
    MAX_LENGTHS.predicate,
  )
  if (subject === null || object === null || predicate === null || !PREDICATE.test(predicate)) return null
  if (
    !isFreeOfPersonalData(subject, ground) ||
    !isAllowedByPolicy(object, ground) ||
    !isAllowedByPolicy(triple.predicate, ground)
  )
    return null
  if (secretKindOf(predicate, object) !== null) return null
  if (!containsPhrase(text, subject) || !containsPhrase(text, object) || nameKey(subject) === nameKey(object))
    return null
  return { subject, predicate, object }
}

function wordFrom(given: string | null, longest: number, ground: Ground): string | null {
  const word = cleanText(given?.toLowerCase() ?? null, longest)
  return word !== null && WORD.test(word) && isFreeOfPersonalData(word, ground) ? word : null
}

/** Returns the text trimmed and on one line, or null when it is empty, too long or not plain text. */
function cleanText(given: string | null, longest: number): string | null {
  const text = given?.replace(/[\t\r\n ]+/g, ' ').trim() ?? ''
  return text === '' || [...text].length > longest || CONTROL.test(text) || PLACEHOLDER.test(text) ? null : text
}

/**
 * Returns the words that occur only inside personal data. On its own, "hunter2" is a word like any other; what marks it
 * as a password stands beside it in the text.
 */
function hiddenWords(text: string): Set<string> {
  const spans = findPersonalData(text)
  if (spans.length === 0) return new Set()
  const open = new Set(normalisedWordsOf(maskSpans(text, spans)))
  return new Set(
    spans.flatMap(({ start, end }) => normalisedWordsOf(text.slice(start, end))).filter((word) => !open.has(word)),
  )
}

function normalisedWordsOf(text: string): string[] {
  return wordsIn(nameKey(text))
}

function isFreeOfPersonalData(text: string, { hidden }: Ground): boolean {
  return findPersonalData(text).length === 0 && !normalisedWordsOf(text).some((word) => hidden.has(word))
}

function isAllowedByPolicy(text: string, ground: Ground): boolean {
  return ground.policy === 'flag' || isFreeOfPersonalData(text, ground)
}

function namesNoNewNumber(words: string, text: string): boolean {
  return [...words.matchAll(/[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu)].every(([word]) => containsPhrase(text, word))
}
