import type { ColumnType, InsertType, SelectType, UpdateType } from 'kysely'
import type { OutcomeLabel, OutcomeSignal } from '../domain/forge/outcome.js'
import type { KeptWork } from '../domain/forge/proposed-skill.js'
import type { ForgeProgress, ForgeResult } from '../domain/forge/run-record.js'
import type { KeystoneScope, KeystoneWeight } from '../domain/keystones/keystone.js'
import type { LinkOrigin, MemoryEvent, MemoryStatus, MemoryType } from '../domain/memory.js'
import type { FieldColumns } from '../domain/memory-fields.js'
import type {
  GateResult,
  ScanState,
  SkillKind,
  SkillOrigin,
  SkillSource,
  SkillStatus,
  SkillTarget,
} from '../domain/skills/skill.js'
import type { Overruling } from '../domain/skills/overruling.js'
import type { StoredSettings } from '../domain/settings/settings.js'
import type { Corpus } from '../domain/corpus.js'
import type { Trust } from '../domain/trust.js'
import type { Visibility } from '../domain/visibility.js'
import type { DB } from './schema.gen.js'

/**
 * The tables. `schema.gen.ts` says what the database knows of them; this file adds what it does not: which values a
 * text or number may have, the shapes of JSON, and what a column means where its name does not say it.
 */
export interface Database extends Omit<DB, keyof RefinedTables>, RefinedTables {}

/**
 * Gives these columns of a table narrower types. Does not compile for a column that does not exist, or with a type that
 * the column cannot have. Whether it may be null or left out, and that JSON is given as text, stays as generated.
 */
type Refine<Table extends keyof DB, Columns extends Narrower<DB[Table], Columns>> = {
  [C in keyof DB[Table]]: C extends keyof Columns ? Narrowed<DB[Table][C], Columns[C]> : DB[Table][C]
}

type Narrower<Row, Columns> = {
  [C in keyof Columns]: C extends keyof Row ? NonNullable<SelectType<Row[C]>> : never
}

type Narrowed<Column, Value> = ColumnType<
  Replace<SelectType<Column>, SelectType<Column>, Value>,
  Replace<InsertType<Column>, SelectType<Column>, Value>,
  Replace<UpdateType<Column>, SelectType<Column>, Value>
>

/** Replaces in a union the types that a column returns. */
type Replace<T, Returned, Value> = T extends null | undefined ? T : T extends Returned ? Value : T

/**
 * Gives all columns of a table their types, null included. Does not compile while a column is missing, does not exist,
 * or may be null in one place only.
 */
type RefineAll<Table extends keyof DB, Columns extends Complete<DB[Table], Columns>> = {
  [C in keyof DB[Table]]: C extends keyof Columns ? Narrowed<DB[Table][C], NonNullable<Columns[C]>> : never
}

type Complete<Row, Columns> = { [C in keyof Row]: SelectType<Row[C]> } & {
  [C in keyof Columns]: C extends keyof Row
    ? null extends SelectType<Row[C]>
      ? null extends Columns[C]
        ? unknown
        : never
      : unknown
    : never
}

type Json = Record<string, unknown>

export type ForgeRunState = 'queued' | 'running' | 'succeeded' | 'failed'

export type ForgeTrigger = 'schedule' | 'manual'

type ActorKind = 'agent' | 'tenant' | 'admin' | 'service'

export type SupersessionReason = 'explicit' | 'rdf_conflict' | 'semantic_conflict'

export type PendingKind = 'memory' | 'vector' | 'enrich' | 'document' | 'document_vector' | 'scan' | 'opinion'

export type KeystoneChange = 'created' | 'updated' | 'deleted'

export type BuildState = 'waiting' | 'backfilling' | 'ready' | 'serving' | 'kept' | 'failed' | 'dropping' | 'dropped'

interface CountedColumns {
  visibility: Visibility
  memory_type: MemoryType
  status: MemoryStatus
}

interface KeystoneColumns {
  system_metadata: Json
  scope: KeystoneScope
  weight: KeystoneWeight
}

interface RefinedTables {
  tenants: Refine<
    'tenants',
    {
      /** Maintained only while there is a limit. */
      stored: number
      rate_limits: Record<string, number>
    }
  >

  /** One row for each tenant that has set anything. */
  tenant_settings: Refine<
    'tenant_settings',
    {
      /** Settings that differ from the defaults. */
      settings: StoredSettings
    }
  >

  agents: Refine<'agents', { trust_level: Trust }>

  api_keys: Refine<
    'api_keys',
    {
      kind: 'tenant' | 'agent'
      /** Trust of a tenant key; an agent key's trust is on the agent's row. */
      trust_level: Trust
    }
  >

  /** The fields of a memory are in the table of `domain/memory-fields.ts`; the others are here. */
  memories: RefineAll<
    'memories',
    FieldColumns & {
      tenant_id: string
      deleted_at: Date | null
      /** SHA-256 of the text's `duplicateForm`: the key of duplicates. */
      content_hash: Buffer
      /** 1 where the hash is still of the former form (memories/former-hashes.ts), else 2. */
      content_hash_form: 1 | 2
      /** False for rows of an earlier version, whose language nobody has looked for (memories/former-languages.ts). */
      is_language_read: boolean
      /** SHA-256 of the embedded text: the key of vectors. */
      text_hash: Buffer
      /**
       * Position in the run: valid_start, else created_at. A column, since under row level security `coalesce` uses no
       * index.
       */
      run_at: Date
      /** The predicate in snake_case. */
      predicate_key: string | null
      /**
       * Number of versions by which the service filled in what callers left empty: the version that callers see does
       * not count them.
       */
      service_fills: number
      /** Start of its present state, for readers; null for a row that has not changed since such times are kept (`updated_at`). */
      known_since: Date | null
    }
  >

  memory_versions: Refine<
    'memory_versions',
    {
      /** The number that callers saw. */
      version: number
      /** The row as it was, by columns, without the ids of its tenant and its memory. */
      former: Json
    }
  >

  /** `new_id` superseded `old_id`, or the two contradict each other. */
  supersessions: Refine<
    'supersessions',
    {
      reason: SupersessionReason
      direction: 'canonical' | 'flipped'
      old_status: 'outdated' | 'conflicted'
    }
  >

  audit_events: Refine<'audit_events', { actor_kind: ActorKind; details: Json }>

  erasures: Refine<
    'erasures',
    {
      selector: Json
      /** Hashes of the erased texts: the keys of their vectors. */
      text_hashes: Buffer[]
      receipt: Json
    }
  >

  /** A recall that was answered: ids and scores, no text. */
  recalls: Refine<
    'recalls',
    {
      /** A UUIDv7: its time chooses the partition. */
      recall_id: string
      actor_kind: Exclude<ActorKind, 'service'>
      request: Json
      results: unknown[]
    }
  >

  vectors: Refine<
    'vectors',
    {
      /** Little-endian float32. */
      vector: Buffer
    }
  >

  entity_links: Refine<
    'entity_links',
    {
      /** '' for none. */
      role: string
      /** Type that this memory gives the entity: shown to those who see a memory that gives it. */
      entity_type: string
      /** Given by a caller, found by the service in the text, or inferred from it by a language model. */
      origin: LinkOrigin
      /** Name as spelled in this memory: shown to those who see no earlier one. */
      name: string
      /** Audience of the memory (`linkAudience`); null for a deleted one. */
      audience: string
    }
  >

  documents: Refine<
    'documents',
    {
      /** A UUIDv7 made at `created_at`: the order of ids is the order of creation. */
      id: string
      data: Json
      /** SHA-256 of the embedded text: the key of vectors. */
      text_hash: Buffer
      system_metadata: Json
      /**
       * True where `document_members` has the members of its lists, false where they are too many lists; null where an
       * earlier version wrote the document (documents/former-members.ts).
       */
      members_stored: boolean
      /**
       * The version at which members were written last. Each change of `version` changes it too, or a trigger takes the
       * document for one that an earlier version changed, and forgets its members.
       */
      members_version: number
    }
  >

  /** A scalar value of a top-level key, as text made by `fieldValue`. */
  document_fields: Refine<'document_fields', { value: string }>

  /** A distinct member of a list at a top-level key, as text made by `fieldValue`, or `LONG_LIST` for a list with too many. */
  document_members: Refine<'document_members', { value: string }>

  document_counter_deltas: Refine<
    'document_counter_deltas',
    {
      /** 0 for a change of a document that stays. */
      delta: number
    }
  >

  idempotency_keys: Refine<'idempotency_keys', { headers: Record<string, string> }>

  index_pending: Refine<'index_pending', { kind: PendingKind }>

  /** Use of the language model by a tenant on one day (UTC). */
  enrichment_usage: Refine<
    'enrichment_usage',
    {
      /** Given as YYYY-MM-DD. */
      day: Date
    }
  >

  keystones: Refine<
    'keystones',
    KeystoneColumns & {
      /** Revision of the tenant's set when this version was made. */
      revision: number
    }
  >

  /** Text of each version; a deletion has a version of its own, with the deleted text. */
  keystone_versions: Refine<'keystone_versions', KeystoneColumns & { change: KeystoneChange; author_kind: ActorKind }>

  /** One row for each tenant that has or had keystones. */
  keystone_sets: Refine<
    'keystone_sets',
    {
      /** Changes whenever anything that is served changes. */
      revision: number
    }
  >

  keystone_acknowledgements: Refine<
    'keystone_acknowledgements',
    {
      /** Drawn when the run received another set; the highest is an agent's latest. */
      seq: number
    }
  >

  /** The identity of a skill; moves of its versions lock this row. */
  skills: Refine<
    'skills',
    {
      /** The version that is served. */
      active_version: number
      /** The version that waits for its scan, its gates or a review. */
      waiting_version: number
      /** Last time that the Forge's active version became active, or its work was seen again; null for others'. */
      confirmed_at: Date
    }
  >

  skill_versions: Refine<
    'skill_versions',
    {
      status: SkillStatus
      source: SkillSource
      kind: SkillKind
      target: SkillTarget
      origin: SkillOrigin
      evidence: Json
      system_metadata: Json
      /** The fleet, '' for none. */
      fleet_key: string
      sketch: number[]
      scan_state: ScanState
      /** Version of the rules that judged. */
      scan_rules: string
      /** Times that a scan was begun, so that one that kills its process ends. */
      scan_attempts: number
      /** Counts and findings, or how the last attempt failed. */
      scan: object
      overruled: Overruling
      gates: GateResult[]
      /** Time by which the inbox is ordered (`domain/skills/priority.ts`). */
      place: Date
    }
  >

  skill_moves: Refine<
    'skill_moves',
    {
      from_status: SkillStatus
      to_status: SkillStatus
      actor_kind: ActorKind
      /** Hashes of the version as it moved: of description and content, and of all of its texts; null where unknown. */
      content_hash: string
      texts_hash: string
    }
  >

  skill_outcomes: Refine<
    'skill_outcomes',
    {
      /** '' for none. */
      agent_id: string
      run_id: string
      outcome: 'success' | 'failure' | 'partial'
    }
  >

  /** Rejected skills, by the fleet ('' for none). */
  skill_poison: Refine<
    'skill_poison',
    {
      sketch: number[]
      source: SkillSource
      extent: 'whole' | 'addition' | 'copy'
      /** Hashes of what each line added. */
      added: number[][]
    }
  >

  forge_runs: Refine<
    'forge_runs',
    {
      state: ForgeRunState
      trigger: ForgeTrigger
      /** Worker that it belongs to while its lease lasts. */
      owner: string
      progress: ForgeProgress
      result: ForgeResult
      /** Skills that the run has found and not written yet. They have words of memories, so whatever ends or interrupts the run removes them. */
      kept: KeptWork
    }
  >

  /** The end of each trace, as a run of the Forge last read it. */
  forge_traces: Refine<'forge_traces', { label: OutcomeLabel; signals: OutcomeSignal[] }>

  memory_counters: Refine<'memory_counters', CountedColumns>
  memory_counter_deltas: Refine<'memory_counter_deltas', CountedColumns & { event: MemoryEvent }>

  /** Events of memories in each quarter of an hour, maintained by the compaction. */
  memory_activity: Refine<'memory_activity', Omit<CountedColumns, 'status'> & { event: MemoryEvent }>

  /** Sums of `memory_counters`, maintained by the compaction. */
  memory_counters_by_kind: Refine<'memory_counters_by_kind', CountedColumns>
  memory_counters_by_fleet: Refine<'memory_counters_by_fleet', CountedColumns>
  memory_counters_by_agent: Refine<'memory_counters_by_agent', Omit<CountedColumns, 'memory_type'>>

  tenant_totals: Refine<
    'tenant_totals',
    {
      /** Excludes deleted memories. */
      memories: number
      /** Excludes deleted agents. */
      agents: number
    }
  >

  index_builds: Refine<
    'index_builds',
    {
      /** `Embedder.id` of its vectors. */
      model: string
      /** Suffix of the engine's index name. */
      generation: string
      state: BuildState
      /** Time at which the index was created, which happens once. */
      made_at: Date
      /** The mark that the index holds, and the one that it may hold already. */
      mark: string
      next_mark: string
      /** Time at which the next mark was announced; while there is none, at which the mark was. */
      marked_at: Date
      /** Marks that the index has had, the last one first. */
      past_marks: string[]
      /** Time at which it was found to be not whole. */
      lost_at: Date
      /** Tenant after which the next count continues. */
      counted_to: string
      /** Documents and rows at the last count, by corpus. */
      counts: object
    }
  >

  index_build_tenants: Refine<'index_build_tenants', { corpus: Corpus }>
}
