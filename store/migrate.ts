import { Kysely, Migrator, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import * as roles from '../migrations/2026-11-23-01-roles.js'
import * as tenants from '../migrations/2026-11-23-02-tenants.js'
import * as memories from '../migrations/2026-11-23-03-memories.js'
import * as entities from '../migrations/2026-11-23-04-entities.js'
import * as documents from '../migrations/2026-11-23-05-documents.js'
import * as counters from '../migrations/2026-11-23-06-counters.js'
import * as outbox from '../migrations/2026-11-23-07-outbox.js'
import * as indexBuilds from '../migrations/2026-11-23-08-index-builds.js'
import * as keystones from '../migrations/2026-11-23-09-keystones.js'
import * as enrichment from '../migrations/2026-11-23-10-enrichment.js'
import * as records from '../migrations/2026-11-23-11-records.js'
import * as skills from '../migrations/2026-11-23-12-skills.js'
import * as forge from '../migrations/2026-11-23-13-forge.js'
import * as analysedTexts from '../migrations/2026-11-24-01-analysed-texts.js'
import * as expiry from '../migrations/2026-11-26-01-expiry.js'
import * as boundReviews from '../migrations/2026-11-26-02-bound-reviews.js'
import * as contentHashForms from '../migrations/2026-11-26-03-content-hash-forms.js'
import * as skillSources from '../migrations/2026-11-26-04-skill-sources.js'
import * as boundSkills from '../migrations/2026-11-26-05-bound-skills.js'
import * as documentMembers from '../migrations/2026-11-27-01-document-members.js'
import * as forgeTurns from '../migrations/2026-11-27-02-forge-turns.js'
import * as idempotencyDigests from '../migrations/2026-11-27-03-idempotency-digests.js'
import * as membersVersions from '../migrations/2026-11-27-04-members-versions.js'
import * as scanVerdicts from '../migrations/2026-11-27-05-scan-verdicts.js'
import * as skillFiles from '../migrations/2026-11-27-06-skill-files.js'
import * as skillOpinions from '../migrations/2026-11-27-07-skill-opinions.js'
import * as inboxPriority from '../migrations/2026-11-27-08-inbox-priority.js'
import * as skillNumbers from '../migrations/2026-11-28-01-skill-numbers.js'
import * as languages from '../migrations/2026-11-28-02-languages.js'
import * as documentLanguages from '../migrations/2026-11-28-03-document-languages.js'
import * as memoryVersions from '../migrations/2026-11-29-01-memory-versions.js'
import * as entityMerges from '../migrations/2026-11-29-02-entity-merges.js'
import * as echoes from '../migrations/2026-11-29-03-echoes.js'
import * as activity from '../migrations/2026-11-29-04-activity.js'
import type { System } from './store.js'
import { EndableClient } from './connection.js'

/** All migrations in order. Frozen once released. */
const MIGRATIONS = {
  '2026-11-23-01-roles': roles,
  '2026-11-23-02-tenants': tenants,
  '2026-11-23-03-memories': memories,
  '2026-11-23-04-entities': entities,
  '2026-11-23-05-documents': documents,
  '2026-11-23-06-counters': counters,
  '2026-11-23-07-outbox': outbox,
  '2026-11-23-08-index-builds': indexBuilds,
  '2026-11-23-09-keystones': keystones,
  '2026-11-23-10-enrichment': enrichment,
  '2026-11-23-11-records': records,
  '2026-11-23-12-skills': skills,
  '2026-11-23-13-forge': forge,
  '2026-11-24-01-analysed-texts': analysedTexts,
  '2026-11-26-01-expiry': expiry,
  '2026-11-26-02-bound-reviews': boundReviews,
  '2026-11-26-03-content-hash-forms': contentHashForms,
  '2026-11-26-04-skill-sources': skillSources,
  '2026-11-26-05-bound-skills': boundSkills,
  '2026-11-27-01-document-members': documentMembers,
  '2026-11-27-02-forge-turns': forgeTurns,
  '2026-11-27-03-idempotency-digests': idempotencyDigests,
  '2026-11-27-04-members-versions': membersVersions,
  '2026-11-27-05-scan-verdicts': scanVerdicts,
  '2026-11-27-06-skill-files': skillFiles,
  '2026-11-27-07-skill-opinions': skillOpinions,
  '2026-11-27-08-inbox-priority': inboxPriority,
  '2026-11-28-01-skill-numbers': skillNumbers,
  '2026-11-28-02-languages': languages,
  '2026-11-28-03-document-languages': documentLanguages,
  '2026-11-29-01-memory-versions': memoryVersions,
  '2026-11-29-02-entity-merges': entityMerges,
  '2026-11-29-03-echoes': echoes,
  '2026-11-29-04-activity': activity,
}

/** The database has a migration that this version does not know. */
export class UnknownMigrationError extends Error {
  constructor(name: string) {
    super(
      `another version of cairn migrated the database (${name}), and this one cannot continue from there. Run that ` +
        'version; or, if it was one before the first release, begin with a new, empty one.',
    )
    this.name = 'UnknownMigrationError'
  }
}

/**
 * Brings the database up to date and returns the names of the migrations it applied. Many processes may call it at
 * once: kysely takes an advisory lock. All migrations run in one transaction, which is retried when another database of
 * the server created or granted the roles at the same moment: no lock within one database prevents that, and on the
 * retry the roles exist. Throws UnknownMigrationError.
 */
export async function migrateUp(url: string): Promise<string[]> {
  for (let attempts = 1; ; attempts++) {
    const { error, results } = await withMigrator(url, async (migrator, db) => {
      const [unknown] = (await listApplied(db)).filter((name) => !(name in MIGRATIONS))
      if (unknown) throw new UnknownMigrationError(unknown)
      return migrator.migrateToLatest()
    })
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

/**
 * Returns the names of migrations that the database lacks; none for one that a newer version migrated further. Throws
 * UnknownMigrationError when it lacks some and has others that this version does not know.
 */
export async function listPendingMigrations(url: string): Promise<string[]> {
  const applied = await withMigrator(url, (_, db) => listApplied(db))
  const pending = Object.keys(MIGRATIONS).filter((name) => !applied.includes(name))
  const unknown = applied.find((name) => !(name in MIGRATIONS))
  if (unknown && pending.length > 0) throw new UnknownMigrationError(unknown)
  return pending
}

/** Says which migrations are missing: by name where they are few, as after an upgrade, else how many. */
export function describeMigrations(missing: readonly string[]): string {
  const few = 3
  return missing.length <= few ? missing.join(', ') : `${missing.length} migrations from ${missing[0]!} on`
}

async function withMigrator<T>(url: string, work: (migrator: Migrator, db: Kysely<unknown>) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ connectionString: url, max: 2, Client: EndableClient })
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await work(new Migrator({ db, provider: { getMigrations: () => Promise.resolve(MIGRATIONS) } }), db)
  } finally {
    await db.destroy()
  }
}

/** Returns the names of the applied migrations, none where no migration ever ran. */
async function listApplied(db: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql`select where to_regclass('kysely_migration') is not null`.execute(db)
  return rows.length === 0 ? [] : readApplied(db)
}

async function readApplied<T>(db: Kysely<T>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Returns true when every migration is applied; cheap enough for a readiness probe. */
export async function isMigrated({ db }: System): Promise<boolean> {
  const applied = new Set(await readApplied(db))
  return Object.keys(MIGRATIONS).every((name) => applied.has(name))
}
