import { UnavailableError } from '../../runtime/errors.js'
import { countDropping } from '../../store/indexing/index-builds.js'
import { withoutDocument } from '../../store/erasure/erase-skills.js'
import { countMentions, type Traces } from '../../store/erasure/mentions.js'
import type { OperatingContext } from '../operating-context.js'

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
  /** Number of other texts of callers that have one of the ids or names. */
  readonly mentioning: number
  /** Number of texts, of whatever kind, that have one of the names. */
  readonly naming: number
}

/**
 * Returns true if no traces are left, or only ids that are kept by design. Ids in other texts of callers do not count, since an id tells
 * nothing of a memory; a name does.
 */
function isClean(place: string, { holding, naming }: PlaceFindings): boolean {
  return naming === 0 && (keepsIds(place) || holding === 0)
}

/** Returns the places that are not clean, with the number of rows; null for those that are unavailable. */
export function remainingIn(places: ReadonlyMap<string, PlaceFindings>): { place: string; count: number | null }[] {
  return [...places]
    .filter(([place, found]) => !isClean(place, found))
    .map(([place, { holding, naming }]) => ({ place, count: holding === null ? null : Math.max(holding, naming) }))
}

/**
 * Counts the traces in each place: every table of the live schema, each index, each queue. An index from before `at` that is being removed
 * cannot be searched any more and counts as one trace.
 */
export async function searchPlaces(
  context: OperatingContext,
  traces: Traces & { readonly at: Date; readonly skillIds: readonly string[] },
): Promise<Map<string, PlaceFindings>> {
  const { store, indexBuilds, queuedIds } = context
  const tables = await store.asSystem((system) => countMentions(system, traces))
  const places = new Map<string, PlaceFindings>([...tables].map(([table, found]) => [`postgres.${table}`, found]))
  const note = (place: string, holding: number | null) => places.set(place, { holding, mentioning: 0, naming: 0 })
  const withdrawn = await store.read(traces, (reader) => withoutDocument(reader, traces.skillIds))
  for (const { index } of await indexBuilds.all()) {
    const { name } = await index.describe().catch(() => ({ name: 'away' }))
    const count = async () => {
      const memories = await index.for(traces.tenantId).countOf(traces.ids)
      return memories + (await index.for(traces.tenantId, 'documents').countOf(withdrawn))
    }
    note(`${index.engine}.${name}`, await nullIfUnavailable(count()))
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
