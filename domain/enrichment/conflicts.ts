import { standsIn } from './grounding.js'

/** What a judge says of a memory beside an older or newer one, as its schema lets it: nothing of it is believed yet. */
export interface Verdict {
  readonly ref: string
  readonly verdict: 'contradicts' | 'supersedes' | 'unrelated'
  /** Words of either text that cannot both hold. */
  readonly here: string
  readonly there: string
}

interface Judged {
  readonly id: string
  readonly text: string
}

/** In UTF-16 units. */
const LONGEST_QUOTE = 300

/**
 * Ids of the memories that are in conflict with the text: those for which a verdict says so and quotes from both texts, word for word,
 * different words. A ref that was not given, or has two verdicts, says nothing.
 */
export function conflictsFrom(
  verdicts: readonly Verdict[],
  text: string,
  candidates: ReadonlyMap<string, Judged>,
): string[] {
  const refs = verdicts.map(({ ref }) => ref)
  return verdicts.flatMap(({ ref, verdict, here, there }) => {
    const other = candidates.get(ref)
    if (!other || verdict === 'unrelated' || refs.filter((one) => one === ref).length > 1) return []
    if (here.length > LONGEST_QUOTE || there.length > LONGEST_QUOTE) return []
    const isQuoted = standsIn(text, here) && standsIn(other.text, there)
    return isQuoted && !standsIn(there, here) && !standsIn(here, there) ? [other.id] : []
  })
}
