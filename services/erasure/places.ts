import { UnavailableError } from '../../runtime/errors.js'
import { countDropping } from '../../store/indexing/index-builds.js'
import { countMentions, type Traces } from '../../store/erasure/mentions.js'
import type { ServiceContext } from '../context.js'

/** Tables that keep ids by design: they say who erased what, and what to search for when an erasure is verified. */
const PLACES_KEEPING_IDS = new Set(['postgres.audit_events', 'postgres.erasures'])

/** Returns true for a place that keeps the ids of erased memories by design. */
export function keepsIds(place: string): boolean {
  return PLACES_KEEPING_IDS.has(place)
}

/** The traces of an erasure in one place. */
interface PlaceFindings {
  /** Number of traces; null while the place is unavailable. */
  readonly holding: number | null
  /** Number of other texts of callers that name one of the ids. */
  readonly mentioning: number
}

/** Returns true if no traces are left, or only those kept by design. Ids in other texts of callers do not count. */
export function isClean(place: string, { holding }: PlaceFindings): boolean {
  return keepsIds(place) || holding === 0
}

/**
 * Counts the traces in each place: every table of the live schema, each index, each queue. An index from before `at` that is being removed
 * cannot be searched any more and counts as one trace. Indexes and queues are searched for the memories' ids alone.
 */
export async function searchPlaces(
  context: ServiceContext,
  traces: Traces & { readonly at: Date },
): Promise<Map<string, PlaceFindings>> {
  const { store, indexBuilds, queuedIds } = context
  const tables = await store.asSystem((system) => countMentions(system, traces))
  const places = new Map<string, PlaceFindings>([...tables].map(([table, found]) => [`postgres.${table}`, found]))
  const note = (place: string, holding: number | null) => places.set(place, { holding, mentioning: 0 })
  for (const { index } of await indexBuilds.all()) {
    const { name } = await index.describe().catch(() => ({ name: 'away' }))
    note(`${index.engine}.${name}`, await nullIfUnavailable(index.for(traces.tenantId).countOf(traces.ids)))
  }
  if (traces.ids.length > 0) note('search.removed', await store.asSystem((system) => countDropping(system, traces.at)))
  for (const queued of queuedIds) note(`queue.${queued.queue}`, await nullIfUnavailable(queued.mentioning(traces.ids)))
  return places
}

async function nullIfUnavailable(count: Promise<number>): Promise<number | null> {
  return count.catch((error: unknown) => {
    if (error instanceof UnavailableError) return null
    throw error
  })
}
