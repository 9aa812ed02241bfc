import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { NotFoundError } from '../../runtime/errors.js'
import { saveOutcome } from '../../store/skills/outcomes.js'
import type { Operation } from '../operation.js'

export const reportSkillOutcome: Operation<'reportSkillOutcome'> = async (context, principal, { params, body }) => {
  const { outcome, run_id: runId = null } = body
  const at = new Date(context.clock.now())
  const skill = await context.store.transact(principal, (writer) =>
    saveOutcome(writer, params.slug, { outcome, runId, at }, boundFleetsOf(principal, 'all')),
  )
  if (!skill) throw new NotFoundError('Skill')
  return {
    status: 200,
    body: {
      doc_id: params.slug,
      slug: skill.slug,
      version: skill.version,
      outcome,
      agent_id: principal.agentId,
      run_id: runId,
      at: at.toISOString(),
    },
  }
}
