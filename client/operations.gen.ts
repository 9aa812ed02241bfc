/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */

import type { Method, OperationFacts, OperationId } from './types.js'

export const OPERATIONS: Readonly<Record<OperationId, OperationFacts>> = {
  getRoot: {"method":"GET","path":"/","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getOpenapi: {"method":"GET","path":"/api/openapi.json","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getHealth: {"method":"GET","path":"/api/v1/health","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getReady: {"method":"GET","path":"/api/v1/ready","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getPublicStats: {"method":"GET","path":"/api/v1/stats","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  whoami: {"method":"GET","path":"/api/v1/whoami","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listMemories: {"method":"GET","path":"/api/v1/memories","query":["tenant_id","agent_id","fleet_id","memory_type","status","visibility","run_id","language","created_after","created_before","unused_since","recalled","filter","include_deleted","known_at","sort","order","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  createMemory: {"method":"POST","path":"/api/v1/memories","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":true,"isIdempotent":false,"isPaged":false},
  createMemories: {"method":"POST","path":"/api/v1/memories/bulk","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":true,"isIdempotent":false,"isPaged":false},
  getMemoryStats: {"method":"GET","path":"/api/v1/memories/stats","query":["tenant_id","fleet_id","agent_id","scope","memory_type","status","include_deleted"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getMemoryTimeline: {"method":"GET","path":"/api/v1/memories/stats/timeline","query":["tenant_id","interval","from","to","timezone","by","fleet_id","agent_id","scope","memory_type","visibility"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getMemory: {"method":"GET","path":"/api/v1/memories/{memory_id}","query":["tenant_id","include_deleted","known_at"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  deleteMemory: {"method":"DELETE","path":"/api/v1/memories/{memory_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  patchMemory: {"method":"PATCH","path":"/api/v1/memories/{memory_id}","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listMemoryVersions: {"method":"GET","path":"/api/v1/memories/{memory_id}/versions","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  restoreMemoryVersion: {"method":"POST","path":"/api/v1/memories/{memory_id}/versions/{version}/restore","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  rateMemory: {"method":"POST","path":"/api/v1/memories/{memory_id}/feedback","query":[],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getLineage: {"method":"GET","path":"/api/v1/memories/{memory_id}/lineage","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  moveMemories: {"method":"POST","path":"/api/v1/memories/bulk/status","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  archiveMemories: {"method":"POST","path":"/api/v1/memories/archive","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  redistributeMemories: {"method":"POST","path":"/api/v1/memories/redistribute","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listKeystones: {"method":"GET","path":"/api/v1/keystones","query":["tenant_id","fleet_id","agent_id","envelope"],"takesBody":false,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  setKeystone: {"method":"POST","path":"/api/v1/keystones","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  deleteKeystone: {"method":"DELETE","path":"/api/v1/keystones/{doc_id}","query":["tenant_id"],"takesBody":false,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listKeystoneVersions: {"method":"GET","path":"/api/v1/keystones/{doc_id}/versions","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  acknowledgeKeystones: {"method":"POST","path":"/api/v1/keystones/acknowledgements","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getKeystoneCoverage: {"method":"GET","path":"/api/v1/keystones/coverage","query":["tenant_id","fleet_id","agent_id","run_id","current","include_silent"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listAudit: {"method":"GET","path":"/api/v1/audit","query":["tenant_id","action","agent_id","subject_id","after","before","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  recall: {"method":"POST","path":"/api/v1/recall","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listRecalls: {"method":"GET","path":"/api/v1/recalls","query":["tenant_id","agent_id","degraded","after","before","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getRecallStats: {"method":"GET","path":"/api/v1/recalls/stats","query":["tenant_id","interval","from","to","timezone","agent_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getRecall: {"method":"GET","path":"/api/v1/recalls/{recall_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listEntities: {"method":"GET","path":"/api/v1/entities","query":["tenant_id","query","entity_type","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getEntity: {"method":"GET","path":"/api/v1/entities/{entity_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listAliasProposals: {"method":"GET","path":"/api/v1/entities/{entity_id}/proposals","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  mergeEntity: {"method":"POST","path":"/api/v1/entities/{entity_id}/merge","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  splitEntity: {"method":"POST","path":"/api/v1/entities/{entity_id}/split","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listDocuments: {"method":"GET","path":"/api/v1/documents","query":["tenant_id","collection","fleet_id","language","after","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  putDocument: {"method":"POST","path":"/api/v1/documents","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  putDocuments: {"method":"POST","path":"/api/v1/documents/bulk","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  queryDocuments: {"method":"POST","path":"/api/v1/documents/query","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  searchDocuments: {"method":"POST","path":"/api/v1/documents/search","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listCollections: {"method":"GET","path":"/api/v1/documents/collections","query":["tenant_id","fleet_id"],"takesBody":false,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getDocument: {"method":"GET","path":"/api/v1/documents/{collection}/{doc_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  deleteDocument: {"method":"DELETE","path":"/api/v1/documents/{collection}/{doc_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listInstallable: {"method":"POST","path":"/api/v1/skills/installable","query":[],"takesBody":true,"tenant":"required","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  listInbox: {"method":"GET","path":"/api/v1/skills-inbox","query":["tenant_id","cursor","limit","fleet_id","status","include_content"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getInboxSkill: {"method":"GET","path":"/api/v1/skills-inbox/{slug}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  approveSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/approve","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  editSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/edit","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  rejectSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/reject","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  quarantineSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/quarantine","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  deferSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/defer","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  restoreSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/restore","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  overruleSkill: {"method":"POST","path":"/api/v1/skills-inbox/{slug}/overrule","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  retireSkill: {"method":"POST","path":"/api/v1/skills/{slug}/retire","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getSkillScan: {"method":"GET","path":"/api/v1/skills/{slug}/scan","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listSkillVersions: {"method":"GET","path":"/api/v1/skills/{slug}/versions","query":["tenant_id","cursor","limit","include_content"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  rollbackSkill: {"method":"POST","path":"/api/v1/skills/{slug}/rollback","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getSkillFile: {"method":"GET","path":"/api/v1/skills/{slug}/files/{path}","query":["tenant_id","version"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  reportSkillOutcome: {"method":"POST","path":"/api/v1/skills/{slug}/outcomes","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listAgents: {"method":"GET","path":"/api/v1/agents","query":["tenant_id","fleet_id","trust_level","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getAgent: {"method":"GET","path":"/api/v1/agents/{agent_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  putAgent: {"method":"PUT","path":"/api/v1/agents/{agent_id}","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  deleteAgent: {"method":"DELETE","path":"/api/v1/agents/{agent_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  patchAgent: {"method":"PATCH","path":"/api/v1/agents/{agent_id}","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getSettings: {"method":"GET","path":"/api/v1/settings","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  patchSettings: {"method":"PATCH","path":"/api/v1/settings","query":["tenant_id"],"takesBody":true,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listFleets: {"method":"GET","path":"/api/v1/fleets","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getFleet: {"method":"GET","path":"/api/v1/fleets/{fleet_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  runForge: {"method":"POST","path":"/api/v1/admin/lifecycle/fanout/forge-distill","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  fanOutForge: {"method":"POST","path":"/admin/lifecycle/fanout/forge-distill","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listForgeRuns: {"method":"GET","path":"/api/v1/forge/runs","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  getForgeRun: {"method":"GET","path":"/api/v1/forge/runs/{run_id}","query":["tenant_id"],"takesBody":false,"tenant":"optional","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listKeys: {"method":"GET","path":"/api/v1/admin/keys","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  createKey: {"method":"POST","path":"/api/v1/admin/keys","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  deleteKey: {"method":"DELETE","path":"/api/v1/admin/keys/{key_id}","query":["tenant_id"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  getIndexing: {"method":"GET","path":"/api/v1/admin/indexing","query":["tenant_id"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  retryIndexing: {"method":"POST","path":"/api/v1/admin/indexing/retry","query":["tenant_id"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  createErasure: {"method":"POST","path":"/api/v1/admin/erasures","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  verifyErasure: {"method":"GET","path":"/api/v1/admin/erasures/{erasure_id}/verify","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  reindex: {"method":"POST","path":"/api/v1/admin/reindex","query":["tenant_id"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getEnrichment: {"method":"GET","path":"/api/v1/admin/enrichment","query":["tenant_id"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  enrichMemories: {"method":"POST","path":"/api/v1/admin/enrichment","query":["tenant_id","retry_failed"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  verifyIndex: {"method":"POST","path":"/api/v1/admin/index-verification","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  listIndexBuilds: {"method":"GET","path":"/api/v1/admin/index-builds","query":["cursor","limit"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  createIndexBuild: {"method":"POST","path":"/api/v1/admin/index-builds","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  getIndexBuild: {"method":"GET","path":"/api/v1/admin/index-builds/{build_id}","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  deleteIndexBuild: {"method":"DELETE","path":"/api/v1/admin/index-builds/{build_id}","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":false},
  switchIndexBuild: {"method":"POST","path":"/api/v1/admin/index-builds/{build_id}/switch","query":[],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
  listIndexBuildTenants: {"method":"GET","path":"/api/v1/admin/index-builds/{build_id}/tenants","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  listTenants: {"method":"GET","path":"/api/v1/admin/tenants","query":["tenant_id","cursor","limit"],"takesBody":false,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":true,"isPaged":true},
  patchTenant: {"method":"PATCH","path":"/api/v1/admin/tenants/{tenant_id}","query":[],"takesBody":true,"tenant":"none","takesIdempotencyKey":false,"isIdempotent":false,"isPaged":false},
}

export interface Operations {
  /**
   * Get the paths of the contract, the documentation and the probes.
   *
   * Returns the service's name and version, and paths to go on from, all on this address. It is for people who open the service's address in a browser. No key is needed. As on every route, a slash at the end of a path makes no difference, and no answer is a redirect.
   */
  getRoot: Method<'getRoot'>
  /**
   * Get this description.
   *
   * Returns this contract as JSON. No key is needed. Generate a client from it, or look up what an operation takes, who may call it and what it answers. The `x-` fields of an operation have its limits and the trust that it requires. Send the `ETag` back as `If-None-Match`, and an unchanged contract is 304.
   */
  getOpenapi: Method<'getOpenapi'>
  /**
   * Check liveness, with the state of each dependency.
   *
   * Serves liveness probes and dashboards. No key is needed and no limiter counts it. The answer is 200 for as long as the process serves. If a dependency is unavailable, `status` is `degraded`; that is no reason to restart the process. Use `/api/v1/ready` to decide whether to send it traffic.
   */
  getHealth: Method<'getHealth'>
  /**
   * Check readiness, for load balancers.
   *
   * No key is needed and no limiter counts it. It is 503 while PostgreSQL does not answer, takes no writes (it is read-only, or its disk is full), or lacks migrations. Then a load balancer sends requests elsewhere. `Retry-After` says when to ask again.
   */
  getReady: Method<'getReady'>
  /**
   * Get public counters for a status bar.
   *
   * Counts all tenants together. The counts are at most one second old.
   */
  getPublicStats: Method<'getPublicStats'>
  /**
   * Show the identity of the credential.
   *
   * Returns the tenant, the kind of the key, the agent, fleet and trust level that it acts with, and the model that finds by meaning. For a tenant key with `X-Agent-ID` these are of that agent, with the lower trust of the two. The admin credential must name a tenant and has trust 3 there. Open to any key. A key that is unknown, revoked or expired is 401.
   */
  whoami: Method<'whoami'>
  /**
   * List visible memories, page by page.
   *
   * Open to any key of the tenant. At trust 0 the list has only the caller's own memories. Filters narrow the list and are combined with AND. A fleet other than the caller's needs trust 2, and `include_deleted` needs trust 3. Below that the answer is 403, never a shorter list. Pass `next_cursor` back as `cursor`, with the same filters, until it is null. An altered cursor, or a cursor of other filters, is 400.
   */
  listMemories: Method<'listMemories'>
  /**
   * Write a memory.
   *
   * A recall can find the memory as soon as this is answered.
   */
  createMemory: Method<'createMemory'>
  /**
   * Write up to 500 memories, each stored or refused on its own.
   *
   * Needs trust 1. `agent_id` and `fleet_id` stand beside `items` and apply to all of them. If an item names its own, the whole request is 422. Each item is checked and stored on its own. For each `index`, `results` says whether the memory was `created`, is a `duplicate` (with the id of the existing memory) or an `error`. With an `Idempotency-Key` a repeated request gets the first answer and writes nothing.
   */
  createMemories: Method<'createMemories'>
  /**
   * Count memories exactly, from stored counters.
   *
   * Counts the memories that match the filters, by type, author and status. Without `scope` it counts the memories that the caller may see. With `scope` it also counts private memories of others, but never shows them. `scope=agent` is 422 if the caller has no agent, and `scope=fleet` if the caller names no fleet. The counts are exact and include the caller's last write. Open to any key of the tenant.
   */
  getMemoryStats: Method<'getMemoryStats'>
  /**
   * Count over time what happened to memories: created, superseded, deleted, recalled.
   *
   * Counts by hour, day or week. The counts are exact from the first event on, include the caller's last write, and stay when a memory is purged or erased; those of an agent go when all of its memories are erased. An erasure is no deletion. A recall counts within a second, once for each memory that it returned. `superseded` counts memories that another one took the place of. Each event counts for the author, fleet, type and visibility that the memory had then. `scope` is that of the statistics, with the same trust. Others' recalls of their private memories count at trust 3 alone. The answer has whole intervals, at most 1,000. Events are kept for 400 days.
   */
  getMemoryTimeline: Method<'getMemoryTimeline'>
  /**
   * Read a memory.
   *
   * Open to any key of the tenant. A memory that the caller may not see is 404, like one that does not exist. The `ETag` is its version: send it back as `If-Match` to change the memory only while it is unchanged. `include_deleted` at trust 3 also shows a deleted memory until it is purged. `known_at` shows it as it was at that moment.
   */
  getMemory: Method<'getMemory'>
  /**
   * Delete a memory; it is gone from recall before this answers.
   *
   * Needs trust 1 for one's own memory, and trust 3 for another's (403 below). The memory leaves every list and recall at once and no longer counts against the quota. It is purged after the tenant's `retention_days`. Until then trust 3 may read it with `include_deleted`. Memories that it superseded stay as they are. To remove a memory for good at once, an operator erases it.
   */
  deleteMemory: Method<'deleteMemory'>
  /**
   * Change a memory; needs trust 1 for one's own, 3 for others'.
   *
   * With `If-Match` the memory changes only while it has that version. Without it the last write wins. If every field that you name has the
   * given value already, nothing changes: version, `ETag` and `updated_at` stay and nothing is audited.
   */
  patchMemory: Method<'patchMemory'>
  /**
   * List the versions of a memory, newest first.
   *
   * Open to any key of the tenant that may see the memory now. The first one is the present version. A former version shows the memory as it was from `known_from` until `known_until`. It is left out if the caller could not see it at the visibility, fleet and author that it had then. Every change that readers see keeps the former version, whoever made it: callers, supersession, expiry. A change of `weight` alone keeps none, and neither does what the service fills in, so numbers may be missing. Former versions are kept for `retention_days` after the change, the newest 200 of a memory. Links to entities and counts are the present ones.
   */
  listMemoryVersions: Method<'listMemoryVersions'>
  /**
   * Give a memory the values of an earlier version; needs trust 1 for one's own memory, 3 for others'.
   *
   * Changes the memory as `PATCH` does, with every check of it, to the content and the other fields that callers gave that version. This makes a new version, so the restore is undone by restoring the version before it. `weight`, `visibility` and links to entities stay as they are. So does an expiry, if that of the version has passed. A subject that is no entity any more is left out, with what is stated of it. The status is restored where callers may set it; a move that `PATCH` does not allow is 409 with `from` and `to`. If another live memory has the text, the answer is 409 with `existing_id`. A version that is not kept, or that the caller could not see, is 404. If the memory has all of these values already, nothing changes.
   */
  restoreMemoryVersion: Method<'restoreMemoryVersion'>
  /**
   * Report the outcome of acting on a visible memory.
   *
   * Needs trust 1, and takes any memory that the caller may see. `success` raises its `weight` by 0.10, `partial` raises it by 0.03, and `failure` lowers it by 0.15, within 0.05 and 1. The weight is part of how recall ranks. Each call counts, so send one for each outcome. The audit log records who reported it and in which run.
   */
  rateMemory: Method<'rateMemory'>
  /**
   * List the chain of memories that superseded one another.
   *
   * Follows supersession in both directions from the given memory and returns the records of the chain that the caller may see, oldest first; a memory that superseded nothing is returned alone. A memory that the caller may not see is 404. Open to any key of the tenant.
   */
  getLineage: Method<'getLineage'>
  /**
   * Move up to 500 memories to a status, each on its own.
   *
   * Needs trust 1 for one's own memories and trust 3 for others'. Callers move memories among `active`, `pending` and `confirmed`, from there to `cancelled` or `archived`, and from `archived` to `active`. Each memory is moved or refused on its own. `results` says which moved, which had the status already, and why another was refused (unknown, not the caller's, no such transition, or a duplicate text).
   */
  moveMemories: Method<'moveMemories'>
  /**
   * Archive memories that nobody uses, or say which ones a rule would archive.
   *
   * Needs trust 3. A live memory meets the rule if it was written before `unused_since`, was neither changed nor recalled since, and meets the other conditions. `dry_run`, which is the default, changes nothing: it counts these memories and shows the oldest. Without it the oldest `limit` are archived; repeat the request until `remaining` is 0. An archived memory is not recalled unless its status is asked for, and can be made active again.
   */
  archiveMemories: Method<'archiveMemories'>
  /**
   * Hand an agent's memories over to another agent, some at a time.
   *
   * Needs trust 3. Makes `to_agent_id` the author of memories of `from_agent_id`, at most `limit` in one request. Repeat it until `remaining` is 0. `to_agent_id` must exist (404). Memories with `scope_agent` and texts that the other agent already has are never handed over; the answer counts both.
   */
  redistributeMemories: Method<'redistributeMemories'>
  /**
   * List all rules that apply to an agent.
   *
   * Returns the rules of the tenant, of a fleet and of an agent. These are the caller's own fleet and agent, unless `fleet_id` and `agent_id` name others. The heaviest rules come first, then those of the narrowest scope, then the last changed. The list is never cut short and is open to every trust level. Send the `ETag` back as `If-None-Match`, and an unchanged list is 304. A run acknowledges the list by the same tag.
   */
  listKeystones: Method<'listKeystones'>
  /**
   * Write a rule, or replace the one with this `doc_id`.
   *
   * Needs trust 1 for a rule of the caller's own agent, and trust 2 for any other. To replace a rule, the caller needs the trust for the stored rule and for the new one. With `X-Agent-ID` a tenant key acts for that agent; `agent_id` in the body says whom the rule is for. The rule is in every list as soon as this is answered. A write that would change nothing makes no version, no event and no new `ETag`. The tenant's `pii_policy` applies to title and content. Since a list is never cut short, rules have a limit: the rules of the whole tenant, of one fleet and of one agent may each have 8 MiB of UTF-8, counting 500 bytes more for each rule. A write beyond that is 409, with `details {bytes, bytes_limit}`.
   */
  setKeystone: Method<'setKeystone'>
  /**
   * Delete a rule; its versions are kept.
   *
   * Needs the same trust as writing the stored rule.
   */
  deleteKeystone: Method<'deleteKeystone'>
  /**
   * List the versions of a rule and their authors, newest first.
   *
   * A deletion is a version too. Versions are kept when the rule is deleted, and their numbers continue when it is written again.
   */
  listKeystoneVersions: Method<'listKeystoneVersions'>
  /**
   * Acknowledge that a run of the acting agent received the rules with this tag.
   *
   * Open to every trust level, like the list. The credential must act for an agent, else the answer is 422. A tag that no list of this tenant ever had is 422. The tag of an older list is accepted, and `current` is false. Repeating an acknowledgement changes nothing. Acknowledging another list replaces the run's earlier one. Acknowledgements are kept for 90 days, and an agent's last one for good.
   */
  acknowledgeKeystones: Method<'acknowledgeKeystones'>
  /**
   * List which agents have which rules, and since when.
   *
   * At trust 1 it shows oneself and one's own fleet. Trust 2 also shows another fleet and the whole tenant.
   */
  getKeystoneCoverage: Method<'getKeystoneCoverage'>
  /**
   * List who changed what, newest first.
   *
   * Needs trust 3. Shows the tenant's changes of memories, documents, keystones, agents, keys, settings and limits, and its erasures. Each entry says who made it and when, and has ids, names of fields and numbers. It never has a memory's text or a key's secret. Pass `next_cursor` back as `cursor`, with the same filters, until it is null.
   */
  listAudit: Method<'listAudit'>
  /**
   * Recall memories by vector, keyword and entity evidence.
   *
   * Returns the memories that answer the query best, each with `score`, its parts and `similarity`. Recall finds a memory as soon as its write is answered. Open to any key of the tenant. At trust 0 it searches only the caller's own memories. Other fleets in `fleet_ids` need trust 2 (403 below). Unless `statuses` says otherwise, it returns active, pending and confirmed memories, and outdated or conflicted ones where they are the best evidence. When a model or the search engine is unavailable, recall answers from what is left, and `degraded` names what was missing. `explain` adds why each memory was returned.
   */
  recall: Method<'recall'>
  /**
   * List answered recalls, newest first; kept for 30 days.
   *
   * Needs trust 3. Shows who recalled when, with which filters, and the ids and scores of the results. It shows only results that the caller may see now. It never shows the text of a query or a memory. `agent_id`, `degraded`, `after` and `before` narrow the list.
   */
  listRecalls: Method<'listRecalls'>
  /**
   * Statistics of recalls over time and by agent: how many, how long they took, what was missing; needs trust 1 for one's own, 3 for others'.
   *
   * Counts the recalls of the last 30 days by hour, day or week, by agent and together, without any text. A recall counts within a second of its answer. At trust 3 it counts all recalls, or those of `agent_id`. Below, it counts the caller's own. The answer has whole intervals, at most 1,000.
   */
  getRecallStats: Method<'getRecallStats'>
  /**
   * Read a recall: who asked, its results and why; needs trust 1 for one's own, 3 for others'.
   *
   * Available within a second of the recall's answer, for 30 days.
   */
  getRecall: Method<'getRecall'>
  /**
   * List entities that visible memories are linked to.
   *
   * Shows the people, things and places that the memories visible to the caller are about, by name. Each has the number of those memories. `query` takes words of the name. An entity that only others' private memories mention is not shown. Open to any key of the tenant.
   */
  listEntities: Method<'listEntities'>
  /**
   * Read an entity.
   *
   * Returns the entity with its name, its type and the number of visible memories about it. An entity that no visible memory is linked to is 404. Open to any key of the tenant.
   */
  getEntity: Method<'getEntity'>
  /**
   * List entities that may be another name of the same thing, with the evidence.
   *
   * Reads the newest 100 visible memories about the entity. A `phrase` says that two names are one thing's ("K8s, short for Kubernetes"), in 23 languages; `brackets` have an abbreviation or a handle of the name ("Kubernetes (K8s)"); a `short form` has the initials of the other name or is a handle of it ("R. Smith", "Robert S.", "@rsmith" for "Robert Smith"). If the evidence speaks for other entities too, `ambiguous_with` names them. Nothing is merged: `merge` does that. A memory that the caller does not see is no evidence. An entity that the caller does not see is 404. Open to any key of the tenant.
   */
  listAliasProposals: Method<'listAliasProposals'>
  /**
   * Say that two entities are one thing; needs trust 2.
   *
   * Makes the entity another name of the one that `into` names, with all that is merged into it. From then on a recall that names one of them finds the memories of all, `memory_count` counts them together, and `aliases` has the other names. Links and texts stay as they are, so `split` undoes it. It holds for everybody in the tenant, and shows nobody a name or a memory that it does not see. An entity that the caller does not see is 404. The answer is 409 if only private memories name one of the two, if they are one thing already, if the entity is merged into another, or if the thing would have more than 20 names. If it is merged into this one already, nothing changes. A merge goes with its entity, when no memory names it any more.
   */
  mergeEntity: Method<'mergeEntity'>
  /**
   * Undo a merge of an entity; needs trust 2.
   *
   * Takes the entity, with all that is merged into it, out of the thing that it is a name of. `merge` undoes it. An entity that is merged into no other that the caller sees is 409: split those that are merged into it. One that the caller does not see is 404.
   */
  splitEntity: Method<'splitEntity'>
  /**
   * List the documents of a collection by `doc_id`, page by page.
   *
   * Needs trust 1. Documents come by `doc_id`, in the order of code points; `fleet_id` narrows the list to documents of that fleet and of no fleet. To continue after a break, pass `next_cursor` back as `cursor`, or the last `doc_id` as `after`. An empty collection is an empty page; one that is reserved for the service is 422.
   */
  listDocuments: Method<'listDocuments'>
  /**
   * Write a new document, or the next version of one.
   *
   * If the stored content is the same, nothing changes: version, `ETag` and `updated_at` stay and nothing is audited. With `If-Match` the
   * document is written only while it exists in that version. With `If-None-Match: *` it is written only if it does not exist. Without either
   * the last write wins. Another fleet's document needs trust 2. `doc_id` is required, except for a skill.
   *
   * In the collection `skills` the document is a skill. `data` has these fields; sizes count UTF-8. `name` has at most 200 bytes. `slug`
   * matches `^[a-z0-9][a-z0-9._-]{0,99}$` and has no prefix. `description` and `content` (Markdown) have at most
   * `skills_factory.description_max_bytes` and `body_max_bytes`. `domain` has at most 100 bytes. `kind` is `create` or `update`. `source` is
   * `agent`; `manual` needs trust 3 or the admin credential; `imported` needs the admin credential; `forge` is for the service (403). `data` may also have `summary` (2,000 bytes),
   * `goal` (1,000 bytes), `tags` (20 of 100 bytes) and `target`. `summary` is a sentence that says when to use the skill; a search finds the skill by it.
   *
   * Answers add what the service knows: `status`, `content_hash`, `fingerprint`, `scan`, `gates`, `origin`, `evidence`, `cites`. If a caller
   * gives one of those, or another field, the answer is 422. The write stores a version that waits for its scan. The answer waits for the scan
   * for at most a second: `data.scan.state` is `clean`, `flagged`, `quarantined` or `pending`. The version becomes `staged` for review. With the setting
   * `skills_factory.enabled` off it becomes `active` after a clean scan; a flagged one waits for a reviewer. The version that is active stays served meanwhile. `doc_id` is the
   * slug with the prefix of its source (`agent/`, none for `manual`). The service adds the prefix to a bare slug, and makes a missing
   * `doc_id`. `kind: create` of a skill that exists is 409. `kind: update` needs `target.target_content_hash` (422), an existing skill (404)
   * and its current hash (409).
   *
   * A skill may have the rest of its folder in the Agent Skills format. All of it is stored with the version, or nothing is.
   * `data.front_matter` (16 KiB) is the text of SKILL.md before `content`, its two lines of `---` included; `''` means that SKILL.md has none: then `content` may not begin with one. It must
   * be YAML with fields, and end with a line break (422). `null` means that the service writes it. `files`, beside `data`, are the others of the folder: at most 200 with 10 MiB in all. An update that leaves out
   * `front_matter` or `files` keeps those of the version that it revises. A skill of the Forge has neither (422). Answers have both in `data`, and of `files` path, size, hash and `executable`.
   * A body without files has no more than `data`, which has at most 256 KiB.
   */
  putDocument: Method<'putDocument'>
  /**
   * Write up to 500 documents of a collection, each stored or refused on its own.
   *
   * Repeating the request changes nothing. If several items have the same `doc_id`, the last one wins.
   */
  putDocuments: Method<'putDocuments'>
  /**
   * Query the documents of a collection by values of top-level keys, page by page.
   *
   * Needs trust 1. `where` names up to 20 top-level keys of `data` and the value that each must have; without it all documents of the collection match. `order_by` takes `created_at`, `updated_at`, `doc_id` or a top-level key. Pass `next_cursor` back as `cursor`, with the same `where` and order, until it is null.
   */
  queryDocuments: Method<'queryDocuments'>
  /**
   * Search documents by words and meaning, best first.
   *
   * Searches the whole tenant. `fleet_id` narrows to documents of that fleet and of no fleet; it is a filter, not a boundary. A search finds a
   * document as soon as its write is answered. `score` is 0.7 times `fts_score` plus 0.3 times `vec_sim`. `fts_score` is BM25 over all strings
   * of the document, where the best of the answer's candidates has 1. `vec_sim` is the cosine, 0 to 1, of `data.summary`, else title, name and
   * description, else all strings. `similarity` can be compared between queries.
   * An answer holds some 4 MiB of documents, and at least one of any size. Large documents can make it fewer than `top_k`; then `truncated`
   * says that more were found. If a document changes during the search, the answer has it as it is then.
   */
  searchDocuments: Method<'searchDocuments'>
  /**
   * List collections that hold documents, by name, with exact counts.
   *
   * Needs trust 1. `tenant_id` is always required. Returns each collection with the number of its documents and when one of them was last written or deleted. `fleet_id` counts only documents of that fleet and of no fleet.
   */
  listCollections: Method<'listCollections'>
  /**
   * Read a document.
   *
   * Needs trust 1. Returns `data` as it was written, with version and times. Send the `ETag` as `If-Match` to change or delete the document only while it is unchanged. A document that does not exist is 404.
   */
  getDocument: Method<'getDocument'>
  /**
   * Delete a document for good; another fleet's needs trust 2.
   *
   * A document written again under this `doc_id` is a new one, with another `id` and `version` 1. Deleting a skill needs trust 3 and removes all of its versions, also one that waits for review.
   */
  deleteDocument: Method<'deleteDocument'>
  /**
   * List active skills for installing them on disk, page by page.
   *
   * Needs trust 1. Returns the active skills by `doc_id`. `fleet_id` narrows to skills of that fleet and of no fleet. A skill of the Forge that belongs to a fleet is shown to that fleet, and from trust 2 on to others who name the fleet. Pass `next_cursor` back as `cursor`, with the same `fleet_id`, until it is null. Only then is `complete` true, and a skill that the whole walk has not shown is not in the catalogue. A page ends before `limit` if the skills are large. `etag` is that of the catalogue when the walk began. It changes when a skill comes, goes or gets another text or file: content, description, name, summary, domain, tags, front matter or files. An item whose hash is in `known` comes without `content`. Its `files` come with their hashes; fetch those that you do not have.
   */
  listInstallable: Method<'listInstallable'>
  /**
   * List the skills that wait for a review.
   *
   * Needs trust 3. Returns staged skills, first what a person should see first and deferred ones last. `priority` of each says why it stands there: each reason is worth hours of waiting. A place holds while the skill waits, so a walk neither skips nor repeats one. `status=quarantined` returns those that the scan or a reviewer refused. `status=candidate` returns those of the Forge that are not scanned yet or that a gate holds. A walk ends after `skills_factory.inbox_max_pending` skills; `total` counts all of them.
   */
  listInbox: Method<'listInbox'>
  /**
   * Read a skill that waits, with its history and what it changes.
   *
   * Needs trust 3. Returns the card with its content, every move of the skill so far, and `diff`: the lines by which its texts and files differ from the active version. Of a file that is no text, or has more than 40,000 bytes, `diff` has size and hash. If no version of the skill waits, the answer is 404.
   */
  getInboxSkill: Method<'getInboxSkill'>
  /**
   * Approve a staged skill, which makes it active.
   *
   * Needs trust 3. Scans the skill again first. With critical findings that nobody overruled the skill becomes quarantined, and the answer is 409 with `details.findings`. An approval clears what is only flagged. The version that was active becomes deprecated. If the skill revises a version that is no longer the active one, the answer is 409: edit the skill, which bases it on the active version. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  approveSkill: Method<'approveSkill'>
  /**
   * Revise a staged skill, which scans it again.
   *
   * Needs trust 3. Makes a new version with the given texts, which stays staged. Author, source and cited memories stay. With critical findings it is stored as quarantined. `content_hash` of the answer is the new version's. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  editSkill: Method<'editSkill'>
  /**
   * Reject a staged or quarantined skill.
   *
   * Needs trust 3. Until the cool-off ends, no skill like it is accepted from agents or the Forge in the same fleet. If the skill is the copy of the active version that lost evidence, the active version is taken out of service. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  rejectSkill: Method<'rejectSkill'>
  /**
   * Quarantine a staged skill.
   *
   * Needs trust 3. If the skill is the copy of the active version that lost evidence, the active version is taken out of service. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  quarantineSkill: Method<'quarantineSkill'>
  /**
   * Move a staged skill to the end of the inbox.
   *
   * Needs trust 3. The skill stays staged. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  deferSkill: Method<'deferSkill'>
  /**
   * Stage a quarantined or stale skill again.
   *
   * Needs trust 3. Scans the skill first. With critical findings that nobody overruled the skill stays as it is, and the answer is 409 with `details.findings`. Takes also a skill that waits and could not be scanned (`scan.state` is `failed`), which then goes on by its verdict. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  restoreSkill: Method<'restoreSkill'>
  /**
   * Stage a quarantined skill in spite of what the scan found.
   *
   * Needs trust 3. Scans the skill first. If the scan finds nothing critical, the answer is 409: restore it. Otherwise the skill is staged with its findings and with who overruled them, when and why (`overruled`). From then on approve, restore and rollback accept the critical findings of exactly this version, content and version of the rules. An edit, another content and newer rules ask again: if newer rules find something critical in it while it is active, it leaves service and is quarantined. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  overruleSkill: Method<'overruleSkill'>
  /**
   * Take the active version of a skill out of service.
   *
   * Needs trust 3. The version becomes deprecated, and no search, list or read returns it from then on. A revision that waits stays in the inbox. If the skill is the Forge's, the Forge proposes nothing like it until the cool-off of the settings ends. A skill in another state, or a `content_hash` that is no longer the version's, is 409.
   */
  retireSkill: Method<'retireSkill'>
  /**
   * Read what the scan found in a skill of one's own.
   *
   * Needs trust 1. Returns the state and the findings of the version that the caller wrote and that waits, or of the newest that it wrote if none of its versions waits. Trust 3 reads those of any skill. Of a skill that others wrote the answer is that of the active version. Without any of these the answer is 404.
   */
  getSkillScan: Method<'getSkillScan'>
  /**
   * List the versions of a skill, newest first.
   *
   * Needs trust 3. Each version has its texts (content only with `include_content`), its status and its moves. 100 versions are kept beside those that are active or wait. Versions that were active are kept first.
   */
  listSkillVersions: Method<'listSkillVersions'>
  /**
   * Make an earlier version the active one again.
   *
   * Needs trust 3. Takes a deprecated or stale version, scans it again, and stores its texts as the newest version, which is active at once. With critical findings that nobody overruled the answer is 409 with `details.findings`. An unknown version is 404. A version in another state or with another `content_hash` is 409.
   */
  rollbackSkill: Method<'rollbackSkill'>
  /**
   * Read a file that stands beside the SKILL.md of an active skill.
   *
   * Needs trust 1. Returns the bytes of the file in the active version, for everybody who sees the skill; otherwise the answer is 404. `version` names another version, for reviewers: it needs trust 3. The `ETag` is the hash of the bytes. Send it back as `If-None-Match`, and an unchanged file is 304. If the `doc_id` has a slash, send it as `%2F` where the skill may be named `files`.
   */
  getSkillFile: Method<'getSkillFile'>
  /**
   * Report how it went with an active skill.
   *
   * Needs trust 1. The Forge counts outcomes as signals of how a run ended. For each run, one report of an agent counts; a later report replaces it.
   */
  reportSkillOutcome: Method<'reportSkillOutcome'>
  /**
   * List the tenant's agents.
   *
   * Without `fleet_id`, callers below trust 2 get the agents of their own fleet and of no fleet, and others get all agents of the tenant. Another fleet needs trust 2 (403 below). Deleted agents are not listed. Below trust 2, `memory_count` of other agents is null.
   */
  listAgents: Method<'listAgents'>
  /**
   * Read an agent; needs trust 1 for another than one's own.
   *
   * Returns the agent's name, fleet, trust level and when it was last seen. Trust 0 may read only its own agent (403 for others). An unknown or deleted agent is 404.
   */
  getAgent: Method<'getAgent'>
  /**
   * Register an agent or replace its fields.
   *
   * Needs trust 3. An absent field gets its default: no name, no fleet, trust 1; use PATCH to change single fields. New trust and fleet apply to the agent's keys in every process within a second. The id of a deleted agent cannot be used again (409).
   */
  putAgent: Method<'putAgent'>
  /**
   * Delete an agent and revoke its keys; its id stays reserved.
   *
   * Needs trust 3. The agent's keys are refused in every process within a second. What the agent wrote stays, under its id; the id is never given to another agent. To remove its memories too, erase them, or hand them over to another agent first. An unknown or deleted agent is 404.
   */
  deleteAgent: Method<'deleteAgent'>
  /**
   * Change an agent; absent fields stay, null clears.
   *
   * Applies to the agent's keys within a second, in every process. When an agent changes its fleet, what it wrote stays in the fleet in which it was written.
   */
  patchAgent: Method<'patchAgent'>
  /**
   * Read the tenant's settings, with the defaults of those that it has not set.
   *
   * Needs trust 3. Returns the whole tree, with the default of each setting that the tenant has not set. Send the `ETag` as `If-Match` of a change.
   */
  getSettings: Method<'getSettings'>
  /**
   * Change settings; absent ones stay, null restores the default.
   *
   * Applies to everything that begins after the answer, in any process. What is already stored stays as it is. The audit log records which
   * settings changed, from what and to what. With `If-Match` the change applies only while the settings have that version. Without it the last
   * write of each setting wins. If every setting that you name has the given value already, nothing changes: the `ETag` stays and nothing is
   * audited.
   */
  patchSettings: Method<'patchSettings'>
  /**
   * List the tenant's fleets, with exact counts.
   *
   * Lists fleets that have an agent, or a memory that is not deleted. Below trust 2 it lists only the caller's own fleet.
   */
  listFleets: Method<'listFleets'>
  /**
   * Read a fleet; another than the caller's needs trust 2.
   *
   * Needs trust 1, and trust 2 for a fleet other than the caller's (403 below). Returns how many agents the fleet has and how many memories were written in it. A fleet that has neither is 404.
   */
  getFleet: Method<'getFleet'>
  /**
   * Begin a run of the Forge for each tenant that opted in, or for one of them.
   *
   * Restricted to the admin credential (403 for others). Stores a run for each tenant whose setting `skills_factory.enabled` is on, and tells the workers. A tenant that has not opted in gets none. A run always runs, even right after another. The runs of one tenant come one after the other. With `dry_run` the run does all the work, is recorded, and changes no skill. `failed` counts runs that the queue did not take now: they wait in the database, and workers find them there.
   */
  runForge: Method<'runForge'>
  /**
   * Begin a run of the Forge for each tenant that opted in, or for one of them.
   *
   * The same operation as `POST /api/v1/admin/lifecycle/fanout/forge-distill`.
   */
  fanOutForge: Method<'fanOutForge'>
  /**
   * List runs of the Forge, newest first; kept for 90 days.
   *
   * Needs trust 3. Shows each run with its state and its results in numbers. The run itself names its parts and candidates.
   */
  listForgeRuns: Method<'listForgeRuns'>
  /**
   * Read a run of the Forge: what it read, what it proposed, and why it held the rest.
   *
   * Needs trust 3. `parts` are the tenant's fleets, and one without a fleet for what the whole tenant sees. Up to 500 candidates of each outcome are listed. A run names no memory.
   */
  getForgeRun: Method<'getForgeRun'>
  /**
   * List keys, without their text.
   *
   * Restricted to the admin credential (403 for others). Shows keys of all tenants, or of `tenant_id`, also revoked and expired ones. Each has what it is bound to, its trust level, its label and its times.
   */
  listKeys: Method<'listKeys'>
  /**
   * Create a key; its text is shown once.
   *
   * Restricted to the admin credential (403 for others). A tenant exists from its first key on, an agent from its first key at the latest. An agent key takes trust and fleet from its agent's row (trust 1 for a new agent). A tenant key has its own (trust 2 by default). `api_key` is in this answer and nowhere else: the service keeps only its hash. If you ask for another trust or fleet than an existing agent has, the answer is 409. A key for a deleted agent is 409 too.
   */
  createKey: Method<'createKey'>
  /**
   * Revoke a key; every process refuses it within a second.
   *
   * Restricted to the admin credential (403 for others). The key stays in the list with `revoked_at`; revoking it again changes nothing. A key that is unknown, or of another tenant than `tenant_id`, is 404.
   */
  deleteKey: Method<'deleteKey'>
  /**
   * Show the state of indexing.
   *
   * Restricted to the admin credential (403 for others). Says how many changes still have to reach the search index, how old the oldest is, and how many failed for good. It also says whether the search engine and the embedding model are available. Recall also finds memories that are not in the index yet. This answers even while the search engine is unavailable.
   */
  getIndexing: Method<'getIndexing'>
  /**
   * Enqueue failed rows again.
   *
   * Restricted to the admin credential (403 for others). A row that failed 8 times is not tried any more. This enqueues such rows again, of all tenants or of `tenant_id`. Use it once the cause is gone.
   */
  retryIndexing: Method<'retryIndexing'>
  /**
   * Erase memories for good, everywhere, with a receipt; or preview it.
   *
   * Name exactly one of `agent_id`, `subject_entity_id` and `memory_ids`. `agent_id` erases all of an agent's memories, and that it wrote or received any
   * keystone. `subject_entity_id` erases all memories about an entity, as subject or linked. The request also erases deleted memories, and what changes have
   * left behind of the tenant's
   * texts.
   * For an entity, it looks for its name in the texts that the indexing job has not read yet. It waits at most 30 s for what a language model is
   * still to read. If that takes longer, `complete` is false and `pending_count` says how many memories may be about the entity. Ask for the
   * same again, and the erasure goes on.
   * What the Forge made of the memories goes with them. If a version of a skill has words that stand in no memory that is left, it leaves service, search
   * and the inbox before this is answered. For an entity, so does everything that the Forge made and that has its name. The service
   * also takes the name out of what it has recorded: answers kept for repeated requests, recalls, runs, histories, details of the audit.
   * Other texts stay as callers wrote them. If they name the id of an erased memory, `mentions` says how many. `complete` and `clean` may be true all the
   * same, because an id tells nothing of the memory. If one has the name of the erased entity, `complete` is false and `remaining` names
   * the place. Remove that text and ask for the same again; the entity stays until then.
   * If a deadline or a crash breaks an erasure off, ask for the same again, and it goes on. The receipt then covers all of it.
   * Its cost grows with the service and not with what is erased. It reads all rows of the tenant to find what names a memory. At the end it
   * vacuums the tables of all tenants, one erasure at a time, until 75 s after it began. So name many memories in one request rather than one
   * in each of many.
   */
  createErasure: Method<'createErasure'>
  /**
   * Verify an erasure: search every place again for what was erased.
   *
   * Restricted to the admin credential (403 for others). Reads the database, every index and the queue again, and says what each of them still holds of what was erased. `clean` is true when nothing is left where it should not be. `found` is null for a place that does not answer. An unknown erasure is 404.
   */
  verifyErasure: Method<'verifyErasure'>
  /**
   * Enqueue every row for indexing again.
   *
   * Restricted to the admin credential (403 for others). Enqueues the memories and documents of all tenants, or of `tenant_id`; workers then write them into the serving index again, and requests continue meanwhile. To build a new index beside the old one, or to change the model, start an index build.
   */
  reindex: Method<'reindex'>
  /**
   * Show the state of enrichment by the language model.
   *
   * Restricted to the admin credential (403 for others). Says whether a language model reads new memories and how many wait for it, for all tenants or for `tenant_id`. It also says how many were read, how much was used (for flagged words of skills too) and how many failed since midnight (UTC).
   */
  getEnrichment: Method<'getEnrichment'>
  /**
   * Enqueue memories that no language model has read yet.
   *
   * Leaves alone memories that wait already and texts that were read already. So a repeated request continues where it was interrupted.
   * Tenants with the setting `enrichment.enabled` off are skipped; naming one is 409.
   */
  enrichMemories: Method<'enrichMemories'>
  /**
   * Compare PostgreSQL with the search index, and enqueue what differs.
   *
   * Restricted to the admin credential (403 for others). Compares the rows of all tenants, or of `tenant_id`, with the entries of the serving index, field by field with terms and vectors. It also looks for the row of each entry. A row that changes meanwhile counts as `in_flight`, not as a difference. It answers after some seconds of work, with `next_cursor` while something is left. With `repair` it enqueues what differs as a change. It is 503 while the engine is unavailable or its index is being replaced.
   */
  verifyIndex: Method<'verifyIndex'>
  /**
   * List index builds, present and past.
   *
   * Restricted to the admin credential (403 for others). Shows the serving index, the one that is being built, the one that is kept for switching back, and earlier ones. Each has its model, its state and its progress.
   */
  listIndexBuilds: Method<'listIndexBuilds'>
  /**
   * Start to build another index beside the one that serves, one build at a time; another model re-embeds everything.
   *
   * Restricted to the admin credential (403 for others). Workers fill the new index in the background. Meanwhile the present one serves, and both take new writes. With `auto_switch` the new index serves as soon as it is complete. Without it a request switches to it. After a restart the build goes on where it was. While another build is waiting, backfilling or ready the answer is 409.
   */
  createIndexBuild: Method<'createIndexBuild'>
  /**
   * Read an index build and its progress.
   *
   * Restricted to the admin credential (403 for others). `progress` counts what is written already and what there is to write; `error` says what delays the build or made it fail. An unknown build is 404.
   */
  getIndexBuild: Method<'getIndexBuild'>
  /**
   * Drop an index that does not serve; it is deleted a few seconds later.
   *
   * Restricted to the admin credential (403 for others). Ends a build in progress, or drops one that is ready or kept. The serving index cannot be dropped (409). An unknown build is 404.
   */
  deleteIndexBuild: Method<'deleteIndexBuild'>
  /**
   * Switch to a ready or kept index; the one that served is kept, and this switches back to it too.
   *
   * Restricted to the admin credential (403 for others). Takes a build that is `ready` or `kept`; in any other state it is 409. Every process uses the new index within a second, and requests continue meanwhile. To go back, switch to the build that is kept.
   */
  switchIndexBuild: Method<'switchIndexBuild'>
  /**
   * Show the progress of a build in each tenant.
   *
   * Restricted to the admin credential (403 for others). Says for each tenant, or for `tenant_id`, how many of its memories and documents the build has written. An unknown build is 404.
   */
  listIndexBuildTenants: Method<'listIndexBuildTenants'>
  /**
   * List tenants with counts and limits.
   *
   * Restricted to the admin credential (403 for others). Shows each tenant, or `tenant_id` alone, with exact counts of its agents and memories, its quota, its limits per minute and how long it keeps deleted memories.
   */
  listTenants: Method<'listTenants'>
  /**
   * Change a tenant's limits; absent fields stay, null clears.
   *
   * Applies within a second in every process.
   */
  patchTenant: Method<'patchTenant'>
}
