import { LRUCache } from 'lru-cache'
import type { Audience } from '../../../domain/visibility.js'
import { type Clock, systemClock } from '../../../runtime/clock.js'
import type { CommonEntities } from '../../../store/memories/queried-entities.js'

/** Time after which an entity's links are counted again: as late may recall notice that one has become rare. */
const MAX_AGE_MS = 60_000
/** Audiences that are remembered, and entities of each kind for each: some 50 KB for one at most, and its key. */
const MAX_AUDIENCES = 500
const MAX_ENTITIES = 200

/**
 * Remembers for a minute which entities are too common for an audience to tell its memories apart, so that recalls do
 * not read hundreds of links each to find it again. What one audience sees says nothing to another, so each has its own.
 */
export class CommonEntityCache {
  readonly #byAudience = new LRUCache<string, Record<keyof CommonEntities, LRUCache<string, true>>>({
    max: MAX_AUDIENCES,
  })
  readonly #clock: Clock

  constructor({ clock = systemClock }: { readonly clock?: Clock } = {}) {
    this.#clock = clock
  }

  commonOf(tenantId: string, audience: Audience): CommonEntities {
    const known = this.#byAudience.get(keyOf(tenantId, audience))
    return { queried: [...(known?.queried.keys() ?? [])], others: [...(known?.others.keys() ?? [])] }
  }

  addCommon(tenantId: string, audience: Audience, { queried, others }: CommonEntities): void {
    if (queried.length + others.length === 0) return
    const key = keyOf(tenantId, audience)
    let known = this.#byAudience.get(key)
    if (known === undefined) this.#byAudience.set(key, (known = { queried: this.#newSet(), others: this.#newSet() }))
    for (const id of queried) known.queried.set(id, true)
    for (const id of others) known.others.set(id, true)
  }

  #newSet(): LRUCache<string, true> {
    return new LRUCache({
      max: MAX_ENTITIES,
      ttl: MAX_AGE_MS,
      ttlResolution: 0,
      perf: { now: () => this.#clock.now() },
    })
  }
}

function keyOf(tenantId: string, audience: Audience): string {
  return JSON.stringify([tenantId, audience])
}
