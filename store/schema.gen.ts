/** Generated from the migrations by scripts/generate-schema.ts; not edited by hand. */

import type { ColumnType } from "kysely";

export type ArrayType<T> = ArrayTypeImpl<T> extends (infer U)[]
  ? U[]
  : ArrayTypeImpl<T>;

export type ArrayTypeImpl<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S[], I[], U[]>
  : T[];

export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;

export interface AgentCounterDeltas {
  delta: number;
  fleet_id: string | null;
  id: ColumnType<number, never, never>;
  tenant_id: string;
}

export interface Agents {
  agent_id: string;
  created_at: Generated<Date>;
  deleted_at: Date | null;
  display_name: string | null;
  fleet_id: string | null;
  last_seen_at: Date | null;
  tenant_id: string;
  trust_level: Generated<number>;
}

export interface AnalysedTexts {
  bytes: Buffer;
  memory_id: string;
  model: string;
  tenant_id: string;
  version: number;
}

export interface ApiKeys {
  agent_id: string | null;
  created_at: Generated<Date>;
  expires_at: Date | null;
  fleet_id: string | null;
  key_id: string;
  kind: string;
  label: string | null;
  revoked_at: Date | null;
  secret_hash: Buffer;
  tenant_id: string;
  trust_level: number | null;
}

export interface AuditEvents {
  action: string;
  actor_agent_id: string | null;
  actor_key_id: string | null;
  actor_kind: string;
  at: Date;
  details: Generated<ColumnType<object, string, string>>;
  id: ColumnType<number, never, never>;
  subject_id: string;
  subject_kind: string;
  tenant_id: string;
}

export interface DocumentCounterDeltas {
  changed_at: Date;
  collection: string;
  delta: number;
  fleet_id: string | null;
  id: ColumnType<number, never, never>;
  tenant_id: string;
}

export interface DocumentCounters {
  changed_at: Date;
  collection: string;
  count: number;
  fleet_id: string | null;
  tenant_id: string;
}

export interface DocumentFields {
  collection: string;
  document_id: string;
  key: string;
  tenant_id: string;
  value: string;
}

export interface DocumentMembers {
  collection: string;
  document_id: string;
  key: string;
  tenant_id: string;
  value: string;
}

export interface Documents {
  collection: string;
  created_at: Date;
  data: ColumnType<object, string, string>;
  doc_id: string;
  fleet_id: string | null;
  id: string;
  language: string | null;
  language_version: number | null;
  members_stored: boolean | null;
  members_version: number | null;
  system_metadata: Generated<ColumnType<object, string, string>>;
  tenant_id: string;
  text_hash: Buffer;
  updated_at: Date;
  version: Generated<number>;
}

export interface EnrichmentUsage {
  calls: Generated<number>;
  day: ColumnType<Date, string, string>;
  enriched: Generated<number>;
  failed: Generated<number>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  tenant_id: string;
}

export interface Entities {
  id: string;
  merged_into: string | null;
  name_key: string;
  tenant_id: string;
  thing_id: string | null;
}

export interface EntityLinks {
  audience: string | null;
  entity_id: string;
  entity_type: string | null;
  memory_id: string;
  name: string;
  origin: Generated<string>;
  role: Generated<string>;
  tenant_id: string;
}

export interface Erasures {
  at: Date;
  hash: string;
  id: string;
  memory_ids: string[];
  receipt: ColumnType<object, string, string>;
  selector: ColumnType<object, string, string>;
  skill_ids: Generated<string[]>;
  tenant_id: string;
  text_hashes: ArrayType<Buffer>;
}

export interface FleetTotals {
  agents: Generated<number>;
  fleet_id: string;
  memories: Generated<number>;
  tenant_id: string;
}

export interface ForgeRuns {
  attempts: Generated<number>;
  dry_run: Generated<boolean>;
  error: string | null;
  finished_at: Date | null;
  kept: Generated<ColumnType<object, string, string>>;
  lease: Date | null;
  owner: string | null;
  progress: Generated<ColumnType<object, string, string>>;
  requested_at: Date;
  result: Generated<ColumnType<object, string, string>>;
  run_id: string;
  slot: Date | null;
  spent_ms: Generated<number>;
  started_at: Date | null;
  state: Generated<string>;
  tenant_id: string;
  trigger: string;
  waits_since: Date | null;
}

export interface ForgeTraces {
  agent_id: string;
  ended_at: Date;
  fleet_id: string | null;
  forge_run_id: string;
  label: string;
  run_id: string;
  signals: ColumnType<object, string, string>;
  tenant_id: string;
}

export interface ForgeUsage {
  calls: Generated<number>;
  day: ColumnType<Date, string, string>;
  input_tokens: Generated<number>;
  output_tokens: Generated<number>;
  tenant_id: string;
}

export interface IdempotencyKeys {
  body: string | null;
  created_at: Generated<Date>;
  headers: ColumnType<object, string, string> | null;
  idempotency_key: string;
  identity: string;
  request_hash: Buffer;
  route: string;
  status: number | null;
  tenant_id: string;
}

export interface IndexBuilds {
  auto_switch: Generated<boolean>;
  counted_at: Date | null;
  counted_to: Generated<string>;
  counts: ColumnType<object, string, string> | null;
  created_at: Generated<Date>;
  dimensions: number;
  dropped_at: Date | null;
  error: string | null;
  generation: string;
  id: string;
  lease: Date | null;
  lost_at: Date | null;
  made_at: Date | null;
  mark: string | null;
  marked_at: Date | null;
  model: string;
  next_mark: string | null;
  past_marks: Generated<string[]>;
  ready_at: Date | null;
  state: string;
  switched_at: Date | null;
  ticket: string | null;
}

export interface IndexBuildTenants {
  build_id: string;
  corpus: Generated<string>;
  finished_at: Date | null;
  last_id: Generated<string>;
  rounds: Generated<number>;
  rows_done: Generated<number>;
  tenant_id: string;
  until_id: string;
}

export interface IndexPending {
  attempts: Generated<number>;
  changed_at: Generated<Date>;
  due_at: Generated<Date>;
  entity_id: string;
  error: string | null;
  failed_at: Date | null;
  kind: string;
  lease: Date | null;
  seq: Generated<number>;
  settled_at: Date | null;
  tenant_id: string;
  ticket: string | null;
}

export interface KeystoneAcknowledgements {
  acknowledged_at: Date;
  agent_id: string;
  etag: string;
  run_id: string;
  seq: Generated<number>;
  tenant_id: string;
}

export interface Keystones {
  agent_id: string | null;
  author_agent_id: string | null;
  content: string;
  content_hash: string;
  created_at: Date;
  doc_id: string;
  fleet_id: string | null;
  revision: number;
  scope: string;
  system_metadata: Generated<ColumnType<object, string, string>>;
  tenant_id: string;
  title: string;
  updated_at: Date;
  version: number;
  weight: string;
}

export interface KeystoneSets {
  revision: Generated<number>;
  rules: Generated<number>;
  tenant_id: string;
}

export interface KeystoneVersions {
  agent_id: string | null;
  at: Date;
  author_agent_id: string | null;
  author_kind: string;
  change: string;
  content: string;
  content_hash: string;
  doc_id: string;
  fleet_id: string | null;
  scope: string;
  system_metadata: Generated<ColumnType<object, string, string>>;
  tenant_id: string;
  title: string;
  version: number;
  weight: string;
}

export interface LanguageCounterDeltas {
  delta: number;
  id: ColumnType<number, never, never>;
  language: string;
  tenant_id: string;
}

export interface LanguageCounters {
  count: number;
  language: string;
  tenant_id: string;
}

export interface Memories {
  agent_id: string | null;
  confidence: number | null;
  content: string;
  content_hash: Buffer;
  content_hash_form: Generated<number>;
  created_at: Date;
  deleted_at: Date | null;
  expires_at: Date | null;
  fleet_id: string | null;
  id: string;
  is_inferred: Generated<boolean>;
  is_language_read: Generated<boolean>;
  known_since: Date | null;
  language: string | null;
  memory_type: string;
  metadata: Generated<ColumnType<object, string, string>>;
  object_value: string | null;
  predicate: string | null;
  predicate_key: string | null;
  run_at: ColumnType<Date, never, never>;
  run_id: string | null;
  scope: ColumnType<object, string, string> | null;
  service_fills: Generated<number>;
  source_uri: string | null;
  status: Generated<string>;
  subject_entity_id: string | null;
  system_metadata: Generated<ColumnType<object, string, string>>;
  tenant_id: string;
  text_hash: Buffer;
  title: string | null;
  type_given: Generated<boolean>;
  updated_at: Date;
  valid_end: Date | null;
  valid_start: Date | null;
  version: Generated<number>;
  visibility: Generated<string>;
  weight: Generated<number>;
}

export interface MemoryActivity {
  agent_id: string | null;
  count: number;
  event: string;
  fleet_id: string | null;
  memory_type: string;
  slot: Date;
  tenant_id: string;
  visibility: string;
}

export interface MemoryCounterDeltas {
  agent_id: string | null;
  delta: number;
  event: string | null;
  events: Generated<number>;
  fleet_id: string | null;
  id: ColumnType<number, never, never>;
  memory_type: string;
  slot: Date | null;
  status: string;
  tenant_id: string;
  visibility: string;
}

export interface MemoryCounters {
  agent_id: string | null;
  count: number;
  fleet_id: string | null;
  memory_type: string;
  status: string;
  tenant_id: string;
  visibility: string;
}

export interface MemoryCountersByAgent {
  agent_id: string | null;
  count: number;
  fleet_id: string | null;
  status: string;
  tenant_id: string;
  visibility: string;
}

export interface MemoryCountersByFleet {
  count: number;
  fleet_id: string | null;
  memory_type: string;
  status: string;
  tenant_id: string;
  visibility: string;
}

export interface MemoryCountersByKind {
  count: number;
  memory_type: string;
  status: string;
  tenant_id: string;
  visibility: string;
}

export interface MemoryUsage {
  last_recalled_at: Date | null;
  memory_id: string;
  recall_count: Generated<number>;
  tenant_id: string;
}

export interface MemoryVersions {
  entity_ids: string[];
  former: ColumnType<object, string, string>;
  known_from: Date;
  known_until: Date;
  memory_id: string;
  tenant_id: string;
  version: number;
}

export interface NearDuplicates {
  is_echo: Generated<boolean>;
  memory_hash: Buffer;
  memory_id: string;
  original_hash: Buffer;
  original_id: string;
  tenant_id: string;
}

export interface NearKeys {
  key: number;
  memory_id: string;
  tenant_id: string;
}

export interface Recalls {
  actor_kind: string;
  agent_id: string | null;
  at: Date;
  confidence: string | null;
  degraded: string | null;
  fleet_id: string | null;
  key_id: string | null;
  memory_count: number;
  recall_id: string;
  recall_ms: number;
  request: ColumnType<object, string, string>;
  results: ColumnType<object, string, string>;
  tenant_id: string;
}

export interface ServiceCounters {
  name: string;
  value: Generated<number>;
}

export interface ServiceSecrets {
  name: string;
  value: Buffer;
}

export interface SkillAuthors {
  agent_id: string;
  approved: number;
  is_forge: boolean;
  quarantined: number;
  rejected: number;
  tenant_id: string;
}

export interface SkillBlobs {
  bytes: Buffer;
  hash: string;
  skill_id: string;
  tenant_id: string;
}

export interface SkillCites {
  memory_id: string;
  skill_id: string;
  tenant_id: string;
  version: number;
}

export interface SkillFiles {
  hash: string;
  is_executable: boolean;
  path: string;
  size: number;
  skill_id: string;
  tenant_id: string;
  version: number;
}

export interface SkillMoves {
  actor_agent_id: string | null;
  actor_kind: string;
  at: Date;
  content_hash: string | null;
  from_status: string | null;
  id: ColumnType<number, never, never>;
  reason: string | null;
  skill_id: string;
  tenant_id: string;
  texts_hash: string | null;
  to_status: string;
  version: number;
}

export interface SkillNumbers {
  doc_id_hash: Buffer;
  last_version: number;
  tenant_id: string;
}

export interface SkillOutcomes {
  agent_id: string;
  at: Date;
  outcome: string;
  run_id: string;
  skill_id: string;
  tenant_id: string;
  version: number;
}

export interface SkillPoison {
  added: ColumnType<object, string, string>;
  author_agent_id: string | null;
  doc_id: string;
  extent: string;
  fingerprint: string;
  fleet_key: string;
  reason: string;
  rejected_at: Date;
  sketch: ColumnType<object, string, string>;
  source: string;
  tenant_id: string;
  until: Date;
}

export interface Skills {
  active_version: number | null;
  confirmed_at: Date | null;
  created_at: Date;
  doc_id: string;
  fleet_id: string | null;
  id: string;
  last_version: number;
  slug: string;
  tenant_id: string;
  updated_at: Date;
  waiting_version: number | null;
}

export interface SkillSources {
  memory_id: string;
  skill_id: string;
  tenant_id: string;
}

export interface SkillVersions {
  author_agent_id: string | null;
  author_key_id: string | null;
  behind_hours: number | null;
  content: string;
  content_hash: string;
  created_at: Date;
  deferred_at: Date | null;
  description: string;
  domain: string;
  evidence: ColumnType<object, string, string> | null;
  fingerprint: string;
  fleet_key: string;
  folder_hash: string | null;
  front_matter: string | null;
  gates: Generated<ColumnType<object, string, string>>;
  goal: string | null;
  is_deferred: Generated<boolean>;
  kind: string;
  name: string;
  origin: ColumnType<object, string, string> | null;
  overruled: ColumnType<object, string, string> | null;
  place: Date;
  ranked_approved: number | null;
  ranked_quarantined: number | null;
  ranked_rejected: number | null;
  reason: string | null;
  scan: ColumnType<object, string, string> | null;
  scan_attempts: Generated<number>;
  scan_rules: string | null;
  scan_state: Generated<string>;
  scanned_at: Date | null;
  sketch: ColumnType<object, string, string>;
  skill_id: string;
  source: string;
  status: string;
  summary: string | null;
  system_metadata: Generated<ColumnType<object, string, string>>;
  tags: Generated<string[]>;
  target: ColumnType<object, string, string> | null;
  tenant_id: string;
  updated_at: Date;
  version: number;
  waiting_since: Date | null;
}

export interface Supersessions {
  created_at: Date;
  direction: string;
  new_id: string;
  old_id: string;
  old_status: string;
  reason: string;
  tenant_id: string;
}

export interface Tenants {
  created_at: Generated<Date>;
  memories_limit: number | null;
  rate_limits: Generated<ColumnType<object, string, string>>;
  retention_days: Generated<number>;
  stored: number | null;
  tenant_id: string;
}

export interface TenantSettings {
  settings: Generated<ColumnType<object, string, string>>;
  tenant_id: string;
  updated_at: Generated<Date>;
  version: Generated<number>;
}

export interface TenantTotals {
  agents: Generated<number>;
  documents: Generated<number>;
  memories: Generated<number>;
  tenant_id: string;
}

export interface Vectors {
  model: string;
  tenant_id: string;
  text_hash: Buffer;
  vector: Buffer;
}

export interface DB {
  agent_counter_deltas: AgentCounterDeltas;
  agents: Agents;
  analysed_texts: AnalysedTexts;
  api_keys: ApiKeys;
  audit_events: AuditEvents;
  document_counter_deltas: DocumentCounterDeltas;
  document_counters: DocumentCounters;
  document_fields: DocumentFields;
  document_members: DocumentMembers;
  documents: Documents;
  enrichment_usage: EnrichmentUsage;
  entities: Entities;
  entity_links: EntityLinks;
  erasures: Erasures;
  fleet_totals: FleetTotals;
  forge_runs: ForgeRuns;
  forge_traces: ForgeTraces;
  forge_usage: ForgeUsage;
  idempotency_keys: IdempotencyKeys;
  index_build_tenants: IndexBuildTenants;
  index_builds: IndexBuilds;
  index_pending: IndexPending;
  keystone_acknowledgements: KeystoneAcknowledgements;
  keystone_sets: KeystoneSets;
  keystone_versions: KeystoneVersions;
  keystones: Keystones;
  language_counter_deltas: LanguageCounterDeltas;
  language_counters: LanguageCounters;
  memories: Memories;
  memory_activity: MemoryActivity;
  memory_counter_deltas: MemoryCounterDeltas;
  memory_counters: MemoryCounters;
  memory_counters_by_agent: MemoryCountersByAgent;
  memory_counters_by_fleet: MemoryCountersByFleet;
  memory_counters_by_kind: MemoryCountersByKind;
  memory_usage: MemoryUsage;
  memory_versions: MemoryVersions;
  near_duplicates: NearDuplicates;
  near_keys: NearKeys;
  recalls: Recalls;
  service_counters: ServiceCounters;
  service_secrets: ServiceSecrets;
  skill_authors: SkillAuthors;
  skill_blobs: SkillBlobs;
  skill_cites: SkillCites;
  skill_files: SkillFiles;
  skill_moves: SkillMoves;
  skill_numbers: SkillNumbers;
  skill_outcomes: SkillOutcomes;
  skill_poison: SkillPoison;
  skill_sources: SkillSources;
  skill_versions: SkillVersions;
  skills: Skills;
  supersessions: Supersessions;
  tenant_settings: TenantSettings;
  tenant_totals: TenantTotals;
  tenants: Tenants;
  vectors: Vectors;
}
