import { sql } from 'kysely'
import { settingsOf } from '../../domain/settings/settings.js'
import { ofTenant } from '../conditions.js'
import type { System } from '../store.js'

/** A tenant whose setting `skills_factory.enabled` is on. */
interface OptedInTenant {
  readonly tenantId: string
  /** Hours between two scheduled runs. */
  readonly everyHours: number
}

/** Is true of a row of tenant_settings whose tenant opted in. */
export const IS_OPTED_IN = sql<boolean>`settings -> 'skills_factory' @> '{"enabled": true}'`

/** Returns the tenants that opted in, or the one that is named if it has, by their ids. */
export async function listOptedIn({ db }: System, tenantId?: string): Promise<OptedInTenant[]> {
  const rows = await db
    .selectFrom('tenant_settings')
    .select(['tenant_id as tenantId', 'settings'])
    .where(ofTenant(tenantId))
    .where(IS_OPTED_IN)
    .orderBy('tenant_id')
    .execute()
  return rows.map((row) => {
    const { forge } = settingsOf(row.settings).skills_factory
    return { tenantId: row.tenantId, everyHours: forge.cron_interval_hours }
  })
}
