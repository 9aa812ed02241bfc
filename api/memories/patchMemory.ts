import { InvalidArgumentsError } from '../../runtime/errors.js'
import { changeMemory } from './change-memory.js'
import { readChange } from './read-draft.js'
import type { Operation } from '../operation.js'

export const patchMemory: Operation<'patchMemory'> = (context, principal, { params, headers, body, signal }) => {
  const change = readChange(body)
  if (Object.keys(change).length === 0)
    throw InvalidArgumentsError.at([], 'Name at least one field to change.', 'missing')
  const request = { id: params.memory_id, ifMatch: headers['If-Match'], signal }
  return changeMemory(context, principal, request, () => ({ change }))
}
