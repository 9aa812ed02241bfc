import { readData, TEXT, TEXTS } from '../data-file.js'

/** The synthetic company: everything that several kinds of memories name. */
export const FLEETS = ['platform', 'payments', 'commerce', 'data'] as const
export type Fleet = (typeof FLEETS)[number]

/** Each fleet has one agent of each role; its id is `fleet-role`. */
export const ROLES = ['watch', 'fixer', 'builder', 'scribe', 'concierge'] as const
export type Role = (typeof ROLES)[number]

export interface Service {
  readonly name: string
  readonly fleet: Fleet
  /** Its purpose, in words that its name does not contain. */
  readonly does: string
}

const NAMED = { values: TEXT } as const
const { services, people, places } = readData('fleet-set/world.yaml', {
  properties: {
    services: { properties: { platform: NAMED, payments: NAMED, commerce: NAMED, data: NAMED } },
    people: TEXTS,
    places: TEXTS,
  },
})

export const SERVICES: readonly Service[] = FLEETS.flatMap((fleet) =>
  Object.entries(services[fleet]).map(([name, does]) => ({ name, fleet, does })),
)
export const PEOPLE: readonly string[] = people
export const PLACES: readonly string[] = places

/** Returns the people of a fleet: nine each. */
export function peopleOf(fleet: Fleet): string[] {
  return PEOPLE.filter((_, i) => FLEETS[i % FLEETS.length] === fleet)
}

export function servicesOf(fleet: Fleet): Service[] {
  return SERVICES.filter((one) => one.fleet === fleet)
}
