import { InvalidRequestError } from '../../http/errors.js'
import { storedType } from '../../domain/memory-draft.js'
import { type MemoryEvent, MEMORY_EVENTS } from '../../domain/memory.js'
import { MOST_ACTIVITY, readActivity } from '../../store/memories/activity.js'
import type { Operation } from '../operation.js'
import { countedScope } from './counted-scope.js'
import { isoOf, presentSpan, readIntervals } from './read-intervals.js'

type EventCounts = Record<MemoryEvent, number>

/** Counts what happened to memories in each interval. */
export const getMemoryTimeline: Operation<'getMemoryTimeline'> = async (context, principal, { query }) => {
  const scope = countedScope(principal, query)
  const bounds = readIntervals(query, context.clock.now())
  const filter = {
    fleetId: query.fleet_id,
    agentId: query.agent_id,
    memoryType: query.memory_type && storedType(query.memory_type),
    visibility: query.visibility,
  }
  // Others' recalls are shown at trust 3.
  const recalledBy = principal.trust >= 3 ? undefined : principal.agentId
  const rows = await context.store.read(principal, (reader) =>
    readActivity(reader, scope, filter, { bounds, by: query.by, recalledBy }),
  )
  if (rows.length > MOST_ACTIVITY)
    throw InvalidRequestError.at(['query', 'by'], 'Too many values: narrow the time or the filter.')
  const totals = noEvents()
  const intervals = bounds.slice(0, -1).map(() => ({ counts: noEvents(), groups: new Map<string, EventCounts>() }))
  for (const { interval, key, event, count } of rows) {
    const { counts, groups } = intervals[interval]!
    totals[event] += count
    counts[event] += count
    if (key === null) continue
    const group = groups.get(key) ?? noEvents()
    groups.set(key, group)
    group[event] += count
  }
  const items = intervals.map(({ counts, groups }, i) => ({
    start: isoOf(bounds[i]!),
    ...counts,
    ...(query.by !== undefined && { groups: [...groups].map(([key, group]) => ({ key, ...group })) }),
  }))
  const { interval, timezone = 'UTC' } = query
  return { status: 200, body: { interval, timezone, ...presentSpan(bounds), totals, items } }
}

function noEvents(): EventCounts {
  return Object.fromEntries(MEMORY_EVENTS.map((event) => [event, 0])) as EventCounts
}
