import { withTimeout } from '../../runtime/clock.js'
import { readIndexingState } from '../../store/outbox/outbox-upkeep.js'
import { readLanguagesBeyond } from '../../store/tenants/language-counts.js'
import type { Operation } from '../operation.js'

/** Answers also while the engine is unavailable: that is when operators need it. */
export const getIndexing: Operation<'getIndexing'> = async ({ store, index, embedder }, _caller, { query }) => {
  const { languageCodes } = embedder
  const [state, described, unknown] = await Promise.all([
    store.asSystem((system) => readIndexingState(system, query.tenant_id)),
    withTimeout(5_000, index.describe()).catch(() => null),
    languageCodes ? store.asSystem((system) => readLanguagesBeyond(system, languageCodes, query.tenant_id)) : [],
  ])
  return {
    status: 200,
    body: {
      pending: state.pending,
      oldest_pending_age_s: state.oldestAgeS,
      failed: state.failed,
      index: {
        engine: index.engine,
        name: described?.name ?? null,
        documents: described?.documents ?? null,
        available: described !== null,
      },
      embedder: {
        id: embedder.id,
        dimensions: embedder.dimensions,
        languages: embedder.languages ?? null,
        available: embedder.health().available,
        unknown_languages: unknown.map(({ tenantId, ...counted }) => ({ tenant_id: tenantId, ...counted })),
      },
    },
  }
}
