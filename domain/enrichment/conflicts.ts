import { containsPhrase } from './grounding.js'

/**
 * A model's verdict on a memory and an older or newer one, in the form that its schema allows; nothing of it is trusted
 * yet.
 */
export interface Verdict {
  readonly ref: string
  readonly verdict: 'contradicts' | 'supersedes' | 'unrelated'
  /** Quotes from either text that cannot both be true. */
  readonly here: string
  readonly there: string
}

interface JudgedMemory {
  readonly id: string
  readonly text: string
}

/** Length in UTF-16 units. */
const LONGEST_QUOTE = 300

/**
 * Returns the ids of the memories that conflict with the text: those for which a verdict says so and quotes different
 * words from both texts verbatim. A ref that was not given to the model, or that has two verdicts, is ignored.
 */
export function conflictsFrom(
  verdicts: readonly Verdict[],
  text: string,
  candidates: ReadonlyMap<string, JudgedMemory>,
): string[] {
  const refs = verdicts.map(({ ref }) => ref)
  return verdicts.flatMap(({ ref, verdict, here, there }) => {
    const other = candidates.get(ref)
    if (!other || verdict === 'unrelated' || refs.filter((one) => one === ref).length > 1) return []
    if (here.length > LONGEST_QUOTE || there.length > LONGEST_QUOTE) return []
    const isQuoted = containsPhrase(text, here) && containsPhrase(other.text, there)
    return isQuoted && !containsPhrase(there, here) && !containsPhrase(here, there) ? [other.id] : []
  })
}
