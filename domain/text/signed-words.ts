import type { JoinedNumber } from './joined-numbers.js'
import words from './signed-words.json' with { type: 'json' }

const escaped = words.map((word) => word.replace(/[.+]/g, '\\$&')).join('|')
/** A fast test: most texts have none of the signs before or after a letter. */
const HAS_SIGN = /[a-z](?:\+\+|#)|\.net/i
const SIGNED = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_.+#])(?:${escaped})(?![\\p{L}\\p{N}\\p{M}_+#])`, 'giu')

const WORDS: ReadonlySet<string> = new Set(words)

/** Returns whether a token is such a name as `signedWordsIn` returns it. */
export function isSignedWord(token: string): boolean {
  return WORDS.has(token)
}

/** Returns the names that are distinguished by their signs alone, as `C++` and `C#`, in small letters. */
export function signedWordsIn(text: string): JoinedNumber[] {
  if (!HAS_SIGN.test(text)) return []
  return Array.from(text.matchAll(SIGNED), ({ 0: word, index }) => ({
    text: word.toLowerCase(),
    end: index + word.length,
  }))
}
