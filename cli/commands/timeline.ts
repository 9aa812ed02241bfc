import Table from 'cli-table3'
import type { components, operations } from '../../contract/types.js'
import { MEMORY_EVENTS } from '../../domain/memory.js'
import { counted } from '../../runtime/counted.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import type { MemoryOptions } from './memories.js'
import { tenantOf } from './tenant.js'

type TimelineQuery = NonNullable<operations['getMemoryTimeline']['parameters']['query']>
type RecallFigures = components['schemas']['RecallFigures']

/** Time and length of intervals. */
interface IntervalOptions {
  readonly interval?: components['schemas']['IntervalLength']
  readonly from?: string
  readonly to?: string
  readonly timezone?: string
}

export interface TimelineOptions extends MemoryOptions, IntervalOptions {
  readonly scope?: TimelineQuery['scope']
  readonly type?: TimelineQuery['memory_type']
  readonly visibility?: TimelineQuery['visibility']
  readonly by?: TimelineQuery['by']
}

export interface RecallStatisticsOptions extends Pick<MemoryOptions, 'tenant' | 'agent' | 'json'>, IntervalOptions {}

/** Prints what happened to memories in each interval, without intervals in which nothing did. */
export async function showTimeline(service: ServiceClient, options: TimelineOptions): Promise<void> {
  const timeline = await service.getMemoryTimeline({
    ...intervalsOf(options),
    tenant_id: await tenantOf(service, options),
    agent_id: options.agent,
    fleet_id: options.fleet,
    scope: options.scope,
    memory_type: options.type,
    visibility: options.visibility,
    by: options.by,
  })
  if (options.json) return printJson(timeline)
  const events = MEMORY_EVENTS
  const table = plainTable([timeline.interval, ...(options.by ? [options.by] : []), ...events])
  for (const item of timeline.items)
    for (const { key, ...counts } of options.by ? (item.groups ?? []) : [{ key: '', ...item }])
      if (events.some((event) => counts[event] > 0))
        table.push([
          startOf(item.start, timeline),
          ...(options.by ? [printable(key)] : []),
          ...events.map((event) => counts[event]),
        ])
  if (table.length > 0) console.log(table.toString())
  const totals = events.map((event) => `${timeline.totals[event]} ${event}`)
  console.log(`${totals.join(', ')} (${spanOf(timeline)})`)
}

/** Prints how many recalls there were in each interval and by each agent, how long they took, and what they lacked. */
export async function showRecallStatistics(service: ServiceClient, options: RecallStatisticsOptions): Promise<void> {
  const stats = await service.getRecallStats({
    ...intervalsOf(options),
    tenant_id: await tenantOf(service, options),
    agent_id: options.agent,
  })
  if (options.json) return printJson(stats)
  const figures = ['recalls', 'p50 ms', 'p95 ms', 'empty', 'degraded', 'confidence none']
  const intervals = plainTable([stats.interval, ...figures])
  for (const { start, ...item } of stats.items)
    if (item.count > 0) intervals.push([startOf(start, stats), ...cellsOf(item)])
  const agents = plainTable(['agent', ...figures])
  for (const { agent_id: agent, ...item } of stats.agents) agents.push([printable(agent ?? '(none)'), ...cellsOf(item)])
  if (stats.total.count > 0) console.log(`${intervals.toString()}\n${agents.toString()}`)
  console.log(`${counted(stats.total.count, 'recall', 'recalls')} (${spanOf(stats)})`)
}

function intervalsOf({ interval, from, to, timezone }: IntervalOptions) {
  return { interval, from, to, timezone }
}

function plainTable(head: readonly string[]) {
  return new Table({ head: [...head], style: { head: [], border: [] } })
}

function cellsOf({ count, recall_ms: ms, empty, degraded, confidence }: RecallFigures): (string | number)[] {
  return [
    count,
    ms === null ? '' : ms.p50.toFixed(1),
    ms === null ? '' : ms.p95.toFixed(1),
    empty,
    degraded,
    confidence.none,
  ]
}

interface Span extends Required<Pick<IntervalOptions, 'timezone'>> {
  readonly interval: components['schemas']['IntervalLength']
  readonly from: string
  readonly to: string
}

/** Returns the beginning of an interval as the clocks of the answer's zone show it. */
function startOf(instant: string, { interval, timezone: timeZone }: Pick<Span, 'interval' | 'timezone'>): string {
  const shown = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    ...(interval === 'hour' && { timeStyle: 'short' }),
  })
  return shown.format(new Date(instant))
}

function spanOf(span: Span): string {
  const hours = { interval: 'hour', timezone: span.timezone } as const
  return `${startOf(span.from, hours)} to ${startOf(span.to, hours)}, ${span.timezone}`
}
