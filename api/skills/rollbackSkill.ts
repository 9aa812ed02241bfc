import { rollbackSkill as rollback } from '../../services/skills/rollback-skill.js'
import type { Operation } from '../operation.js'
import { presentReview, requestOf } from './review-request.js'

export const rollbackSkill: Operation<'rollbackSkill'> = async (context, principal, { params, body, signal }) => {
  const request = { ...requestOf(params, body), version: body.version }
  return { status: 200, body: presentReview(await rollback(context, principal, request, signal)) }
}
