import { CairnError, UnavailableError } from '../../runtime/errors.js'
import { withTimeout } from '../../runtime/clock.js'
import { isMigrated } from '../../store/migrate.js'
import type { Store } from '../../store/store.js'

type Readiness = 'ready' | 'unmigrated' | 'read_only' | 'disk_full'

const TIME_LIMIT_MS = 2_000
const UNDEFINED_TABLE = '42P01'

const checks = new WeakMap<Store, Promise<Readiness>>()

/**
 * Returns `ready` when every migration is applied and PostgreSQL accepts writes, otherwise what is wrong. Throws `UnavailableError` while
 * PostgreSQL is unavailable. The route is open to anyone, has no limit and uses the connections that look keys up, so concurrent callers
 * share one check.
 */
export function checkReadiness(store: Store): Promise<Readiness> {
  const cached = checks.get(store)
  if (cached) return cached
  const check = withTimeout(TIME_LIMIT_MS, inspect(store))
    .catch(refuse)
    .finally(() => checks.delete(store))
  checks.set(store, check)
  return check
}

async function inspect(store: Store): Promise<Readiness> {
  if (!(await store.asSystem(isMigrated))) return 'unmigrated'
  return (await store.writeFault()) ?? 'ready'
}

function refuse(error: unknown): Readiness {
  if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return 'unmigrated'
  throw error instanceof CairnError ? error : new UnavailableError('postgres', error)
}
