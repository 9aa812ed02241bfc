import { callerMayMove, isLive } from '../../domain/life/status-moves.js'
import { LIVE_STATUSES } from '../../domain/memory.js'
import type { Principal } from '../../domain/principal.js'
import { audienceOf } from '../../domain/visibility.js'
import { type CairnError, ConflictError, NotFoundError } from '../../runtime/errors.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { lockMemories } from '../../store/memories/lock-memories.js'
import { findMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import { itemErrorOf } from '../../http/errors.js'
import type { Writer } from '../../store/store.js'
import type { components } from '../../contract/types.js'
import { applyChange, type ChangeContext, statusMoveConflict } from '../../services/memories/apply-change.js'
import { foreignFault } from '../../services/access/trust.js'
import { taintSkills } from '../../services/skills/taint.js'
import type { Operation } from '../operation.js'

type CallerStatus = components['schemas']['CallerStatus']
type Result = components['schemas']['StatusMovesAnswer']['results'][number]

export const moveMemories: Operation<'moveMemories'> = async (context, principal, { body, signal }) => {
  // The same id may be given in upper and in lower case.
  const ids = [...new Set(body.ids.map((id) => id.toLowerCase()))]
  const { clock, enrichment, tenantLanguages } = context
  const changeContext = { principal, now: new Date(clock.now()), enriches: enrichment.enabled, tenantLanguages, signal }
  const results = await context.store.transact(principal, (writer) => moveAll(writer, changeContext, ids, body.status))
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length
  const errors = count('error')
  return {
    status: errors === 0 ? 200 : 207,
    body: { moved: count('moved'), unchanged: count('unchanged'), errors, results },
  }
}

/**
 * Changes the status of many memories. Changes of live memories go in one statement. A memory that becomes live again is changed by
 * itself, after them, because it may supersede one of them.
 */
async function moveAll(
  writer: Writer,
  changeContext: ChangeContext,
  ids: readonly string[],
  to: CallerStatus,
): Promise<Result[]> {
  const { principal, now: at } = changeContext
  const audience = audienceOf(principal, 'all')
  await lockMemories(writer, audience, ids)
  const rows = new Map((await findMemories(writer, audience, ids)).map((row) => [row.id, row]))
  const results = new Map<string, Result>()
  const liveIds: string[] = []
  const archived: MemoryRow[] = []
  for (const id of ids) {
    const row = rows.get(id)
    const fault = row ? faultOf(principal, row, to) : new NotFoundError('Memory')
    if (fault) results.set(id, errorResult(id, fault))
    else if (row!.status === to) results.set(id, { id, status: 'unchanged' })
    else if (isLive(row!.status)) liveIds.push(id)
    else archived.push(row!)
  }
  const moved = await changeStatus(writer, liveIds, { from: LIVE_STATUSES, to, at })
  for (const id of moved) results.set(id, { id, status: 'moved' })
  if (to === 'cancelled') await taintSkills(writer, moved, 'changed', at)
  for (const row of archived) results.set(row.id, await revive(writer, changeContext, row, to))
  return ids.map((id) => results.get(id)!)
}

function faultOf(principal: Principal, row: MemoryRow, to: CallerStatus): CairnError | null {
  const foreign = foreignFault(principal, row)
  if (foreign) return foreign
  return row.status === to || callerMayMove(row.status, to) ? null : statusMoveConflict(row.status, to)
}

async function revive(
  writer: Writer,
  changeContext: ChangeContext,
  row: MemoryRow,
  status: CallerStatus,
): Promise<Result> {
  try {
    await applyChange(writer, changeContext, row, { status })
    return { id: row.id, status: 'moved' }
  } catch (error) {
    // Another live memory has its text; the change was rolled back.
    if (error instanceof ConflictError) return errorResult(row.id, error)
    throw error
  }
}

function errorResult(id: string, error: CairnError): Result {
  return { id, status: 'error', error: itemErrorOf(error) }
}
