type Outcome = 'success' | 'failure' | 'partial'

const WEIGHT_STEPS: Readonly<Record<Outcome, number>> = { success: 0.1, failure: -0.15, partial: 0.03 }

/** Returns by how much an outcome changes a memory's weight, which stays within 0.05 and 1. */
export function weightStep(outcome: Outcome): number {
  return WEIGHT_STEPS[outcome]
}
