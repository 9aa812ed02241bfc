import type { Yielding } from '../yielding.js'
import { scanPersonalData, maskSpans } from './find.js'
import { createChecks } from './finding.js'
import type { PiiPolicy } from './screen.js'

/**
 * Returns a text as a language model may read it. The policy that applies is the current one, whichever the text was
 * written under: unless it is `flag`, personal data and secrets are masked.
 */
export function* textForModel(text: string, policy: PiiPolicy): Yielding<string> {
  if (policy === 'flag') return text
  return maskSpans(text, yield* scanPersonalData(text, createChecks()))
}
