/** Generated from openapi.yaml by scripts/generate-contract.mjs; not edited by hand. */

export interface operationFacts {
    getRoot: { security: 'public'; query: never; body: never };
    getOpenapi: { security: 'public'; query: never; body: never };
    getHealth: { security: 'public'; query: never; body: never };
    getReady: { security: 'public'; query: never; body: never };
    getPublicStats: { security: 'public'; query: never; body: never };
    whoami: { security: 'apiKey'; query: never; body: never };
    listMemories: { security: 'apiKey'; query: 'include_deleted' | 'sort' | 'order' | 'limit'; body: never };
    createMemory: { security: 'apiKey'; query: never; body: 'weight' | 'status' };
    createMemories: { security: 'apiKey'; query: never; body: never };
    getMemoryStats: { security: 'apiKey'; query: 'include_deleted'; body: never };
    getMemoryTimeline: { security: 'apiKey'; query: 'interval'; body: never };
    getMemory: { security: 'apiKey'; query: 'include_deleted'; body: never };
    deleteMemory: { security: 'apiKey'; query: never; body: never };
    patchMemory: { security: 'apiKey'; query: never; body: never };
    listMemoryVersions: { security: 'apiKey'; query: 'limit'; body: never };
    restoreMemoryVersion: { security: 'apiKey'; query: never; body: never };
    rateMemory: { security: 'apiKey'; query: never; body: never };
    getLineage: { security: 'apiKey'; query: never; body: never };
    moveMemories: { security: 'apiKey'; query: never; body: never };
    archiveMemories: { security: 'apiKey'; query: never; body: 'dry_run' | 'limit' };
    redistributeMemories: { security: 'apiKey'; query: never; body: 'limit' };
    listKeystones: { security: 'apiKey'; query: 'envelope'; body: never };
    setKeystone: { security: 'apiKey'; query: never; body: never };
    deleteKeystone: { security: 'apiKey'; query: never; body: never };
    listKeystoneVersions: { security: 'apiKey'; query: 'limit'; body: never };
    acknowledgeKeystones: { security: 'apiKey'; query: never; body: never };
    getKeystoneCoverage: { security: 'apiKey'; query: 'include_silent'; body: never };
    listAudit: { security: 'apiKey'; query: 'limit'; body: never };
    recall: { security: 'apiKey'; query: never; body: 'top_k' | 'include_summary' | 'explain' | 'compose' };
    listRecalls: { security: 'apiKey'; query: 'limit'; body: never };
    getRecallStats: { security: 'apiKey'; query: 'interval'; body: never };
    getRecall: { security: 'apiKey'; query: never; body: never };
    listEntities: { security: 'apiKey'; query: 'limit'; body: never };
    getEntity: { security: 'apiKey'; query: never; body: never };
    listAliasProposals: { security: 'apiKey'; query: never; body: never };
    mergeEntity: { security: 'apiKey'; query: never; body: never };
    splitEntity: { security: 'apiKey'; query: never; body: never };
    listDocuments: { security: 'apiKey'; query: 'limit'; body: never };
    putDocument: { security: 'apiKey'; query: never; body: never };
    putDocuments: { security: 'apiKey'; query: never; body: never };
    queryDocuments: { security: 'apiKey'; query: never; body: 'order_by' | 'order' | 'limit' };
    searchDocuments: { security: 'apiKey'; query: never; body: 'top_k' };
    listCollections: { security: 'apiKey'; query: never; body: never };
    getDocument: { security: 'apiKey'; query: never; body: never };
    deleteDocument: { security: 'apiKey'; query: never; body: never };
    listInstallable: { security: 'apiKey'; query: never; body: 'limit' | 'include_content' };
    listInbox: { security: 'apiKey'; query: 'limit' | 'status' | 'include_content'; body: never };
    getInboxSkill: { security: 'apiKey'; query: never; body: never };
    approveSkill: { security: 'apiKey'; query: never; body: never };
    editSkill: { security: 'apiKey'; query: never; body: never };
    rejectSkill: { security: 'apiKey'; query: never; body: never };
    quarantineSkill: { security: 'apiKey'; query: never; body: never };
    deferSkill: { security: 'apiKey'; query: never; body: never };
    restoreSkill: { security: 'apiKey'; query: never; body: never };
    overruleSkill: { security: 'apiKey'; query: never; body: never };
    retireSkill: { security: 'apiKey'; query: never; body: never };
    getSkillScan: { security: 'apiKey'; query: never; body: never };
    listSkillVersions: { security: 'apiKey'; query: 'limit' | 'include_content'; body: never };
    rollbackSkill: { security: 'apiKey'; query: never; body: never };
    getSkillFile: { security: 'apiKey'; query: never; body: never };
    reportSkillOutcome: { security: 'apiKey'; query: never; body: never };
    listAgents: { security: 'apiKey'; query: 'limit'; body: never };
    getAgent: { security: 'apiKey'; query: never; body: never };
    putAgent: { security: 'apiKey'; query: never; body: 'trust_level' };
    deleteAgent: { security: 'apiKey'; query: never; body: never };
    patchAgent: { security: 'apiKey'; query: never; body: never };
    getSettings: { security: 'apiKey'; query: never; body: never };
    patchSettings: { security: 'apiKey'; query: never; body: never };
    listFleets: { security: 'apiKey'; query: 'limit'; body: never };
    getFleet: { security: 'apiKey'; query: never; body: never };
    runForge: { security: 'adminKey'; query: never; body: 'dry_run' };
    fanOutForge: { security: 'adminKey'; query: never; body: 'dry_run' };
    listForgeRuns: { security: 'apiKey'; query: 'limit'; body: never };
    getForgeRun: { security: 'apiKey'; query: never; body: never };
    listKeys: { security: 'adminKey'; query: 'limit'; body: never };
    createKey: { security: 'adminKey'; query: never; body: never };
    deleteKey: { security: 'adminKey'; query: never; body: never };
    getIndexing: { security: 'adminKey'; query: never; body: never };
    retryIndexing: { security: 'adminKey'; query: never; body: never };
    createErasure: { security: 'adminKey'; query: never; body: 'preview' };
    verifyErasure: { security: 'adminKey'; query: never; body: never };
    reindex: { security: 'adminKey'; query: never; body: never };
    getEnrichment: { security: 'adminKey'; query: never; body: never };
    enrichMemories: { security: 'adminKey'; query: 'retry_failed'; body: never };
    verifyIndex: { security: 'adminKey'; query: never; body: 'seed' | 'repair' };
    listIndexBuilds: { security: 'adminKey'; query: 'limit'; body: never };
    createIndexBuild: { security: 'adminKey'; query: never; body: 'auto_switch' };
    getIndexBuild: { security: 'adminKey'; query: never; body: never };
    deleteIndexBuild: { security: 'adminKey'; query: never; body: never };
    switchIndexBuild: { security: 'adminKey'; query: never; body: never };
    listIndexBuildTenants: { security: 'adminKey'; query: 'limit'; body: never };
    listTenants: { security: 'adminKey'; query: 'limit'; body: never };
    patchTenant: { security: 'adminKey'; query: never; body: never };
}

/** Fields with a default. */
export interface schemaDefaults {
    MemoryFields: 'weight' | 'status';
    ArchiveRule: 'dry_run' | 'limit';
    Redistribution: 'limit';
    DocumentQuery: 'order_by' | 'order' | 'limit';
    DocumentSearch: 'top_k';
    MemoryWrite: 'weight' | 'status';
    BulkItem: 'weight' | 'status';
    RecallRequest: 'top_k' | 'include_summary' | 'explain' | 'compose';
    AgentPut: 'trust_level';
    SkillFileWrite: 'executable';
    InstallableQuery: 'limit' | 'include_content';
    ErasureRequest: 'preview';
    IndexVerificationRequest: 'seed' | 'repair';
    ForgeTrigger: 'dry_run';
    IndexBuildRequest: 'auto_switch';
}

export const memoryFieldTexts = {
    "content": "Stored as written, white space included. 1–10,000 characters after trimming, and 20,000 with the white space at its ends.",
    "memory_type": "fact, episode, decision, preference, task, semantic, intention, plan, commitment, action, cancellation; `semantic` is stored as `fact`.",
    "title": "Up to 200 characters.",
    "weight": "How much it counts in recall, from 0 to 1.",
    "source_uri": "Where it comes from.",
    "run_id": "The run (piece of work) that it belongs to.",
    "language": "The language of `content`; found in it where none is given.",
    "metadata": "An object of the caller's own; at most 16 KiB as JSON.",
    "entity_links": "The entities that it is about.",
    "expires_at": "When it expires, in the future.",
    "ts_valid_start": "Since when it holds.",
    "ts_valid_end": "Until when it holds; after `ts_valid_start`.",
    "subject_entity_id": "The entity that the memory states something about, as a triple. A link with the role `subject` may name it instead, beside `predicate` and `object_value`.",
    "predicate": "What it states of the subject.",
    "object_value": "The value that it states.",
    "status": "active, pending, confirmed",
    "visibility": "scope_agent, scope_team, scope_org",
    "confidence": "How sure its author is, from 0 to 1.",
    "scope": "What it applies to, as an object of the caller's own; at most 16 KiB as JSON.",
    "supersedes_id": "The memory that this one supersedes; it becomes outdated."
}
