import type pg from 'pg'
import { withConnection } from '../../store/connection.js'
import { upsertEntities } from '../../store/entities.js'
import { insertMemories } from '../../store/memories/insert-memories.js'
import { newMemory } from './memories.js'
import type { TestStore } from './test-store.js'

/** Inserts a row of the tenant into every table that holds rows of tenants. */
export async function fillTables(test: TestStore, tenantId: string): Promise<void> {
  const asSuperuser = <T>(work: (client: pg.Client) => Promise<T>) => withConnection(test.url, work)
  await asSuperuser((client) => client.query(`insert into tenants (tenant_id) values ($1)`, [tenantId]))
  await test.store.transact({ tenantId }, async (writer) => {
    const memory = newMemory('A fox.')
    const entityId = (await upsertEntities(writer, ['fox'])).get('fox')!
    const links = [{ entityId, name: 'Fox', role: '', entityType: null }]
    await insertMemories(writer, [{ ...memory, links }])
  })
  await asSuperuser(async (client) => {
    const statements = [
      `insert into agents (tenant_id, agent_id) values ($1, 'a')`,
      `insert into api_keys (key_id, tenant_id, kind, trust_level, secret_hash) values ('k' || $1::text, $1, 'tenant', 1, '')`,
      `insert into vectors (tenant_id, text_hash, model, vector) values ($1, 'h', 'm', 'v')`,
      `insert into memory_usage (tenant_id, memory_id) values ($1, gen_random_uuid())`,
      `insert into idempotency_keys (tenant_id, identity, route, idempotency_key, request_hash) values ($1, 'i', 'r', 'k', '')`,
      `insert into memory_counters (tenant_id, visibility, memory_type, status, count) values ($1, 'scope_org', 'fact', 'active', 1)`,
      `insert into memory_counters_by_kind (tenant_id, visibility, memory_type, status, count)
        values ($1, 'scope_org', 'fact', 'active', 1)`,
      `insert into memory_counters_by_fleet (tenant_id, visibility, memory_type, status, count)
        values ($1, 'scope_org', 'fact', 'active', 1)`,
      `insert into memory_counters_by_agent (tenant_id, visibility, status, count) values ($1, 'scope_org', 'active', 1)`,
      `insert into memory_activity (tenant_id, slot, event, visibility, memory_type, count)
        values ($1, now(), 'created', 'scope_org', 'fact', 1)`,
      `insert into agent_counter_deltas (tenant_id, delta) values ($1, 1)`,
      `insert into language_counters (tenant_id, language, count) values ($1, 'en', 1)`,
      `insert into language_counter_deltas (tenant_id, language, delta) values ($1, 'en', 1)`,
      `insert into fleet_totals (tenant_id, fleet_id) values ($1, 'f')`,
      `insert into near_keys (tenant_id, memory_id, key) select $1, id, 1 from memories where tenant_id = $1`,
      `insert into memory_versions (tenant_id, memory_id, version, known_from, known_until, entity_ids, former)
        select $1, id, 1, now(), now(), '{}', '{}' from memories where tenant_id = $1`,
      `insert into analysed_texts (tenant_id, memory_id, model, version, bytes)
        select $1, id, 'm', 1, '' from memories where tenant_id = $1`,
      `insert into near_duplicates (tenant_id, memory_id, memory_hash, original_id, original_hash)
        select $1, id, '', id, '' from memories where tenant_id = $1`,
      `insert into documents (tenant_id, id, collection, doc_id, data, text_hash, created_at, updated_at)
        values ($1, gen_random_uuid(), 'c', 'd', '{}', '', now(), now())`,
      `insert into document_fields (tenant_id, document_id, key, collection, value)
        select $1, id, 'k', 'c', 'v' from documents where tenant_id = $1`,
      `insert into document_members (tenant_id, document_id, key, collection, value)
        select $1, id, 'l', 'c', 'v' from documents where tenant_id = $1`,
      `insert into document_counters (tenant_id, collection, changed_at, count) values ($1, 'c', now(), 1)`,
      `insert into document_counter_deltas (tenant_id, collection, changed_at, delta) values ($1, 'c', now(), 1)`,
      `insert into enrichment_usage (tenant_id, day) values ($1, current_date)`,
      `insert into forge_usage (tenant_id, day) values ($1, current_date)`,
      `insert into forge_runs (tenant_id, run_id, trigger, requested_at) values ($1, gen_random_uuid(), 'manual', now())`,
      `insert into forge_traces (tenant_id, run_id, agent_id, label, signals, ended_at, forge_run_id)
        values ($1, 'r', 'a', 'unknown', '[]', now(), gen_random_uuid())`,
      `insert into skills (tenant_id, id, doc_id, slug, last_version, created_at, updated_at)
        values ($1, gen_random_uuid(), 'agent/s', 's', 1, now(), now())`,
      `insert into skill_versions (tenant_id, skill_id, version, status, source, kind, name, description, content, domain, fleet_key,
          content_hash, fingerprint, sketch, place, created_at, updated_at)
        select $1, id, 1, 'staged', 'agent', 'create', 'n', 'd', 'c', 'd', '', 'h', 'f', '[]', now(), now(), now() from skills where tenant_id = $1`,
      `insert into skill_blobs (tenant_id, skill_id, hash, bytes) select $1, skill_id, 'h', 'b' from skill_versions where tenant_id = $1`,
      `insert into skill_files (tenant_id, skill_id, version, path, hash, size, is_executable)
        select $1, skill_id, version, 'p', 'h', 1, false from skill_versions where tenant_id = $1`,
      `insert into skill_cites (tenant_id, memory_id, skill_id, version)
        select $1, gen_random_uuid(), skill_id, version from skill_versions where tenant_id = $1`,
      `insert into skill_sources (tenant_id, memory_id, skill_id)
        select $1, gen_random_uuid(), skill_id from skill_versions where tenant_id = $1`,
      `insert into skill_moves (tenant_id, skill_id, version, to_status, actor_kind, at)
        select $1, skill_id, version, status, 'agent', now() from skill_versions where tenant_id = $1`,
      `insert into skill_outcomes (tenant_id, skill_id, version, agent_id, run_id, outcome, at)
        select $1, skill_id, version, 'a', 'r', 'success', now() from skill_versions where tenant_id = $1`,
      `insert into skill_poison (tenant_id, fleet_key, fingerprint, sketch, doc_id, source, extent, added, reason, rejected_at, until)
        values ($1, '', 'f', '[]', 'agent/s', 'agent', 'whole', '[]', 'r', now(), now())`,
      `insert into skill_authors (tenant_id, is_forge, agent_id, approved, rejected, quarantined) values ($1, false, 'a', 1, 0, 0)`,
      `insert into skill_numbers (tenant_id, doc_id_hash, last_version) values ($1, '', 1)`,
      `insert into tenant_totals (tenant_id) values ($1)`,
      `insert into tenant_settings (tenant_id) values ($1)`,
      `insert into keystone_sets (tenant_id) values ($1)`,
      `insert into keystones (tenant_id, doc_id, version, revision, created_at, updated_at, title, content, content_hash, scope, weight)
        values ($1, 'd', 1, 1, now(), now(), 't', 'c', 'h', 'tenant', 'low')`,
      `insert into keystone_versions (tenant_id, doc_id, version, change, at, author_kind, title, content, content_hash, scope, weight)
        values ($1, 'd', 1, 'created', now(), 'admin', 't', 'c', 'h', 'tenant', 'low')`,
      `insert into keystone_acknowledgements (tenant_id, agent_id, run_id, etag, acknowledged_at) values ($1, 'a', 'r', 'e', now())`,
      `insert into supersessions (tenant_id, old_id, new_id, reason, direction, old_status, created_at)
        select $1, id, id, 'explicit', 'canonical', 'outdated', now() from memories where tenant_id = $1`,
      `insert into erasures (id, tenant_id, at, selector, memory_ids, text_hashes, receipt, hash)
        values (gen_random_uuid(), $1, now(), '{}', '{}', '{}', '{}', 'h')`,
      `select ensure_recall_partition(current_date) where $1 <> ''`,
      `insert into recalls (tenant_id, recall_id, actor_kind, at, request, results, memory_count, recall_ms)
        values ($1, first_uuid_of(current_date), 'admin', now(), '{}', '[]', 0, 1)`,
      `insert into index_builds (id, model, dimensions, generation, state) values (gen_random_uuid(), 'm', 1, '00000001', 'dropped')
        on conflict do nothing`,
      `insert into index_build_tenants (build_id, tenant_id, until_id) select id, $1, id from index_builds`,
    ]
    for (const statement of statements) await client.query(statement, statement.includes('$1') ? [tenantId] : [])
  })
}
