import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { startDelayingProxy } from '../../bench/distant-database.js'
import { migratedDatabase } from './postgres.js'

export interface TestStore {
  readonly store: Store
  readonly url: string
  stop(): Promise<void>
}

/** Creates a store on a migrated database of its own, each round trip to which takes `distanceMs` longer. */
export async function createTestStore({ distanceMs = 0 } = {}): Promise<TestStore> {
  const database = await migratedDatabase()
  const proxy = distanceMs > 0 ? await startDelayingProxy(database.url, distanceMs) : null
  const store = new Store({
    url: proxy?.url ?? database.url,
    poolSize: 6,
    systemPoolSize: 6,
    statementTimeoutMs: 30_000,
    connectTimeoutMs: 3_000,
    logger: createLogger('silent'),
  })
  return {
    store,
    url: database.url,
    async stop() {
      await store.stop()
      proxy?.stop()
      await database.drop()
    },
  }
}
