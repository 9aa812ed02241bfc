import { createConfig, processEnvironment, readEnv } from '../../runtime/config.js'
import { ConfigError } from '../../runtime/errors.js'
import { requireDatabase } from '../../store/require-database.js'
import { migrateUp } from '../../store/migrate.js'

/** The embedded PostgreSQL is migrated by `cairn serve` itself. */
export async function migrate(): Promise<void> {
  const config = createConfig(readEnv(processEnvironment()), 'tool')
  if (config.postgres.url === null)
    throw new ConfigError(
      'DATABASE_URL',
      'set it to the database to migrate; the embedded one is migrated by `cairn serve`.',
    )
  await requireDatabase(config.postgres.url, config.postgres.connectTimeoutMs)
  const applied = await migrateUp(config.postgres.url)
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
}
