import { sql } from 'kysely'
import type { LanguageCounts } from '../../domain/text/language.js'
import type { Reader } from '../store.js'

/** Returns how many memories the tenant has written in each of its most frequent languages; those since deleted count too. */
export async function readLanguageCounts({ db, tenantId }: Reader): Promise<LanguageCounts> {
  const { rows } = await sql<{ language: string; count: number }>`
    select language, sum(count)::bigint as count from (
      select language, count from language_counters where tenant_id = ${tenantId}
      union all select language, delta from language_counter_deltas where tenant_id = ${tenantId}
    ) counted group by language order by count desc limit ${MOST_LANGUAGES}`.execute(db)
  return new Map(rows.map(({ language, count }) => [language, count]))
}

const MOST_LANGUAGES = 20
