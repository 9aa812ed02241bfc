import { InvalidArgumentsError } from '../../runtime/errors.js'
import { editSkill as edit } from '../../services/skills/edit-skill.js'
import type { Operation } from '../operation.js'
import { presentReview, requestOf } from './review-request.js'

export const editSkill: Operation<'editSkill'> = async (context, principal, { params, body, signal }) => {
  const { content, description, summary } = body
  const texts = {
    ...(content !== undefined && { content }),
    ...(description !== undefined && { description }),
    ...(summary !== undefined && { summary }),
  }
  if (Object.keys(texts).length === 0) throw InvalidArgumentsError.at([], 'Give content, description or summary.')
  const edited = await edit(context, principal, { ...requestOf(params, body), texts }, signal)
  return { status: 200, body: presentReview(edited) }
}
