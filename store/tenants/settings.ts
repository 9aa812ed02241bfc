import { type RawBuilder, sql } from 'kysely'
import { DEFAULT_SETTINGS, type Settings } from '../../domain/settings/settings.gen.js'
import { settingsOf, type StoredSettings } from '../../domain/settings/settings.js'
import type { Reader, System, Writer } from '../store.js'

/** A tenant's own settings, and the number of their changes. */
interface SettingsRow {
  readonly stored: StoredSettings
  readonly version: number
}

/**
 * Returns the current settings. They are not cached between transactions, so that work that begins after a change uses
 * it in every process; a write reads them in the statement that reads its quota (usage.ts).
 */
export async function readSettings(reader: Reader): Promise<Settings> {
  return settingsOf((await readSettingsRow(reader)).stored)
}

/** Returns the stored settings; a tenant that has set nothing has no row, which is version 1. */
export async function readSettingsRow({ db, tenantId }: Reader): Promise<SettingsRow> {
  const row = await db
    .selectFrom('tenant_settings')
    .select(['settings as stored', 'version'])
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row ?? { stored: {}, version: 1 }
}

/**
 * Locks the tenant's row until the transaction ends, creating it if necessary, and returns it: what is read is what is
 * changed.
 */
export async function lockSettings({ db, tenantId }: Writer): Promise<SettingsRow> {
  return db
    .insertInto('tenant_settings')
    .values({ tenant_id: tenantId })
    .onConflict((conflict) =>
      conflict.column('tenant_id').doUpdateSet(({ ref }) => ({ version: ref('tenant_settings.version') })),
    )
    .returning(['settings as stored', 'version'])
    .executeTakeFirstOrThrow()
}

/** Replaces the settings in the locked row. Returns its new version. */
export async function replaceSettings(
  { db, tenantId }: Writer,
  settings: StoredSettings,
  updated_at: Date,
): Promise<number> {
  const row = await db
    .updateTable('tenant_settings')
    .set(({ eb }) => ({ settings: JSON.stringify(settings), version: eb('version', '+', 1), updated_at }))
    .where('tenant_id', '=', tenantId)
    .returning('version')
    .executeTakeFirstOrThrow()
  return row.version
}

/** Returns the condition that a tenant's setting has this value, for a statement over several tenants. */
export function hasSetting<G extends keyof Settings, K extends keyof Settings[G] & string>(
  tenantId: RawBuilder<unknown>,
  group: G,
  key: K,
  value: Settings[G][K],
): RawBuilder<boolean> {
  return sql<boolean>`${settingOf(tenantId, group, key)} = ${JSON.stringify(value)}::jsonb`
}

/** Returns the distinct values that tenants have for a setting. */
export async function readDistinctValues<G extends keyof Settings, K extends keyof Settings[G] & string>(
  { db }: System,
  group: G,
  key: K,
): Promise<Settings[G][K][]> {
  const { rows } = await sql<{ value: Settings[G][K] }>`
    select distinct ${settingOf(sql`t.tenant_id`, group, key)} as value from tenants t order by 1`.execute(db)
  return rows.map(({ value }) => value)
}

function settingOf<G extends keyof Settings>(
  tenantId: RawBuilder<unknown>,
  group: G,
  key: keyof Settings[G] & string,
): RawBuilder<unknown> {
  const usual = JSON.stringify(DEFAULT_SETTINGS[group][key])
  return sql`coalesce((select s.settings -> ${group} -> ${key} from tenant_settings s
    where s.tenant_id = ${tenantId}), ${usual}::jsonb)`
}
