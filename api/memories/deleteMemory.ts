import { audienceOf } from '../../domain/visibility.js'
import { NotFoundError } from '../../runtime/errors.js'
import { MEMORY_STATUSES } from '../../domain/memory.js'
import { changeStatus } from '../../store/memories/change-status.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { foreignFault } from '../../services/access/trust.js'
import { taintSkills } from '../../services/skills/taint.js'
import type { Operation } from '../operation.js'

export const deleteMemory: Operation<'deleteMemory'> = async (context, principal, { params }) => {
  await context.store.transact(
    principal,
    async (writer) => {
      const [row] = await findMemories(writer, audienceOf(principal, 'all'), [params.memory_id])
      if (!row) throw new NotFoundError('Memory')
      const foreign = foreignFault(principal, row)
      if (foreign) throw foreign
      const from = MEMORY_STATUSES.filter((status) => status !== 'deleted')
      const at = new Date(context.clock.now())
      const moved = await changeStatus(writer, [row.id], { from, to: 'deleted', at })
      if (moved.length === 0) throw new NotFoundError('Memory')
      await taintSkills(writer, moved, 'deleted', at)
    },
    { countsMemories: true },
  )
  return { status: 204 }
}
