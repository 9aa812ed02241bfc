import { sql } from 'kysely'
import { activeSkillTotal, documentTotal } from './documents/collections.js'
import { agentTotal, memoryTotal } from './tenants/counters.js'
import type { System } from './store.js'

/** Counters of the whole service that no table keeps by itself. */
type ServiceCounter = 'recalls'

export interface PublicCounts {
  readonly tenants: number
  readonly agents: number
  /** Excludes deleted ones. */
  readonly memories: number
  readonly documents: number
  readonly keystones: number
  readonly activeSkills: number
  readonly recalls: number
}

/** Counts over all tenants: sums only, no names. */
export async function readPublicCounts(system: System): Promise<PublicCounts> {
  const { rows } = await sql<PublicCounts>`
    select (select count(*) from tenants) as tenants,
      ${agentTotal()} as agents,
      ${memoryTotal()} as memories,
      ${documentTotal()} as documents,
      coalesce((select sum(rules)::bigint from keystone_sets), 0) as keystones,
      ${activeSkillTotal()} as "activeSkills",
      coalesce((select value from service_counters where name = 'recalls'), 0) as recalls`.execute(system.db)
  return rows[0]!
}

/** Adds to a counter over all tenants, in batches after the responses: one hot row, so it comes last in its transaction. */
export async function addToCounter(system: System, name: ServiceCounter, count: number): Promise<void> {
  await system.db
    .insertInto('service_counters')
    .values({ name, value: count })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet((set) => ({ value: set('service_counters.value', '+', count) })),
    )
    .execute()
}
