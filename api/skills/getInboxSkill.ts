import { diffOf } from '../../domain/skills/diff.js'
import { NotFoundError } from '../../runtime/errors.js'
import { listMoves } from '../../store/skills/history.js'
import { findSkill, listServing } from '../../store/skills/read-skills.js'
import type { Operation } from '../operation.js'
import { presentCard, presentMove } from './present-card.js'

export const getInboxSkill: Operation<'getInboxSkill'> = async (context, principal, { params }) => {
  const { waiting, active, serving, moves } = await context.store.read(principal, async (reader) => {
    const skill = await findSkill(reader, params.slug)
    if (!skill?.waiting) throw new NotFoundError('Skill')
    return {
      ...{ waiting: skill.waiting, active: skill.active },
      serving: await listServing(reader, skill.waiting.contentHash),
      moves: await listMoves(reader, skill.id),
    }
  })
  return {
    status: 200,
    body: {
      ...presentCard(waiting, { withContent: true }),
      content: waiting.content,
      active: active && { version: active.version, content_hash: active.contentHash },
      diff: active && diffOf(active, waiting),
      also_active: serving.filter((docId) => docId !== params.slug),
      history: moves.map(presentMove),
    },
  }
}
