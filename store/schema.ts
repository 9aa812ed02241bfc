import type { ColumnType, Generated, GeneratedAlways } from 'kysely'
import type { KeystoneScope, KeystoneWeight } from '../domain/keystones/keystone.js'
import type { LinkOrigin, MemoryStatus, MemoryType } from '../domain/memory.js'
import type { StoredSettings } from '../domain/settings/settings.js'
import type { Corpus } from '../domain/corpus.js'
import type { Trust } from '../domain/trust.js'
import type { Visibility } from '../domain/visibility.js'

type Json = ColumnType<Record<string, unknown>, string, string>
type Defaulted<T> = ColumnType<T, T | undefined, T>

interface TenantsTable {
  tenant_id: string
  memories_limit: Defaulted<number | null>
  /** Maintained only while there is a limit. */
  stored: Defaulted<number | null>
  rate_limits: ColumnType<Record<string, number>, string | undefined, string>
  retention_days: Generated<number>
  created_at: Generated<Date>
}

/** One row for each tenant that has set anything. */
interface TenantSettingsTable {
  tenant_id: string
  /** Settings that differ from the defaults. */
  settings: ColumnType<StoredSettings, string | undefined, string>
  version: Generated<number>
  updated_at: Defaulted<Date>
}

interface AgentsTable {
  tenant_id: string
  agent_id: string
  display_name: string | null
  fleet_id: string | null
  trust_level: Defaulted<Trust>
  created_at: Generated<Date>
  last_seen_at: Date | null
  deleted_at: Date | null
}

interface ApiKeysTable {
  key_id: string
  tenant_id: string
  kind: 'tenant' | 'agent'
  agent_id: string | null
  fleet_id: string | null
  /** Trust of a tenant key; an agent key's trust is on the agent's row. */
  trust_level: Trust | null
  label: string | null
  secret_hash: Buffer
  created_at: Generated<Date>
  expires_at: Date | null
  revoked_at: Date | null
}

interface MemoriesTable {
  tenant_id: string
  id: string
  fleet_id: string | null
  agent_id: string | null
  memory_type: MemoryType
  /** False where the service chose it: by default, or from a language model. */
  type_given: Generated<boolean>
  title: string | null
  content: string
  /** SHA-256 of the normalised text: the key of duplicates. */
  content_hash: Buffer
  /** SHA-256 of the embedded text: the key of vectors. */
  text_hash: Buffer
  weight: Generated<number>
  source_uri: string | null
  run_id: string | null
  metadata: Json
  system_metadata: Json
  created_at: Date
  updated_at: Date
  expires_at: Date | null
  valid_start: Date | null
  valid_end: Date | null
  /**
   * Position in the run: valid_start, else created_at. A column, since under row level security `coalesce` uses no
   * index.
   */
  run_at: GeneratedAlways<Date>
  subject_entity_id: string | null
  predicate: string | null
  /** The predicate in snake_case. */
  predicate_key: string | null
  object_value: string | null
  status: Generated<MemoryStatus>
  visibility: Generated<Visibility>
  confidence: number | null
  is_inferred: Generated<boolean>
  scope: ColumnType<Record<string, unknown> | null, string | null, string | null>
  version: Generated<number>
  /**
   * Number of versions by which the service filled in what callers left empty: the version that callers see does not
   * count them.
   */
  service_fills: Generated<number>
  deleted_at: Date | null
}

interface MemoryUsageTable {
  tenant_id: string
  memory_id: string
  recall_count: Generated<number>
  last_recalled_at: Date | null
}

/** `new_id` superseded `old_id`, or the two contradict each other. */
interface SupersessionsTable {
  tenant_id: string
  old_id: string
  new_id: string
  reason: SupersessionReason
  direction: 'canonical' | 'flipped'
  old_status: 'outdated' | 'conflicted'
  created_at: Date
}

export type SupersessionReason = 'explicit' | 'rdf_conflict' | 'semantic_conflict'

interface AuditEventsTable {
  tenant_id: string
  id: Generated<number>
  at: Date
  actor_kind: 'agent' | 'tenant' | 'admin' | 'service'
  actor_agent_id: string | null
  actor_key_id: string | null
  action: string
  subject_kind: string
  subject_id: string
  details: Json
}

interface ErasuresTable {
  id: string
  tenant_id: string
  at: Date
  selector: Json
  memory_ids: string[]
  /** Hashes of the erased texts: the keys of their vectors. */
  text_hashes: Buffer[]
  receipt: Json
  hash: string
}

/** A recall that was answered: ids and scores, no text. */
interface RecallsTable {
  tenant_id: string
  /** A UUIDv7: its time chooses the partition. */
  recall_id: string
  actor_kind: 'agent' | 'tenant' | 'admin'
  agent_id: string | null
  fleet_id: string | null
  key_id: string | null
  at: Date
  request: Json
  results: ColumnType<unknown[], string, string>
  memory_count: number
  degraded: string | null
  recall_ms: number
}

interface VectorsTable {
  tenant_id: string
  text_hash: Buffer
  model: string
  /** Little-endian float32. */
  vector: Buffer
}

interface EntitiesTable {
  tenant_id: string
  id: string
  name_key: string
}

interface EntityLinksTable {
  tenant_id: string
  memory_id: string
  entity_id: string
  /** '' for none. */
  role: Generated<string>
  /** Type that this memory gives the entity: shown to those who see a memory that gives it. */
  entity_type: string | null
  /** Given by a caller, found by the service in the text, or inferred from it by a language model. */
  origin: Generated<LinkOrigin>
  /** Name as spelled in this memory: shown to those who see no earlier one. */
  name: string
  /** Audience of the memory (`linkAudience`); null for a deleted one. */
  audience: string | null
}

interface NearKeysTable {
  tenant_id: string
  memory_id: string
  key: number
}

interface NearDuplicatesTable {
  tenant_id: string
  memory_id: string
  memory_hash: Buffer
  original_id: string
  original_hash: Buffer
}

interface DocumentsTable {
  tenant_id: string
  /** A UUIDv7 made at `created_at`: the order of ids is the order of creation. */
  id: string
  collection: string
  doc_id: string
  fleet_id: string | null
  data: Json
  /** SHA-256 of the embedded text: the key of vectors. */
  text_hash: Buffer
  version: Generated<number>
  system_metadata: ColumnType<Record<string, unknown>, string | undefined, string>
  created_at: Date
  updated_at: Date
}

/** A scalar value of a top-level key, as text made by `fieldValue`. */
interface DocumentFieldsTable {
  tenant_id: string
  document_id: string
  key: string
  collection: string
  value: string
}

interface DocumentCounterKey {
  tenant_id: string
  collection: string
  fleet_id: string | null
  changed_at: Date
}

interface DocumentCountersTable extends DocumentCounterKey {
  count: number
}

interface DocumentCounterDeltasTable extends DocumentCounterKey {
  id: Generated<number>
  /** 0 for a change of a document that stays. */
  delta: number
}

interface IdempotencyKeysTable {
  tenant_id: string
  identity: string
  route: string
  idempotency_key: string
  request_hash: Buffer
  status: number | null
  headers: ColumnType<Record<string, string> | null, string | null, string | null>
  body: string | null
  created_at: Generated<Date>
}

export type PendingKind = 'memory' | 'vector' | 'enrich' | 'document' | 'document_vector'

interface IndexPendingTable {
  tenant_id: string
  kind: PendingKind
  entity_id: string
  seq: Generated<number>
  changed_at: Generated<Date>
  due_at: Generated<Date>
  attempts: Generated<number>
  lease: Date | null
  ticket: string | null
  settled_at: Date | null
  parked_at: Date | null
  error: string | null
}

/** Use of the language model by a tenant on one day (UTC). */
interface EnrichmentUsageTable {
  tenant_id: string
  /** YYYY-MM-DD. */
  day: string
  calls: Generated<number>
  input_tokens: Generated<number>
  output_tokens: Generated<number>
  enriched: Generated<number>
  failed: Generated<number>
}

interface KeystoneShape {
  tenant_id: string
  doc_id: string
  version: number
  title: string
  content: string
  content_hash: string
  system_metadata: Json
  scope: KeystoneScope
  weight: KeystoneWeight
  fleet_id: string | null
  agent_id: string | null
  author_agent_id: string | null
}

interface KeystonesTable extends KeystoneShape {
  /** Revision of the tenant's set when this version was made. */
  revision: number
  created_at: Date
  updated_at: Date
}

/** Text of each version; a deletion has a version of its own, with the deleted text. */
interface KeystoneVersionsTable extends KeystoneShape {
  change: KeystoneChange
  at: Date
  author_kind: 'agent' | 'tenant' | 'admin' | 'service'
}

export type KeystoneChange = 'created' | 'updated' | 'deleted'

/** One row for each tenant that has or had keystones. */
interface KeystoneSetsTable {
  tenant_id: string
  /** Changes whenever anything that is served changes. */
  revision: Generated<number>
  rules: Generated<number>
}

interface KeystoneAcknowledgementsTable {
  tenant_id: string
  agent_id: string
  run_id: string
  etag: string
  acknowledged_at: Date
  /** Drawn when the run received another set; the highest is an agent's latest. */
  seq: Generated<number>
}

interface CounterKey {
  tenant_id: string
  fleet_id: string | null
  agent_id: string | null
  visibility: Visibility
  memory_type: MemoryType
  status: MemoryStatus
}

interface MemoryCountersTable extends CounterKey {
  count: number
}

interface MemoryCounterDeltasTable extends CounterKey {
  id: Generated<number>
  delta: number
}

/** Sums of `memory_counters`, maintained by the compaction. */
interface MemoryCountersByKindTable extends Omit<CounterKey, 'fleet_id' | 'agent_id'> {
  count: number
}

interface MemoryCountersByFleetTable extends Omit<CounterKey, 'agent_id'> {
  count: number
}

interface MemoryCountersByAgentTable extends Omit<CounterKey, 'memory_type'> {
  count: number
}

interface AgentCounterDeltasTable {
  id: Generated<number>
  tenant_id: string
  fleet_id: string | null
  delta: number
}

interface TenantTotalsTable {
  tenant_id: string
  /** Without deleted memories. `agents` counts agents that are not deleted. */
  memories: Defaulted<number>
  agents: Defaulted<number>
  documents: Generated<number>
}

interface FleetTotalsTable extends Omit<TenantTotalsTable, 'documents'> {
  fleet_id: string
}

interface ServiceCountersTable {
  name: string
  value: number
}

interface ServiceSecretsTable {
  name: string
  value: Buffer
}

export type BuildState = 'waiting' | 'filling' | 'ready' | 'serving' | 'kept' | 'failed' | 'dropping' | 'dropped'

interface IndexBuildsTable {
  id: string
  /** `Embedder.id` of its vectors. */
  model: string
  dimensions: number
  /** Suffix of the engine's index name. */
  generation: string
  state: BuildState
  auto_switch: Generated<boolean>
  error: string | null
  created_at: Generated<Date>
  ready_at: Date | null
  switched_at: Date | null
  dropped_at: Date | null
  ticket: string | null
  lease: Date | null
  /** When the index was created, which happens once. */
  made_at: Date | null
  /** The mark that the index holds, and the one that it may hold already. */
  mark: string | null
  next_mark: string | null
  /** When the next mark was announced; while there is none, when the mark was. */
  marked_at: Date | null
  /** Marks that the index has had, the last one first. */
  past_marks: Generated<string[]>
  /** When it was found to be not whole. */
  lost_at: Date | null
  counted_at: Date | null
  /** Tenant after which the next count continues. */
  counted_to: Generated<string>
  /** Documents and rows at the last count, by corpus. */
  counts: unknown
}

interface IndexBuildTenantsTable {
  build_id: string
  space: Defaulted<Corpus>
  tenant_id: string
  last_id: Generated<string>
  until_id: string
  filled: Generated<number>
  rounds: Generated<number>
  finished_at: Date | null
}

export interface Database {
  tenants: TenantsTable
  tenant_settings: TenantSettingsTable
  agents: AgentsTable
  api_keys: ApiKeysTable
  memories: MemoriesTable
  memory_usage: MemoryUsageTable
  supersessions: SupersessionsTable
  audit_events: AuditEventsTable
  recalls: RecallsTable
  erasures: ErasuresTable
  vectors: VectorsTable
  entities: EntitiesTable
  entity_links: EntityLinksTable
  near_keys: NearKeysTable
  near_duplicates: NearDuplicatesTable
  documents: DocumentsTable
  document_fields: DocumentFieldsTable
  document_counters: DocumentCountersTable
  document_counter_deltas: DocumentCounterDeltasTable
  idempotency_keys: IdempotencyKeysTable
  index_pending: IndexPendingTable
  enrichment_usage: EnrichmentUsageTable
  keystones: KeystonesTable
  keystone_versions: KeystoneVersionsTable
  keystone_sets: KeystoneSetsTable
  keystone_acknowledgements: KeystoneAcknowledgementsTable
  memory_counters: MemoryCountersTable
  memory_counter_deltas: MemoryCounterDeltasTable
  memory_counters_by_kind: MemoryCountersByKindTable
  memory_counters_by_fleet: MemoryCountersByFleetTable
  memory_counters_by_agent: MemoryCountersByAgentTable
  agent_counter_deltas: AgentCounterDeltasTable
  tenant_totals: TenantTotalsTable
  fleet_totals: FleetTotalsTable
  service_counters: ServiceCountersTable
  service_secrets: ServiceSecretsTable
  index_builds: IndexBuildsTable
  index_build_tenants: IndexBuildTenantsTable
}
