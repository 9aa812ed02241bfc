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

export const SERVICES: readonly Service[] = [
  service('edge-gateway', 'platform', 'takes in everything that comes from outside'),
  service('session-vault', 'platform', 'remembers who is signed in'),
  service('build-farm', 'platform', 'compiles every branch'),
  service('secrets-broker', 'platform', 'gives workloads their passwords'),
  service('feature-toggler', 'platform', 'decides who gets which behaviour'),
  service('dns-warden', 'platform', 'publishes internal addresses'),
  service('log-shipper', 'platform', 'carries lines to cold storage'),
  service('node-scaler', 'platform', 'adds and removes machines'),
  service('ledger-core', 'payments', 'books every movement of money'),
  service('payout-runner', 'payments', 'sends merchants what they are owed'),
  service('card-tokenizer', 'payments', 'keeps card numbers out of everything else'),
  service('refund-desk', 'payments', 'gives shoppers their money back'),
  service('invoice-press', 'payments', 'prints bills'),
  service('fraud-sentinel', 'payments', 'scores orders for abuse'),
  service('fx-quoter', 'payments', 'converts currencies'),
  service('dispute-inbox', 'payments', 'collects chargebacks'),
  service('basket-api', 'commerce', 'holds what shoppers are about to buy'),
  service('catalog-index', 'commerce', 'lets shoppers find articles'),
  service('price-engine', 'commerce', 'works out what an article costs'),
  service('stock-keeper', 'commerce', 'knows how many pieces are left'),
  service('shipping-planner', 'commerce', 'chooses a carrier for a parcel'),
  service('coupon-mill', 'commerce', 'issues vouchers'),
  service('review-wall', 'commerce', 'shows what buyers wrote'),
  service('gift-finder', 'commerce', 'proposes presents'),
  service('events-lake', 'data', 'stores what happened, unchanged'),
  service('metrics-rollup', 'data', 'adds up figures by the hour'),
  service('churn-model', 'data', 'predicts who is about to leave'),
  service('export-courier', 'data', 'delivers files to customers'),
  service('schema-registry', 'data', 'knows the shape of every message'),
  service('cdc-bridge', 'data', 'streams row changes out of databases'),
  service('report-loom', 'data', 'writes the books for the board'),
  service('identity-graph', 'data', 'finds out which accounts are one person'),
]

export const PEOPLE = words(
  'Amara Boris Chen Divya Elena Farid Greta Hiro Ines Jonas Kofi Lucia Mateo Nadia Omar Priya Quentin Rosa Sven Tariq Ulla Viktor',
  'Wanda Ximena Yusuf Zofia Anselm Beatriz Cedric Dagny Emeka Freya Gustavo Hanneke Idris Jolanta',
)

/** Returns the people of a fleet: nine each. */
export function peopleOf(fleet: Fleet): string[] {
  return PEOPLE.filter((_, i) => FLEETS[i % FLEETS.length] === fleet)
}

export function servicesOf(fleet: Fleet): Service[] {
  return SERVICES.filter((one) => one.fleet === fleet)
}

export const PLACES = words('eu-west us-east ap-south sa-east')

function service(name: string, fleet: Fleet, does: string): Service {
  return { name, fleet, does }
}

function words(...lines: string[]): string[] {
  return lines.join(' ').split(' ')
}
