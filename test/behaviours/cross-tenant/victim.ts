import { randomBytes } from 'node:crypto'
import type { Caller } from '../../support/client.js'
import type { TestTenant } from '../../support/tenants.js'

/** A tenant that has a row of every kind. */
export interface Victim extends VictimAgent {
  readonly auditCursor: string
  readonly settingsTag: string
  readonly memories: VictimMemories
  readonly entities: { readonly id: string; readonly name: string; readonly cursor: string }
  readonly recalls: { readonly id: string; readonly cursor: string }
  readonly documents: VictimDocuments
  readonly keystones: { readonly docId: string; readonly setTag: string; readonly cursor: string }
  readonly skills: VictimSkills
  readonly forge: { readonly runId: string; readonly cursor: string }
  /** Ids that only the admin credential may name. */
  readonly service: { readonly keyId: string; readonly buildId: string }
}

/** The agent that writes the victim's rows. */
export interface VictimAgent {
  readonly tenant: TestTenant
  readonly caller: Caller
  readonly agentId: string
  readonly fleetId: string
  readonly runId: string
  readonly marks: Marks
}

export interface VictimMemories {
  readonly id: string
  readonly content: string
  /** The key with which it was written. */
  readonly idempotencyKey: string
  readonly cursor: string
}

export interface VictimDocuments {
  readonly name: { readonly collection: string; readonly doc_id: string }
  readonly data: Readonly<Record<string, string>>
  readonly cursor: string
}

export interface VictimSkills {
  readonly active: string
  /** A skill that waits for a review. */
  readonly staged: string
  readonly catalogueCursor: string
  readonly inboxCursor: string
  readonly versionCursor: string
}

/** The texts and ids that must not appear in another tenant's answers. */
export class Marks {
  readonly all: string[] = []

  /** Returns a text that nobody else has. */
  next(name: string): string {
    const mark = `${name}-${randomBytes(6).toString('hex')}`
    this.add(mark)
    return mark
  }

  /** Records ids that the service chose. */
  add(...ids: readonly string[]): void {
    this.all.push(...ids)
  }
}
