import { review } from '../../services/skills/review.js'
import type { Operation } from '../operation.js'
import { presentReview, requestOf } from './review-request.js'

export const rejectSkill: Operation<'rejectSkill'> = async (context, principal, { params, body, signal }) => {
  const request = { ...requestOf(params, body), cooloffDays: body.cooloff_days }
  return { status: 200, body: presentReview(await review(context, principal, 'reject', request, signal)) }
}
