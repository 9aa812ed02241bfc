import { withoutSuffixes } from '../text/affixes.js'
import { analyse } from '../text/analysis.js'
import { plainLetters } from '../text/characters.js'
import type { Language } from '../text/language.js'
import { denies } from '../text/negations.js'
import { stopWordsOf } from '../text/stop-words.js'
import { quotedText } from './prompt.js'
import { FORGE_LANGUAGES, stepExpressions, withoutBeginning } from './step-words.js'
import type { ForgeMemory } from './traces.js'
import { commonForm } from './word-forms.js'

/** Languages that a text is read in; null is an uncertain one. */
export type ReadLanguages = readonly (Language | null)[]

/** Returns the languages of memories, in which what is worded by them is read too. */
export function languagesOfMemories(memories: Iterable<ForgeMemory>): ReadLanguages {
  return [...new Set(Array.from(memories, ({ language }) => language ?? null))]
}

const glueOf = new Map<Language | null, ReadonlySet<string>>()

/** Returns the terms of words that say nothing of what is to be done. */
function glueIn(language: Language | null): ReadonlySet<string> {
  let glue = glueOf.get(language)
  if (glue === undefined)
    glueOf.set(language, (glue = new Set(stepExpressions(language).glue.flatMap((word) => analyse(word, 'en')))))
  return glue
}

/** Returns the stems of a text's content words; words that mean the same are one. */
export function contentStems(text: string, languages: ReadLanguages): string[] {
  const functionWords = languages.flatMap((language) =>
    language === null || language === 'en' ? [] : [stopWordsOf(language)],
  )
  const said = languages.reduce<string>(
    (left, language) => withoutBeginning(left, stepExpressions(language).sequence),
    withoutSuffixes(text, languages),
  )
  const words = said.replace(/\p{L}+/gu, (word) => {
    const small = word.toLowerCase()
    return functionWords.some((of) => of.has(plainLetters(small))) ? ' ' : commonForm(small)
  })
  return [...new Set(analyse(words, 'en'))].filter((word) => !languages.some((language) => glueIn(language).has(word)))
}

/** The words of memories, and who said each of them. */
export interface SaidWords {
  /** Returns how many agents, by as many credentials, said this word in a sentence that is negated like this. */
  speakersOf(word: string, isNegated: boolean): number
}

/** Returns whether a sentence denies; a text of uncertain language is read in all that the Forge knows. */
export function isNegated(text: string, languages: ReadLanguages): boolean {
  return denies(text, [...new Set(languages.flatMap((language) => language ?? FORGE_LANGUAGES))])
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
    const sentences = quotedText(memory).split(/[.!?;\n]+(?=\s|$)|[\u3002\uff01\uff1f\uff1b]+/u)
    const languages = languagesOfMemories([memory])
    keys = new Set(
      sentences.flatMap((sentence) => {
        const negated = isNegated(sentence, languages)
        return contentStems(sentence, languages).map((word) => keyOf(word, negated))
      }),
    )
    readKeys.set(memory, keys)
  }
  return keys
}

function keyOf(word: string, negated: boolean): string {
  return `${negated ? '!' : ' '}${word}`
}
