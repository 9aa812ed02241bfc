import { Kysely, Migrator, PostgresDialect } from 'kysely'
import pg from 'pg'
import * as foundation from '../migrations/2026-11-21-foundation.js'
import type { System } from './store.js'

/** Every migration in its order. Frozen once released. */
const MIGRATIONS = { '2026-11-21-foundation': foundation }

/** Brings the database up to date (kysely takes an advisory lock: many processes may call it at once). Returns what was applied. */
export async function migrateUp(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) => {
    const { error, results } = await migrator.migrateToLatest()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  })
}

/** Takes the newest migration back. Returns its name, or nothing when there is none. */
export async function migrateDown(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) => {
    const { error, results } = await migrator.migrateDown()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  })
}

/** Names of migrations that the database lacks. */
export async function pendingMigrations(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) =>
    (await migrator.getMigrations()).filter((migration) => !migration.executedAt).map((migration) => migration.name),
  )
}

async function withMigrator<T>(url: string, work: (migrator: Migrator) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2 })
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } }))
  } finally {
    await db.destroy()
  }
}

/** True when the tables of the newest migration are there: cheap enough for a readiness probe. */
export async function isMigrated({ db }: System): Promise<boolean> {
  const row = await db.selectFrom('service_secrets').select('name').where('name', '=', 'cursor').executeTakeFirst()
  return row !== undefined
}
