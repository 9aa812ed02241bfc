import type { Operation } from '../operation.js'
import { dependencyStates } from '../probes/dependencies.js'

/** 200 while the process serves: what is away says `status: degraded` and is no reason to restart it. */
export const getHealth: Operation<'getHealth'> = async (context) => {
  const states = await dependencyStates(context)
  const state = (available: boolean) => (available ? 'ok' : 'unavailable')
  return {
    status: 200,
    body: {
      status: Object.values(states).every(Boolean) ? 'ok' : 'degraded',
      version: context.version,
      uptime_s: Math.max(0, context.clock.now() - context.startedAt) / 1000,
      dependencies: {
        postgres: state(states.postgres),
        search: state(states.search),
        queue: state(states.queue),
        embedder: state(states.embedder),
        ...(states.languageModel !== undefined && { language_model: state(states.languageModel) }),
        ...(states.reranker !== undefined && { reranker: state(states.reranker) }),
      },
    },
  }
}
