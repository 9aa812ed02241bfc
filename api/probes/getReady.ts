import { HttpError } from '../../http/errors.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Operation } from '../operation.js'
import { checkReadiness } from './readiness.js'

export const getReady: Operation<'getReady'> = async ({ store }) => {
  const state = await checkReadiness(store)
  if (state === 'ready') return { status: 200, body: { status: 'ready' } }
  if (state === 'unmigrated')
    throw new HttpError(503, 'Migrations are missing: run `cairn migrate`.', { retryAfterS: 5 })
  throw new UnavailableError('postgres', undefined, state)
}
