import { CairnError, UnavailableError } from '../../runtime/errors.js'
import { within } from '../../runtime/within.js'
import { isMigrated } from '../../store/migrate.js'
import type { Store } from '../../store/store.js'

const TIME_LIMIT_MS = 2_000
const UNDEFINED_TABLE = '42P01'

const checks = new WeakMap<Store, Promise<boolean>>()

/**
 * Whether every migration is there. Throws `UnavailableError` while Postgres is away. Open to anyone and held by no limit, on the
 * connections by which keys are looked up: however many ask at once, they share one check.
 */
export function isReady(store: Store): Promise<boolean> {
  const known = checks.get(store)
  if (known) return known
  const check = within(TIME_LIMIT_MS, store.asSystem(isMigrated))
    .catch(refuse)
    .finally(() => checks.delete(store))
  checks.set(store, check)
  return check
}

function refuse(error: unknown): boolean {
  if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return false
  throw error instanceof CairnError ? error : new UnavailableError('postgres', error)
}
