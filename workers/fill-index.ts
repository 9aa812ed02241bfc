import type { IndexChange } from '../search/search-index.js'
import { readLiveRows } from '../store/indexing/index-rows.js'
import {
  countLive,
  countMoving,
  endFilling,
  endTenant,
  failBuild,
  nextTenant,
  noteFilled,
  type HeldBuild,
  type TenantFilling,
} from '../store/indexing/index-filling.js'
import { enqueue } from '../store/outbox/outbox.js'
import type { IndexTarget } from './context.js'
import { embedRows } from './embed-rows.js'
import { withVector } from './index-document.js'
import type { JobContext } from './jobs.js'
import { buildChanges, writeChanges } from './write-documents.js'
import { hexOf, memoriesOf } from './write-everywhere.js'

/** Rows that are read, embedded and written before the place in the tenant is noted; written in parts, side by side. */
const PART = 250
const PAGE = 4 * PART
/** Fillings of one tenant; then what is wrong with its count is an operator's. */
const MOST_ROUNDS = 3

/** Ends the filling for now: something is away, which is waited for, or another process has the build. */
class Interrupted extends Error {
  constructor(readonly heldUpBy: string | null) {
    super(heldUpBy ?? 'another process has the build')
  }
}

interface Filling {
  readonly context: JobContext
  readonly build: HeldBuild
  readonly target: IndexTarget
  readonly signal: AbortSignal
}

/**
 * Fills the build's index tenant by tenant, from wherever it stands, until it is ready, has failed, or the signal is aborted.
 * Returns what holds it up, or null.
 */
export async function fillIndex(filling: Filling): Promise<string | null> {
  const { context, build, target, signal } = filling
  const { store, logger } = context
  try {
    while (!signal.aborted) {
      const tenant = await store.asSystem((system) => nextTenant(system, build))
      if (tenant === null) {
        await target.index.seeded()
        await store.asSystem((system) => endFilling(system, build))
        logger.info({ build: build.id, model: build.model, switches: build.autoSwitch }, 'the index is filled')
        return null
      }
      if (await fillTenant(filling, tenant)) await checkTenant(filling, tenant)
    }
    return null
  } catch (error) {
    if (error instanceof Interrupted) return error.heldUpBy
    throw error
  }
}

/** False when it was stopped before the end. */
async function fillTenant(filling: Filling, { tenantId, lastId, untilId: until }: TenantFilling): Promise<boolean> {
  const { context, build, signal } = filling
  // Embedding a thousand texts elsewhere may take half a minute, for which a stop would have to wait.
  const limit = filling.target.embedder.inline ? PAGE : PART
  for (let after = lastId; ;) {
    if (signal.aborted) return false
    const rows = await context.store.read({ tenantId }, (reader) => readLiveRows(reader, { after, until, limit }))
    if (rows.length === 0) return true
    const memories = memoriesOf(rows)
    const texts = await embedRows(context, filling.target.embedder, tenantId, [...memories.values()])
    if (texts.waiting.size > 0) throw new Interrupted('the embedder is away')
    const { done, failures } = await buildChanges(rows)
    const changes = done.map((change) => withVector(change, texts.vectors.get(hexOf(memories.get(change.id))) ?? null))
    const refused = rows.filter(({ memory }) => texts.refused.has(hexOf(memory!))).map(({ id }) => id)
    const unwritten = await writeParts(filling, tenantId, changes)
    await leaveToJobs(filling, tenantId, [...failures.map(({ id }) => id), ...refused, ...unwritten])
    after = rows.at(-1)!.id
    const page = { tenantId, lastId: after, count: rows.length }
    if (!(await context.store.asSystem((system) => noteFilled(system, build, page)))) throw new Interrupted(null)
  }
}

/** Ids of those that the engine refuses. */
async function writeParts(
  { context, target }: Filling,
  tenantId: string,
  changes: readonly IndexChange[],
): Promise<string[]> {
  const parts = Array.from({ length: Math.ceil(changes.length / PART) }, (_, i) =>
    changes.slice(i * PART, (i + 1) * PART),
  )
  const written = await Promise.all(parts.map((part) => writeChanges(context, target, tenantId, part)))
  return written.flatMap((part) => {
    if (part === null) throw new Interrupted('the search engine is away')
    return part.failures.map(({ id }) => id)
  })
}

/** What cannot be filled goes the way of every change: its tries are counted, and an operator sees it parked. */
async function leaveToJobs({ context }: Filling, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await context.store.transact({ tenantId }, (writer) => enqueue(writer, 'memory', ids))
}

/** Done when the index holds what Postgres does, give or take what is on its way; else it is filled once more. */
async function checkTenant({ context, build, target }: Filling, { tenantId, rounds }: TenantFilling): Promise<void> {
  const { store, logger } = context
  const { live, at } = await store.read({ tenantId }, countLive)
  const held = await target.index.for(tenantId).count()
  const moving = await store.read({ tenantId }, (reader) => countMoving(reader, at))
  const complete = Math.abs(held - live) <= moving
  if (!complete) logger.warn({ build: build.id, tenantId, live, held, moving, rounds }, 'the filled index does not fit')
  if (!complete && rounds >= MOST_ROUNDS) {
    const error = `tenant ${tenantId}: the index holds ${held} of ${live} memories`
    await store.asSystem((system) => failBuild(system, build, error))
    throw new Interrupted(null)
  }
  const kept = await store.asSystem((system) => endTenant(system, build, { tenantId, complete }))
  if (!kept) throw new Interrupted(null)
}
