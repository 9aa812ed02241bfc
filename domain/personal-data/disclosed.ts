import { inTurns } from '../pauses.js'
import { lookForPersonalData, maskSpans } from './find.js'
import { newChecks } from './finding.js'
import type { PiiPolicy } from './screen.js'

/**
 * Returns a text as a language model may read it. The policy that applies is the current one, whichever the text was
 * written under: unless it is `flag`, personal data and secrets are masked.
 */
export async function disclosed(
  text: string,
  policy: PiiPolicy,
  turn: () => Promise<void> | undefined,
): Promise<string> {
  if (policy === 'flag') return text
  return maskSpans(text, await inTurns(lookForPersonalData(text, newChecks()), turn))
}
