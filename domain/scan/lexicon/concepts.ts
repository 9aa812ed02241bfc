import arabic from './words/arabic.json' with { type: 'json' }
import chinese from './words/chinese.json' with { type: 'json' }
import english from './words/english.json' with { type: 'json' }
import french from './words/french.json' with { type: 'json' }
import german from './words/german.json' with { type: 'json' }
import italian from './words/italian.json' with { type: 'json' }
import japanese from './words/japanese.json' with { type: 'json' }
import korean from './words/korean.json' with { type: 'json' }
import portuguese from './words/portuguese.json' with { type: 'json' }
import russian from './words/russian.json' with { type: 'json' }
import spanish from './words/spanish.json' with { type: 'json' }

/**
 * Ideas that words of any language stand for. Rules of prose and the judgement of context are written in these, so that a rule holds in
 * every language that has the words. The English file names all of them.
 */
export type Concept = keyof typeof english
export const CONCEPTS = Object.keys(english) as readonly Concept[]

/** The words of one language, as lists separated by commas. A word that ends with `*` may go on; `(a|b|)` stands for each of the parts. */
export type Lexicon = Partial<Record<Concept, string>>

/** English stands first: a word that several languages have is taken for an English one. */
export const LEXICONS: readonly Lexicon[] = [
  english,
  german,
  french,
  spanish,
  portuguese,
  italian,
  russian,
  chinese,
  japanese,
  arabic,
  korean,
]
