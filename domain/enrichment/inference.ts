import { predicateKey } from '../life/contradictions.js'
import { CALLER_MEMORY_TYPES, type MemoryType } from '../memory.js'
import { findPersonalData } from '../personal-data/find.js'
import type { PiiPolicy } from '../personal-data/screen.js'
import { secretKindOf } from '../personal-data/secrets.js'
import { analyse } from '../text/analysis.js'
import { embeddedText, nameKey } from '../text/memory-text.js'
import { standsIn } from './grounding.js'
import { type SaidTime, type Validity, validityOf } from './validity.js'

/** What a language model says of a memory, as its schema lets it: nothing of it is believed yet. */
export interface ModelAnswer {
  readonly type: string | null
  readonly title: string | null
  readonly tags: readonly string[]
  readonly entities: readonly { readonly name: string; readonly type: string | null; readonly role: string | null }[]
  readonly triple: { readonly subject: string; readonly predicate: string; readonly object: string } | null
  readonly times: readonly SaidTime[]
}

export interface InferredEntity {
  readonly name: string
  readonly type: string | null
  readonly role: string | null
}

/** What of it passed the checks. */
export interface Inference {
  readonly title: string | null
  readonly memoryType: MemoryType | null
  readonly tags: readonly string[]
  /** The triple's subject among them. */
  readonly entities: readonly InferredEntity[]
  readonly triple: { readonly subject: string; readonly predicate: string; readonly object: string } | null
  readonly validity: Validity
}

interface ReadMemory {
  readonly title: string | null
  readonly content: string
  /** What words about time are seen from. */
  readonly seenFrom: Date
}

/** In characters; the contract allows more of each but the title. */
const LONGEST = { title: 200, tag: 40, name: 100, type: 40, role: 40, predicate: 64, object: 500 } as const
const MOST_TAGS = 8
const MOST_ENTITIES = 12
const TYPES: readonly string[] = CALLER_MEMORY_TYPES
/** Placeholders of what was masked name nothing. */
const MASKED = /\[[a-z_]+\]/
/** Control and format characters, private use, lone surrogates, and what some take for a line's end. */
const CONTROL = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u
const TAG = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} _./+#-]*$/u
const PREDICATE = /^\p{L}[\p{L}\p{M}\p{N}_]*$/u
const WORD = /^\p{L}[\p{L}\p{M}\p{N} _-]*$/u

/**
 * Holds a model's answer to the text that it was given: names and values that the text does not contain, anything too long or with control
 * characters, types that only the service writes, and what the tenant's policy keeps out are dropped, each on its own. Where the policy is
 * `flag`, a title and an object may hold personal data, as the text does; links and tags never do.
 */
export function inferenceFrom(answer: ModelAnswer, memory: ReadMemory, policy: PiiPolicy): Inference {
  const text = embeddedText(memory)
  const triple = tripleFrom(answer.triple, text, policy)
  return {
    title: titleFrom(answer.title, text, policy),
    memoryType: typeFrom(answer.type),
    tags: tagsFrom(answer.tags, text),
    entities: entitiesFrom(triple === null ? answer.entities : [...answer.entities, bare(triple.subject)], text),
    triple,
    validity: validityOf(text, answer.times, memory.seenFrom.getTime()),
  }
}

/** Nothing passed. */
export function isEmpty({ title, memoryType, tags, entities, triple, validity }: Inference): boolean {
  const nothing = title === null && memoryType === null && tags.length === 0 && entities.length === 0
  return nothing && triple === null && validity.start === null && validity.end === null
}

function typeFrom(type: string | null): MemoryType | null {
  if (type === null || !TYPES.includes(type)) return null
  return type === 'semantic' ? 'fact' : (type as MemoryType)
}

/** A title is in words of its own, but half of them are the text's, and no number is the model's. */
function titleFrom(title: string | null, text: string, policy: PiiPolicy): string | null {
  const clean = cleaned(title, LONGEST.title)
  if (clean === null || !mayHold(clean, policy) || !namesNoNewNumber(clean, text)) return null
  const known = new Set(analyse(text))
  const terms = analyse(clean)
  const shared = terms.filter((term) => known.has(term)).length
  return terms.length > 0 && shared * 2 >= terms.length ? clean : null
}

function tagsFrom(tags: readonly string[], text: string): string[] {
  const clean = tags.flatMap((given) => {
    const tag = cleaned(given, LONGEST.tag)?.toLowerCase() ?? null
    return tag !== null && TAG.test(tag) && isHarmless(tag) && namesNoNewNumber(tag, text) ? [tag] : []
  })
  return [...new Set(clean)].slice(0, MOST_TAGS)
}

function entitiesFrom(entities: readonly InferredEntity[], text: string): InferredEntity[] {
  const found = new Map<string, InferredEntity>()
  // From the last on, where the triple's subject stands: it is never the one too many.
  for (const entity of entities.toReversed()) {
    const name = cleaned(entity.name, LONGEST.name)
    if (name === null || !isHarmless(name) || !standsIn(text, name)) continue
    const given = { name, type: wordFrom(entity.type, LONGEST.type), role: wordFrom(entity.role, LONGEST.role) }
    const known = found.get(nameKey(name))
    if (known) found.set(nameKey(name), { name, type: given.type ?? known.type, role: given.role ?? known.role })
    else if (found.size < MOST_ENTITIES) found.set(nameKey(name), given)
  }
  return [...found.values()].toReversed()
}

function bare(name: string): InferredEntity {
  return { name, type: null, role: null }
}

function tripleFrom(triple: ModelAnswer['triple'], text: string, policy: PiiPolicy): Inference['triple'] {
  if (triple === null) return null
  const subject = cleaned(triple.subject, LONGEST.name)
  const object = cleaned(triple.object, LONGEST.object)
  const predicate = predicateKey(cleaned(triple.predicate, LONGEST.predicate) ?? '')
  if (subject === null || object === null || !PREDICATE.test(predicate)) return null
  if (!isHarmless(subject) || !mayHold(object, policy) || secretKindOf(predicate, object) !== null) return null
  if (!standsIn(text, subject) || !standsIn(text, object) || nameKey(subject) === nameKey(object)) return null
  return { subject, predicate, object }
}

function wordFrom(given: string | null, longest: number): string | null {
  const word = cleaned(given, longest)?.toLowerCase() ?? null
  return word !== null && WORD.test(word) && isHarmless(word) ? word : null
}

/** Trimmed, in one line; null for what is empty, too long or not plain text. */
function cleaned(given: string | null, longest: number): string | null {
  const text = given?.replace(/[\t\r\n ]+/g, ' ').trim() ?? ''
  return text === '' || [...text].length > longest || CONTROL.test(text) || MASKED.test(text) ? null : text
}

function isHarmless(text: string): boolean {
  return findPersonalData(text).length === 0
}

function mayHold(text: string, policy: PiiPolicy): boolean {
  return policy === 'flag' || isHarmless(text)
}

function namesNoNewNumber(words: string, text: string): boolean {
  return [...words.matchAll(/[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu)].every(([word]) => standsIn(text, word))
}
