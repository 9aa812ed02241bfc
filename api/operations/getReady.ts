import { CairnError } from '../../runtime/errors.js'
import type { Operation } from '../operation.js'
import { isReady } from '../probes/readiness.js'

export const getReady: Operation<'getReady'> = async ({ store }) => {
  if (!(await isReady(store)))
    throw new CairnError(503, 'Migrations are missing: run `cairn migrate`.', { headers: { 'Retry-After': '5' } })
  return { status: 200, body: { status: 'ready' } }
}
