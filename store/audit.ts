import { type RawBuilder, sql } from 'kysely'
import type { Keyset } from './keyset.js'
import type { Actor, Reader, Writer } from './store.js'

/** An action, as the audit log names it. */
type AuditAction =
  | 'memory.created'
  | 'memory.updated'
  | 'memory.enriched'
  | 'memory.status_changed'
  | 'memory.deleted'
  | 'memory.purged'
  | 'memory.erased'
  | 'memory.feedback'
  | 'memory.redistributed'
  | 'agent.registered'
  | 'document.created'
  | 'document.updated'
  | 'document.deleted'
  | 'agent.updated'
  | 'agent.deleted'
  | 'key.created'
  | 'key.revoked'
  | 'tenant.updated'
  | 'settings.updated'
  | 'erasure.begun'
  | 'erasure.finished'
  | 'entity.merged'
  | 'entity.split'
  | 'keystone.created'
  | 'keystone.updated'
  | 'keystone.deleted'
  | 'skill.written'
  | 'skill.status_changed'
  | 'skill.deferred'
  | 'skill.overruled'
  | 'skill.outcome'
  | 'skill.deleted'

/** Ids, names of fields, statuses, numbers, settings and limits; never the text of a memory nor the secret of a key. */
export type AuditDetails = Readonly<Record<string, unknown>>

export interface AuditEvent {
  readonly action: AuditAction
  readonly subject: {
    readonly kind:
      'memory' | 'agent' | 'document' | 'settings' | 'keystone' | 'key' | 'tenant' | 'erasure' | 'skill' | 'entity'
    readonly id: string
  }
  readonly details: AuditDetails
}

/** Writes audit events for what the writer's actor did, in the transaction that does it. */
export async function audit(writer: Writer, at: Date, events: readonly AuditEvent[]): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ action, subject, details }) => ({ action, kind: subject.kind, id: subject.id, details }))
  await sql`
    insert into audit_events ${AUDIT_COLUMNS}
    select ${auditedBy(writer, at)}, action, kind, id, details
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as e(action text, kind text, id text, details jsonb)`.execute(
    writer.db,
  )
}

/** Columns of `audit_events` for statements that write their own audit rows; their values begin with `auditedBy`. */
export const AUDIT_COLUMNS = sql`
  (tenant_id, at, actor_kind, actor_agent_id, actor_key_id, action, subject_kind, subject_id, details)`

export function auditedBy({ tenantId, actor }: Writer, at: Date): RawBuilder<unknown> {
  return sql`${tenantId}, ${at}::timestamptz, ${actor.kind}, ${actor.agentId}, ${actor.keyId}`
}

export interface AuditRow {
  readonly id: number
  readonly at: Date
  readonly actor: Actor
  readonly action: AuditAction
  readonly subjectKind: AuditEvent['subject']['kind']
  readonly subjectId: string
  readonly details: AuditDetails
}

interface AuditListing extends Keyset<number> {
  readonly action?: string | undefined
  readonly agentId?: string | undefined
  readonly subjectId?: string | undefined
  /** Exclusive. */
  readonly laterThan?: Date | undefined
  readonly earlierThan?: Date | undefined
}

/** Lists audit events, newest first. */
export async function listAuditEvents({ db, tenantId }: Reader, listing: AuditListing): Promise<AuditRow[]> {
  let query = db
    .selectFrom('audit_events')
    .select([
      'id',
      'at',
      'actor_kind',
      'actor_agent_id',
      'actor_key_id',
      'action',
      'subject_kind',
      'subject_id',
      'details',
    ])
    .where('tenant_id', '=', tenantId)
    .orderBy('id', 'desc')
    .limit(listing.limit)
  if (listing.action !== undefined) query = query.where('action', '=', listing.action)
  if (listing.agentId !== undefined) query = query.where('actor_agent_id', '=', listing.agentId)
  if (listing.subjectId !== undefined) query = query.where('subject_id', '=', listing.subjectId)
  if (listing.laterThan) query = query.where('at', '>', listing.laterThan)
  if (listing.earlierThan) query = query.where('at', '<', listing.earlierThan)
  if (listing.after !== undefined) query = query.where('id', '<', listing.after)
  return (await query.execute()).map((row) => ({
    id: row.id,
    at: row.at,
    actor: { kind: row.actor_kind, agentId: row.actor_agent_id, keyId: row.actor_key_id },
    action: row.action as AuditAction,
    subjectKind: row.subject_kind as AuditRow['subjectKind'],
    subjectId: row.subject_id,
    details: row.details,
  }))
}
