import { plainText, segmentedWords } from './analysis.js'
import type { Language } from './language.js'
import { createLexicon } from './lexicon.js'
import table from './negations.json' with { type: 'json' }

interface Entry {
  readonly words?: string
  readonly patterns?: string
}

const DENIALS = createLexicon(table)

/** Returns whether a text in one of these languages denies something: "not", "no", "without". */
export function denies(text: string, languages: readonly Language[]): boolean {
  const plain = plainText(text)
  return DENIALS.in({ plain, words: [...segmentedWords(withWholeDenials(plain))] }, languages).length > 0
}

/** Returns a plain text with the contractions of "not" as one word each. */
export function withWholeDenials(plain: string): string {
  return plain.replace(/n't\b/g, 'nt')
}

/** Words that deny, and words that turn a sentence into another as a denial does: "failed", "hardly", "former". */
export const REVERSALS = createLexicon(
  Object.fromEntries(
    Object.entries(table).map(([language, entry]: [string, Entry & { readonly akin?: Entry }]) => [
      language,
      joined(entry, entry.akin ?? {}),
    ]),
  ),
)

function joined(a: Entry, b: Entry): Entry {
  const join = (kind: keyof Entry, sign: string) => {
    const parts = [a, b].flatMap((entry) => entry[kind] ?? [])
    return parts.length === 0 ? {} : { [kind]: parts.join(sign) }
  }
  return { ...join('words', ' '), ...join('patterns', '|') }
}
