import type { Principal } from '../../domain/principal.js'
import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { etagOf, requireMatch } from '../../http/entity-tags.js'
import { foreignFault } from '../../services/access/trust.js'
import { applyChange } from '../../services/memories/apply-change.js'
import type { MemoryChange } from '../../services/memories/memory-change.js'
import { lockMemories } from '../../store/memories/lock-memories.js'
import { findMemories, type MemoryRow } from '../../store/memories/read-memories.js'
import type { Writer } from '../../store/store.js'
import type { ServiceContext } from '../../services/context.js'
import { presentMemory } from './present-memory.js'

interface ChangeRequest {
  readonly id: string
  readonly ifMatch: string | undefined
  readonly signal: AbortSignal
}

/** A change of a memory, and the version whose values it gives the memory again. */
interface WantedChange {
  readonly change: MemoryChange
  readonly restoredVersion?: number
}

/** Changes one memory that the caller may change, to what `changeOf` returns for its locked row, and answers with it. */
export async function changeMemory(
  context: ServiceContext,
  principal: Principal,
  { id, ifMatch, signal }: ChangeRequest,
  changeOf: (writer: Writer, row: MemoryRow, now: Date) => WantedChange | Promise<WantedChange>,
) {
  const row = await context.store.transact(principal, async (writer) => {
    const audience = audienceOf(principal, 'all')
    // Locked before it is read, so that the version compared is the version changed.
    await lockMemories(writer, audience, [id])
    const [before] = await findMemories(writer, audience, [id])
    if (!before) throw new NotFoundError('Memory')
    const foreign = foreignFault(principal, before)
    if (foreign) throw foreign
    requireMatch(ifMatch, before)
    const now = new Date(context.clock.now())
    const { change, restoredVersion } = await changeOf(writer, before, now)
    const changeContext = {
      principal,
      now,
      enriches: context.enrichment.enabled,
      tenantLanguages: context.tenantLanguages,
      restoredVersion,
      signal,
    }
    await applyChange(writer, changeContext, before, change)
    // An operator who makes another's memory private still gets it in this answer, without the author's other private data.
    const [after] = await findMemories(writer, audience, [id], { even: 'hidden' })
    return after!
  })
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentMemory(principal.tenantId, row) } as const
}
