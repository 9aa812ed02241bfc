import { createConfig, processEnvironment, readEnv } from '../../runtime/config.js'
import { ConfigError } from '../../runtime/errors.js'
import { requireDatabase } from '../../store/require-database.js'
import { migrateUp, UnknownMigrationError } from '../../store/migrate.js'

/** Migrates the database of DATABASE_URL; `cairn serve` migrates the embedded one itself. Throws ConfigError. */
export async function migrate(): Promise<void> {
  const config = createConfig(readEnv(processEnvironment()), 'tool')
  if (config.postgres.url === null)
    throw new ConfigError(
      'DATABASE_URL',
      'set it to the database to migrate; the embedded one is migrated by `cairn serve`.',
    )
  await requireDatabase(config.postgres.url, config.postgres.connectTimeoutMs)
  const applied = await migrateUp(config.postgres.url).catch((error: unknown) => {
    throw settingErrorOf(error) ?? error
  })
  console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`)
}

const INSUFFICIENT_PRIVILEGE = '42501'

/**
 * Returns advice for an operator whose login lacks the privileges of a migration, or whose database another version
 * migrated; null for any other error.
 */
function settingErrorOf(error: unknown): ConfigError | null {
  if (error instanceof UnknownMigrationError) return new ConfigError('DATABASE_URL', error.message)
  const { code, message } = error as { code?: string; message?: string }
  if (code !== INSUFFICIENT_PRIVILEGE) return null
  return new ConfigError(
    'DATABASE_URL',
    `${message}. To migrate, its login must own the database and may create roles and grant cairn_app and cairn_system (CREATEROLE).`,
  )
}
