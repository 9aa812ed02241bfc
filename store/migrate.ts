import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import * as foundation from '../migrations/2026-11-21-foundation.js'
import * as erasures from '../migrations/2026-11-22-erasures.js'
import * as foundEntities from '../migrations/2026-11-22-found-entities.js'
import * as indexBuilds from '../migrations/2026-11-22-index-builds.js'
import * as memoryLife from '../migrations/2026-11-22-memory-life.js'
import * as nearDuplicates from '../migrations/2026-11-22-near-duplicates.js'
import * as personalData from '../migrations/2026-11-22-personal-data.js'
import * as serviceEnrichment from '../migrations/2026-11-22-service-enrichment.js'
import * as settings from '../migrations/2026-11-22-settings.js'
import * as standingRules from '../migrations/2026-11-22-standing-rules.js'
import * as structuredDocuments from '../migrations/2026-11-22-structured-documents.js'
import * as summedCounters from '../migrations/2026-11-22-summed-counters.js'
import * as vectorsOfDocuments from '../migrations/2026-11-22-vectors-of-documents.js'
import * as unfinishedErasures from '../migrations/2026-11-23-unfinished-erasures.js'
import * as visibleSpellings from '../migrations/2026-11-23-visible-spellings.js'
import * as wholeIndexes from '../migrations/2026-11-23-whole-indexes.js'
import * as yetUnreadNames from '../migrations/2026-11-23-yet-unread-names.js'
import type { System } from './store.js'

/** All migrations in order. Frozen once released. */
const MIGRATIONS = {
  '2026-11-21-foundation': foundation,
  '2026-11-22-erasures': erasures,
  '2026-11-22-found-entities': foundEntities,
  '2026-11-22-index-builds': indexBuilds,
  '2026-11-22-memory-life': memoryLife,
  '2026-11-22-near-duplicates': nearDuplicates,
  '2026-11-22-personal-data': personalData,
  '2026-11-22-service-enrichment': serviceEnrichment,
  '2026-11-22-settings': settings,
  '2026-11-22-standing-rules': standingRules,
  '2026-11-22-structured-documents': structuredDocuments,
  '2026-11-22-summed-counters': summedCounters,
  '2026-11-22-vectors-of-documents': vectorsOfDocuments,
  '2026-11-23-unfinished-erasures': unfinishedErasures,
  '2026-11-23-visible-spellings': visibleSpellings,
  '2026-11-23-whole-indexes': wholeIndexes,
  '2026-11-23-yet-unread-names': yetUnreadNames,
}

/**
 * Brings the database up to date and returns the names of the migrations it applied. Many processes may call it at
 * once: kysely takes an advisory lock. All migrations run in one transaction, which is retried when another database of
 * the server created or granted the roles at the same moment: no lock within one database prevents that, and on the
 * retry the roles exist.
 */
export async function migrateUp(url: string): Promise<string[]> {
  for (let attempts = 1; ; attempts++) {
    const { error, results } = await withMigrator(url, (migrator) => migrator.migrateToLatest())
    if (!error) return (results ?? []).map((result) => result.migrationName)
    if (attempts >= MAX_ROLE_ATTEMPTS || !isRoleCollision(error)) throw error
  }
}

/** More than the number of databases that are ever migrated for the first time at one moment. */
const MAX_ROLE_ATTEMPTS = 20

function isRoleCollision(error: unknown): boolean {
  const { code, table, message } = error as { code?: string; table?: string; message?: string }
  if (code === '23505' || code === '40P01') return table === undefined || table.startsWith('pg_auth')
  return code === 'XX000' && /^tuple concurrently (updated|deleted)$/.test(message ?? '')
}

/** Reverts the newest migration. Returns its name, or nothing when there is none. */
export async function migrateDown(url: string): Promise<string[]> {
  return withMigrator(url, async (migrator) => {
    const { error, results } = await migrator.migrateDown()
    if (error) throw error
    return (results ?? []).map((result) => result.migrationName)
  })
}

/** Returns the names of migrations that the database lacks. */
export async function listPendingMigrations(url: string): Promise<string[]> {
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

/** Returns true when every migration is applied; cheap enough for a readiness probe. */
export async function isMigrated({ db }: System): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db)
  const applied = new Set(rows.map(({ name }) => name))
  return Object.keys(MIGRATIONS).every((name) => applied.has(name))
}
