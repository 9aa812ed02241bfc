import { findUnanalysedTables } from '../store/analyze.js'
import type { JobContext } from './context.js'

/** Has PostgreSQL analyse the tables that a first import fills, long before autovacuum would. */
export async function analyzeNewTables({ store, logger }: JobContext): Promise<void> {
  const tables = await store.asSystem(findUnanalysedTables)
  if (tables.length === 0) return
  await store.analyze(tables)
  logger.debug({ tables }, 'tables analysed')
}
