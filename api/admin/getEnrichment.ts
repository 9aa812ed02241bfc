import { isoDay } from '../../domain/text/time-reference.js'
import { sumEnrichmentUse } from '../../store/model-use.js'
import { readWaitingState } from '../../store/outbox/outbox-upkeep.js'
import type { Operation } from '../operation.js'

export const getEnrichment: Operation<'getEnrichment'> = async (context, _caller, { query }) => {
  const { store, clock, languageModel, enrichment } = context
  const day = isoDay(clock.now())
  const [waiting, use] = await store.asSystem(async (system) => [
    await readWaitingState(system, 'enrich', query.tenant_id),
    await sumEnrichmentUse(system, day, query.tenant_id),
  ])
  return {
    status: 200,
    body: {
      enabled: enrichment.enabled,
      model: languageModel?.id ?? null,
      waiting: waiting.pending,
      oldest_waiting_age_s: waiting.oldestAgeS,
      tokens_per_day: enrichment.tokensPerDay,
      today: use,
    },
  }
}
