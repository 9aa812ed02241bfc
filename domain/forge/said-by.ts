import { analyse } from '../text/analysis.js'
import { quotedText } from './prompt.js'
import type { ForgeMemory } from './traces.js'
import { commonForm } from './word-forms.js'

/** Matches what turns a sentence into its opposite. */
const NEGATED =
  /\b(?:no|not|never|none|nobody|nothing|neither|nor|without|cannot|instead of|nicht|kein\w*|nie|ohne|ne|pas|jamais|sans|sin|nunca|ni|non|mai|senza|não|sem)\b|n['\u2019]t\b/iu

/** Words that say nothing of what is to be done. */
const GLUE: ReadonlySet<string> = new Set(
  ['again', 'first', 'next', 'finally', 'now', 'afterwards', 'also', 'step', 'may', 'might', 'must', 'both'].flatMap(
    (word) => analyse(word, 'en'),
  ),
)

/** Returns the stems of a text's content words; words that mean the same are one. */
export function contentWords(text: string): string[] {
  const words = text.replace(/\p{L}+/gu, (word) => commonForm(word.toLowerCase()))
  return [...new Set(analyse(words, 'en'))].filter((word) => !GLUE.has(word))
}

/** The words of memories, and who said each of them. */
export interface SaidWords {
  /** Returns how many agents, by as many credentials, said this word in a sentence that is negated like this. */
  speakersOf(word: string, isNegated: boolean): number
}

export function isNegated(text: string): boolean {
  return NEGATED.test(text)
}

/** Reads who said which words. Several agents of one credential are one; so are several credentials of one agent. */
export function saidWords(memories: Iterable<ForgeMemory>): SaidWords {
  const speakers = new Map<string, { agents: Set<string>; credentials: Set<string> }>()
  for (const memory of new Set(memories)) {
    const agent = memory.agentId ?? ''
    const credential = memory.credential ?? `agent ${agent}`
    for (const key of keysOf(memory)) {
      const said = speakers.get(key) ?? { agents: new Set(), credentials: new Set() }
      speakers.set(key, { agents: said.agents.add(agent), credentials: said.credentials.add(credential) })
    }
  }
  return {
    speakersOf(word, negated) {
      const said = speakers.get(keyOf(word, negated))
      return said ? Math.min(said.agents.size, said.credentials.size) : 0
    },
  }
}

/** The words of memories that were read; each step of an answer asks for some of them again. */
const readKeys = new WeakMap<ForgeMemory, ReadonlySet<string>>()

function keysOf(memory: ForgeMemory): ReadonlySet<string> {
  let keys = readKeys.get(memory)
  if (keys === undefined) {
    const sentences = quotedText(memory).split(/[.!?;\n]+(?=\s|$)/u)
    keys = new Set(
      sentences.flatMap((sentence) => contentWords(sentence).map((word) => keyOf(word, isNegated(sentence)))),
    )
    readKeys.set(memory, keys)
  }
  return keys
}

function keyOf(word: string, negated: boolean): string {
  return `${negated ? '!' : ' '}${word}`
}
