import { inTurns } from '../pauses.js'
import { lookForPersonalData, maskSpans } from './find.js'
import { newChecks } from './finding.js'
import type { PiiPolicy } from './screen.js'

/**
 * Returns a text as a language model may read it: by the policy that is in force now, whichever it was written under. Where that is not
 * `flag`, what is found is masked.
 */
export async function disclosed(
  text: string,
  policy: PiiPolicy,
  turn: () => Promise<void> | undefined,
): Promise<string> {
  if (policy === 'flag') return text
  return maskSpans(text, await inTurns(lookForPersonalData(text, newChecks()), turn))
}
