import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedPostgres } from '../../runtime/embedded-postgres/embedded-postgres.js'
import { migrateUp } from '../../store/migrate.js'
import { withConnection } from '../../store/connection.js'
import { atEndOfRun } from './end-of-run.js'
import { runSql } from './run-sql.js'

export interface FreshDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** The URL of an existing database, for a superuser. */
let server: Promise<string> | undefined
let template: Promise<string> | undefined

/**
 * Creates an empty database, on the server of CAIRN_TEST_DATABASE_URL (a superuser's), or else on an embedded
 * PostgreSQL that is started with the first call and stopped when the whole run ends.
 */
export async function freshDatabase(): Promise<FreshDatabase> {
  return createDatabase('template1')
}

/**
 * Creates a database with every migration applied: they run once, and all databases are copies, including the secret
 * that the first migration creates.
 */
export async function migratedDatabase(): Promise<FreshDatabase> {
  return createDatabase(await (template ??= createTemplate()))
}

async function createDatabase(from: string): Promise<FreshDatabase> {
  const url = await (server ??= startServer())
  const name = `cairn_test_${randomBytes(6).toString('hex')}`
  await runSql(url, `create database ${name} template ${from}`)
  const own = new URL(url)
  own.pathname = `/${name}`
  return { url: own.href, drop: async () => void (await runSql(url, `drop database if exists ${name} with (force)`)) }
}

/**
 * Creates the template, in one process at a time: on a new server the first migration creates the roles, which all
 * databases share.
 */
async function createTemplate(): Promise<string> {
  const { url, drop } = await freshDatabase()
  atEndOfRun(drop)
  await withConnection(await server!, async (alone) => {
    await alone.query(`select pg_advisory_lock(hashtext('cairn_test_template'))`)
    // Nobody may stay connected to it, or it could not be copied.
    await migrateUp(url)
  })
  return new URL(url).pathname.slice(1)
}

async function startServer(): Promise<string> {
  const given = process.env.CAIRN_TEST_DATABASE_URL
  if (given) return given
  const dataDir = await mkdtemp(join(tmpdir(), 'cairn-test-postgres-'))
  const embedded = await startEmbeddedPostgres({ dataDir })
  atEndOfRun(async () => {
    await embedded.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  return embedded.url
}
