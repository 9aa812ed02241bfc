/** 0 restricted (reads its own memories, writes nothing), 1 standard, 2 cross-fleet, 3 operator of the tenant. */
export const TRUST_LEVELS = [0, 1, 2, 3] as const
export type Trust = (typeof TRUST_LEVELS)[number]

export function isTrust(value: number): value is Trust {
  return (TRUST_LEVELS as readonly number[]).includes(value)
}

export function lowerTrust(a: Trust, b: Trust): Trust {
  return a < b ? a : b
}
