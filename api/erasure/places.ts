import { UnavailableError } from '../../runtime/errors.js'
import { countLeaving } from '../../store/indexing/index-builds.js'
import { countMentions, type Traces } from '../../store/erasure/mentions.js'
import type { ApiContext } from '../context.js'

/** Where ids stay by design: who erased what, and what is looked for when an erasure is verified. */
const KEEPING = new Set(['postgres.audit_events', 'postgres.erasures'])

export function keepsIds(place: string): boolean {
  return KEEPING.has(place)
}

/** What one place holds of an erasure, null while it is away, and how many other texts of callers there name an id of it. */
export interface Found {
  readonly holding: number | null
  readonly mentioning: number
}

/** Nothing of it is left, or what is left is kept by design. What callers wrote elsewhere is theirs. */
export function isClean(place: string, { holding }: Found): boolean {
  return keepsIds(place) || holding === 0
}

/**
 * How much of the traces each place holds: every table of the live schema, each index, each queue. Indices from before `at` that are
 * being removed cannot be asked any more, and count as they are. Indices and queues are asked for what is of the memories themselves.
 */
export async function searchPlaces(
  context: ApiContext,
  traces: Traces & { readonly at: Date },
): Promise<Map<string, Found>> {
  const { store, indexBuilds, queuedIds } = context
  const tables = await store.asSystem((system) => countMentions(system, traces))
  const places = new Map<string, Found>([...tables].map(([table, found]) => [`postgres.${table}`, found]))
  const note = (place: string, holding: number | null) => places.set(place, { holding, mentioning: 0 })
  for (const { index } of await indexBuilds.all()) {
    const { name } = await index.describe().catch(() => ({ name: 'away' }))
    note(`${index.engine}.${name}`, await orAway(index.for(traces.tenantId).countOf(traces.ids)))
  }
  if (traces.ids.length > 0) note('search.removed', await store.asSystem((system) => countLeaving(system, traces.at)))
  for (const queued of queuedIds) note(`queue.${queued.queue}`, await orAway(queued.mentioning(traces.ids)))
  return places
}

async function orAway(count: Promise<number>): Promise<number | null> {
  return count.catch((error: unknown) => {
    if (error instanceof UnavailableError) return null
    throw error
  })
}
