import { InvalidArgumentsError, NotFoundError } from '../../runtime/errors.js'
import { shareLockAgent } from '../../store/tenants/agents.js'
import { renewHashesOfAgents } from '../../store/memories/former-hashes.js'
import { countUndistributed, redistribute } from '../../store/memories/redistribute.js'
import type { Operation } from '../operation.js'

export const redistributeMemories: Operation<'redistributeMemories'> = async (context, principal, { body }) => {
  const { from_agent_id: from, to_agent_id: to, limit = 500 } = body
  if (from === to) throw InvalidArgumentsError.at(['to_agent_id'], 'Must differ from from_agent_id.')
  const renewing = { limit: 1_000 }
  // Rows of two forms cannot be compared. In transactions of their own, so that what is done stays done.
  while (
    (await context.store.transact(principal, (writer) => renewHashesOfAgents(writer, [from, to], renewing))) ===
    renewing.limit
  );
  const at = new Date(context.clock.now())
  const answer = await context.store.transact(principal, async (writer) => {
    if (!(await shareLockAgent(writer, to))) throw new NotFoundError('Agent')
    const moved = await redistribute(writer, { from, to, limit, at })
    return { moved, ...(await countUndistributed(writer, { from, to })) }
  })
  return { status: 200, body: answer }
}
