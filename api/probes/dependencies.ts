import { within } from '../../runtime/within.js'
import { ping } from '../../store/store.js'
import type { ApiContext } from '../context.js'

export interface DependencyStates {
  readonly postgres: boolean
  readonly search: boolean
  readonly queue: boolean
  readonly embedder: boolean
  /** Absent when there is none. */
  readonly languageModel?: boolean
  readonly reranker?: boolean
}

const TIME_LIMIT_MS = 2_000
const KEPT_MS = 1_000

interface Check {
  readonly at: number
  readonly states: Promise<DependencyStates>
}

const checks = new WeakMap<ApiContext, Check>()

/**
 * Which dependencies answer within two seconds. Probes are open to anyone, so callers of one second share one check. Never
 * rejects.
 */
export function dependencyStates(context: ApiContext): Promise<DependencyStates> {
  const now = context.clock.now()
  const known = checks.get(context)
  if (known && now - known.at < KEPT_MS && now >= known.at) return known.states
  const states = check(context)
  checks.set(context, { at: now, states })
  return states
}

async function check({
  store,
  index,
  embedder,
  languageModel,
  reranker,
  queueHealth,
}: ApiContext): Promise<DependencyStates> {
  const [postgres, search, queue] = await Promise.all([
    answers(() => store.asSystem(ping)),
    answers(() => index.health()),
    answers(() => queueHealth()),
  ])
  return {
    postgres,
    search,
    queue,
    embedder: embedder.health().available,
    ...(languageModel && { languageModel: languageModel.health().available }),
    ...(reranker && { reranker: reranker.health().available }),
  }
}

/** A health check that gives a text says with it why the dependency is away. */
async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    return typeof (await within(TIME_LIMIT_MS, ask())) !== 'string'
  } catch {
    return false
  }
}
