import { UnavailableError } from '../../runtime/errors.js'
import { countLeaving } from '../../store/indexing/index-builds.js'
import { countMentions, type Traces } from '../../store/erasure/mentions.js'
import type { ApiContext } from '../context.js'

/** Where ids stay by design: who erased what, and what is looked for when an erasure is verified. */
const KEEPING = new Set(['postgres.audit_events', 'postgres.erasures'])

export function keepsIds(place: string): boolean {
  return KEEPING.has(place)
}

/**
 * How much of the traces each place holds: every table of the live schema, each index, each queue; null for one that is away. Indices
 * from before `at` that are being removed cannot be asked any more, and count as they are.
 */
export async function searchPlaces(
  context: ApiContext,
  traces: Traces & { readonly at: Date },
): Promise<Map<string, number | null>> {
  const { store, indexBuilds, queuedIds } = context
  const tables = await store.asSystem((system) => countMentions(system, traces))
  const places = new Map<string, number | null>([...tables].map(([table, count]) => [`postgres.${table}`, count]))
  for (const { index } of await indexBuilds.all()) {
    const { name } = await index.describe().catch(() => ({ name: 'away' }))
    places.set(`${index.engine}.${name}`, await orAway(index.for(traces.tenantId).countOf(traces.ids)))
  }
  if (traces.ids.length > 0)
    places.set('search.removed', await store.asSystem((system) => countLeaving(system, traces.at)))
  for (const queued of queuedIds) places.set(`queue.${queued.queue}`, await orAway(queued.mentioning(traces.ids)))
  return places
}

async function orAway(count: Promise<number>): Promise<number | null> {
  return count.catch((error: unknown) => {
    if (error instanceof UnavailableError) return null
    throw error
  })
}
