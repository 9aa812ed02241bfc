import { type RawBuilder, sql } from 'kysely'
import { ENRICHMENT_PROMPT } from '../../domain/enrichment/read-text.js'
import { STANDING_STATUSES } from '../../domain/life/status-moves.js'
import { ofStatus, ofTenant } from '../conditions.js'
import { ON_CONFLICT_REQUEUE } from '../outbox/outbox.js'
import type { Store, System } from '../store.js'
import { hasSetting } from '../tenants/settings.js'

interface UnenrichedOptions {
  readonly tenantId?: string
  /** Also enqueues memories for which the model returned no usable answer. */
  readonly retryFailed?: boolean
  readonly pageSize?: number
  readonly signal?: AbortSignal
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Enqueues the memories whose text no language model has read, or only with an older prompt, of one tenant or of all
 * that have enrichment on. Rows that are due already stay as they are; rows that wait for another day's budget, or
 * after a failed attempt, become due at once. Pages by keyset, each page in its own transaction, so it can be
 * interrupted and started again. Returns how many it enqueued.
 */
export async function enqueueUnenriched(store: Store, options: UnenrichedOptions = {}): Promise<number> {
  let last = { tenant: '', id: FIRST_ID }
  for (let total = 0; ;) {
    options.signal?.throwIfAborted()
    const page = await store.asSystem((system) => enqueuePage(system, last, options))
    total += page.queued
    if (page.last === null) return total
    last = page.last
  }
}

interface Page {
  readonly queued: number
  /** Last row of the page; null when there are no more. */
  readonly last: { readonly tenant: string; readonly id: string } | null
}

async function enqueuePage(
  { db }: System,
  after: { readonly tenant: string; readonly id: string },
  { tenantId, retryFailed = false, pageSize = 500 }: UnenrichedOptions,
): Promise<Page> {
  const isOn = hasSetting(sql`page.tenant_id`, 'enrichment', 'enabled', true)
  // Computes the fingerprints that `coversText` compares.
  const key = (text: RawBuilder<unknown>) => sql`left(encode(sha256(convert_to(${text}, 'UTF8')), 'hex'), 32)`
  const { rows } = await sql<Page>`
    with page as materialized (
      select tenant_id, id, status, system_metadata -> 'enrichment' as record,
        array[${key(sql`content`)}, ${key(sql`coalesce(title || E'\n', '') || content`)}] as texts
      from memories
      where (tenant_id, id) > (${after.tenant}, ${after.id}::uuid)
        and ${ofTenant(tenantId)}
      order by tenant_id, id limit ${pageSize}
    ), unread as (
      select tenant_id, id from page
      where ${ofStatus('page', STANDING_STATUSES)} and ${isOn} and (record is null or not record ->> 'text' = any(texts)
        or (record ->> 'prompt')::int < ${ENRICHMENT_PROMPT} or (${retryFailed} and record ->> 'state' = 'failed'))
    ), queued as (
      insert into index_pending as p (tenant_id, kind, entity_id)
      select tenant_id, 'enrich', id from unread order by tenant_id, id
      ${ON_CONFLICT_REQUEUE}
        where p.settled_at is not null or p.failed_at is not null or (p.lease is null and p.due_at > now())
      returning 1
    )
    select (select count(*) from queued) as queued,
      (select jsonb_build_object('tenant', tenant_id, 'id', id) from page
       where (select count(*) from page) = ${pageSize} order by page.tenant_id desc, page.id desc limit 1) as last`.execute(
    db,
  )
  return rows[0]!
}
