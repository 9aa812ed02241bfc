import { CairnError, UnavailableError } from '../../runtime/errors.js'
import { within } from '../../runtime/within.js'
import { isMigrated } from '../../store/migrate.js'
import type { Operation } from '../operation.js'

const UNDEFINED_TABLE = '42P01'

export const getReady: Operation<'getReady'> = async ({ store }) => {
  if (!(await within(2_000, store.asSystem(isMigrated)).catch(refuse)))
    throw new CairnError(503, 'Migrations are missing: run `cairn migrate`.', { headers: { 'Retry-After': '5' } })
  return { status: 200, body: { status: 'ready' } }
}

function refuse(error: unknown): boolean {
  if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return false
  throw error instanceof CairnError ? error : new UnavailableError('postgres', error)
}
