import { createLogger } from '../../runtime/logger.js'
import { Store } from '../../store/store.js'
import { migratedDatabase } from './postgres.js'

export interface TestStore {
  readonly store: Store
  readonly url: string
  stop(): Promise<void>
}

/** Creates a store on a migrated database of its own. */
export async function createTestStore(): Promise<TestStore> {
  const database = await migratedDatabase()
  const store = new Store({
    url: database.url,
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
      await database.drop()
    },
  }
}
