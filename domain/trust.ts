/** 0 restricted (reads its own memories, writes nothing), 1 standard, 2 cross-fleet, 3 operator of the tenant. */
export const TRUST_LEVELS = [0, 1, 2, 3] as const
export type Trust = (typeof TRUST_LEVELS)[number]

export function isTrust(value: number): value is Trust {
  return (TRUST_LEVELS as readonly number[]).includes(value)
}

export function lowerTrust(a: Trust, b: Trust): Trust {
  return a < b ? a : b
}

/** The trust that a tenant key of one fleet needs to act for an agent of another fleet. Every key may act for an agent without a fleet. */
export const TRUST_TO_ACT_FOR_OTHER_FLEETS: Trust = 2

export function mayActFor(
  key: { readonly fleetId: string | null; readonly trust: Trust },
  agent: { readonly fleetId: string | null },
): boolean {
  const isForeign = key.fleetId !== null && agent.fleetId !== null && agent.fleetId !== key.fleetId
  return !isForeign || key.trust >= TRUST_TO_ACT_FOR_OTHER_FLEETS
}
