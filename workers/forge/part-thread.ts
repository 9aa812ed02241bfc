import type { TextLimits } from '../../domain/forge/distilled.js'
import type { TraceReports } from '../../domain/forge/outcome.js'
import type { Part, Window } from '../../domain/forge/traces.js'
import { createTaskThread } from '../../runtime/threads/task-thread.js'
import {
  type PartBounds,
  readEvidence,
  type SelectedTrace,
  type Selection,
  selectTraces,
  traceKey,
} from '../../store/forge/evidence.js'
import { readReports, readReused } from '../../store/forge/reports.js'
import type { JobContext, PartThreadOptions } from '../context.js'
import type { ForgeTasks, PartAnswer } from './forge-thread.js'
import type { PartTimes } from './part-times.js'

/** Bounds one part of a run: it takes the newest traces. The README has the time and the memory that it takes. */
const PART_BOUNDS: PartBounds = {
  traces: 10_000,
  memories: 100_000,
  bytes: 48 * 1024 * 1024,
  memoriesOfTrace: 1_000,
}
/** Memories that are read, and sent to the thread, at a time. */
const PAGE_MEMORIES = 1_000
/** Numbers of all vectors of a part; beyond these, memories are compared by their words alone. */
const MOST_NUMBERS = 8_000_000
/** Most milliseconds of one part, however many its run has: ten times what 10,000 traces take on a busy machine. */
export const TIME_LIMIT_MS = 25 * 60_000
const MAX_HEAP_MB = 256

/** A part that has been read and thought through in a thread of its own, which ended with it. */
export interface ThreadedPart {
  readonly selection: Selection
  readonly hasVectors: boolean
  readonly answer: PartAnswer
}

/** A part of a run: whose memories, of when, and how long its texts may be. */
interface PartRequest {
  readonly tenantId: string
  readonly part: Part
  readonly window: Window
  readonly limits: TextLimits
  /** Milliseconds that reading and thinking may take. */
  readonly timeoutMs: number
  readonly times: PartTimes
}

/** Reads a part page by page into a thread, and has it find the skills. Throws what `TaskThread.run` throws. */
export async function thinkThrough(
  context: JobContext,
  request: PartRequest,
  signal: AbortSignal,
  options: PartThreadOptions = {},
): Promise<ThreadedPart> {
  const { bounds = PART_BOUNDS, maxHeapMb = MAX_HEAP_MB } = options
  const { file = new URL('./forge-thread', import.meta.url) } = options
  const { part, window, limits, tenantId, times } = request
  const thread = createTaskThread<ForgeTasks>({ file, workerData: null, maxHeapMb })
  // What is computed is dropped at once: nobody waits for a run that has to stop.
  const stop = () => void thread.terminate()
  signal.addEventListener('abort', stop, { once: true })
  const { clock } = context
  const endsAt = clock.now() + request.timeoutMs
  const inTime = () => ({ signal, timeoutMs: Math.max(1, endsAt - clock.now()) })
  try {
    const selection = await times.spend('select', () =>
      context.store.read({ tenantId }, (reader) => selectTraces(reader, part, window, bounds)),
    )
    const { embedder } = context.indexes.serving()
    const hasVectors = numberOfMemories(selection.traces) * embedder.dimensions <= MOST_NUMBERS
    const model = hasVectors ? embedder.id : null
    const reused = await times.spend('reuse', () => readReusedTraces(context, request, selection.traces))
    for (const page of pagesOf(selection.traces)) {
      signal.throwIfAborted()
      const [memories, reported] = await times.spend('read', () =>
        context.store.read({ tenantId }, (reader) =>
          Promise.all([readEvidence(reader, page, window, model), readReports(reader, page)]),
        ),
      )
      const reports = reported.map((report): [string, TraceReports] => {
        const key = traceKey(report)
        return [key, { ...report, reused: reused.has(key) }]
      })
      await times.spend('hand over', () => thread.run('add', [memories, reports], inTime()))
    }
    const answer = await times.spend('cluster', () => thread.run('propose', [{ part, window, limits }], inTime()))
    return { selection, hasVectors, answer }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    await thread.terminate()
  }
}

async function readReusedTraces(
  { store }: JobContext,
  { tenantId, window }: PartRequest,
  traces: readonly SelectedTrace[],
): Promise<Set<string>> {
  const reused = await store.read({ tenantId }, (reader) => readReused(reader, traces, window))
  return new Set(reused.map(traceKey))
}

export function numberOfMemories(traces: readonly SelectedTrace[]): number {
  return traces.reduce((sum, { memories }) => sum + memories, 0)
}

/** Cuts the traces into pages of about as many memories; one trace is never cut. */
function* pagesOf(traces: readonly SelectedTrace[]): Generator<SelectedTrace[]> {
  let page: SelectedTrace[] = []
  for (const trace of traces) {
    if (page.length > 0 && numberOfMemories(page) + trace.memories > PAGE_MEMORIES) {
      yield page
      page = []
    }
    page.push(trace)
  }
  if (page.length > 0) yield page
}
