import { review } from '../../services/skills/review.js'
import type { Operation } from '../operation.js'
import { presentReview, requestOf } from './review-request.js'

export const overruleSkill: Operation<'overruleSkill'> = async (context, principal, { params, body, signal }) => {
  const request = requestOf(params, body)
  return { status: 200, body: presentReview(await review(context, principal, 'overrule', request, signal)) }
}
