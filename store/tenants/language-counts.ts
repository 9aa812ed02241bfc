import { sql } from 'kysely'
import type { LanguageCounts } from '../../domain/text/language.js'
import { anyOf, ofTenant } from '../conditions.js'
import type { Reader, System } from '../store.js'

/** Returns how many memories and documents the tenant has written in each of its most frequent languages; those since deleted count too. */
export async function readLanguageCounts({ db, tenantId }: Reader): Promise<LanguageCounts> {
  const { rows } = await sql<{ language: string; count: number }>`
    select language, sum(count)::bigint as count from (
      select language, count from language_counters where tenant_id = ${tenantId}
      union all select language, delta from language_counter_deltas where tenant_id = ${tenantId}
    ) counted group by language order by count desc limit ${MOST_LANGUAGES}`.execute(db)
  return new Map(rows.map(({ language, count }) => [language, count]))
}

const MOST_LANGUAGES = 20

/** A language that a part of a tenant's memories and documents is in. */
export interface TenantLanguage {
  readonly tenantId: string
  readonly language: string
  readonly memories: number
  /** 0..1, of the texts whose language is known. */
  readonly share: number
}

/** Returns the languages but `known` that a twentieth of a tenant's texts or more are in, of one tenant or of all, the most frequent first. */
export async function readLanguagesBeyond(
  { db }: System,
  known: readonly string[],
  tenantId?: string,
): Promise<TenantLanguage[]> {
  const wanted = ofTenant(tenantId)
  const { rows } = await sql<TenantLanguage>`
    select * from (
      select tenant_id as "tenantId", language, sum(count)::bigint as memories,
        sum(count)::float8 / sum(sum(count)) over (partition by tenant_id) as share
      from (
        select tenant_id, language, count from language_counters where ${wanted}
        union all select tenant_id, language, delta from language_counter_deltas where ${wanted}
      ) counted group by tenant_id, language
    ) shares
    where share >= ${LEAST_SHARE} and not language = ${anyOf(known)}
    order by memories desc, "tenantId", language limit ${MOST_LANGUAGES}`.execute(db)
  return rows
}

const LEAST_SHARE = 0.05
