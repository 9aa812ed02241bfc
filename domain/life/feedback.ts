export type Outcome = 'success' | 'failure' | 'partial'

const WEIGHT_STEPS: Readonly<Record<Outcome, number>> = { success: 0.1, failure: -0.15, partial: 0.03 }

/** By how much acting on a memory moves its weight, which stays within 0.05 to 1. */
export function weightStep(outcome: Outcome): number {
  return WEIGHT_STEPS[outcome]
}
