/** One operation of a tool. */
export interface ToolOperation {
  /** The operation of the contract that it calls. */
  readonly operationId: string
  /** Arguments that the tool gives itself; callers cannot. */
  readonly fixed?: Readonly<Record<string, unknown>>
}

/** Tells a client what it may assume of every operation of a tool, in the words of MCP's `annotations`. */
interface Hints {
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
}

export interface Tool {
  readonly name: string
  readonly title: string
  /** Says to a model when to use the tool and what comes back. The arguments of each `op` and the example are appended. */
  readonly description: string
  /** Arguments of a call that the tool accepts. */
  readonly example: Readonly<Record<string, unknown>>
  readonly hints: Hints
  readonly ops: Readonly<Record<string, ToolOperation>>
}

// Searches count uses and log themselves, which changes nothing that another call reads as its content: they are read-only.
const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
const CHANGES: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }

const SKILLS = { collection: 'skills' }

/** The tools, each with its operations. A row here and an operation of the contract are all that one needs. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'svc_recall',
    title: 'Recall memories',
    description:
      'Find what you or your fleet learnt before. Use `search` before you begin a task and whenever something may be known already: a name, a decision, a preference, an error seen before. It returns `memories`, the best first, each with `id`, `content` and `score`; `degraded` is not null when a part could not be searched. `read` shows a past search by its `recall_id`.',
    example: { op: 'search', query: 'How do we roll back a release of the billing service?', top_k: 5 },
    hints: READS,
    ops: { search: { operationId: 'recall' }, read: { operationId: 'getRecall' } },
  },
  {
    name: 'svc_memory',
    title: 'Write and change memories',
    description:
      'Remember facts, decisions, preferences and results beyond this conversation. `write` one fact per memory, in a sentence that can be understood alone; it returns the memory with its `id`. `feedback` tells whether a recalled memory helped. `transition` moves many to another status, and `delete` hides one.',
    example: { op: 'write', content: 'The billing service is rolled back with `make rollback`, never by hand.' },
    hints: CHANGES,
    ops: {
      write: { operationId: 'createMemory' },
      write_many: { operationId: 'createMemories' },
      read: { operationId: 'getMemory' },
      list: { operationId: 'listMemories' },
      update: { operationId: 'patchMemory' },
      transition: { operationId: 'moveMemories' },
      delete: { operationId: 'deleteMemory' },
      lineage: { operationId: 'getLineage' },
      feedback: { operationId: 'rateMemory' },
    },
  },
  {
    name: 'svc_doc',
    title: 'Documents',
    description:
      'Keep and find structured records and longer texts by collection and `doc_id`. `query` filters by exact values of keys; `search` finds by meaning and words; `list_collections` says what there is.',
    example: { op: 'query', collection: 'runbooks', where: { service: 'billing' } },
    hints: CHANGES,
    ops: {
      write: { operationId: 'putDocument' },
      read: { operationId: 'getDocument' },
      query: { operationId: 'queryDocuments' },
      search: { operationId: 'searchDocuments' },
      delete: { operationId: 'deleteDocument' },
      list_collections: { operationId: 'listCollections' },
    },
  },
  {
    name: 'svc_keystones',
    title: 'Mandatory rules',
    description:
      'The rules that you must follow. `list` them when a session begins, obey all of them, then `acknowledge` with the `_etag` of the list and the id of your run. `set` and `delete` change rules, for callers with enough trust.',
    example: { op: 'list' },
    hints: CHANGES,
    ops: {
      list: { operationId: 'listKeystones', fixed: { envelope: true } },
      set: { operationId: 'setKeystone' },
      delete: { operationId: 'deleteKeystone' },
      acknowledge: { operationId: 'acknowledgeKeystones' },
    },
  },
  {
    name: 'svc_skills',
    title: 'Skills',
    description:
      'Reviewed instructions for tasks that agents have done before. `search` before a task with several steps, `read` the one that fits by its `doc_id`, follow it, and report the `outcome` with its `doc_id` as `slug`.',
    example: { op: 'search', query: 'roll back a release' },
    hints: ADDS,
    ops: {
      list: { operationId: 'listDocuments', fixed: SKILLS },
      search: { operationId: 'searchDocuments', fixed: SKILLS },
      read: { operationId: 'getDocument', fixed: SKILLS },
      outcome: { operationId: 'reportSkillOutcome' },
    },
  },
  {
    name: 'svc_inbox',
    title: 'Review of skills',
    description:
      'For reviewers (trust 3): skills that wait for a decision. `list` them, then `approve`, `edit`, `reject`, `quarantine`, `defer` or `restore` one by its `slug`; give the `version` that you read, so that nothing unseen is approved.',
    example: { op: 'approve', slug: 'forge/roll-back-a-release', version: 1 },
    hints: CHANGES,
    ops: {
      list: { operationId: 'listInbox' },
      approve: { operationId: 'approveSkill' },
      edit: { operationId: 'editSkill' },
      reject: { operationId: 'rejectSkill' },
      quarantine: { operationId: 'quarantineSkill' },
      defer: { operationId: 'deferSkill' },
      restore: { operationId: 'restoreSkill' },
    },
  },
  {
    name: 'svc_entity',
    title: 'People, things and places',
    description:
      'Who and what the memories are about. `search` by a part of a name; `read` shows one with its memories.',
    example: { op: 'search', query: 'billing' },
    hints: READS,
    ops: { read: { operationId: 'getEntity' }, search: { operationId: 'listEntities' } },
  },
  {
    name: 'svc_stats',
    title: 'Statistics',
    description: 'Exact counts of memories by type, status, agent and fleet. Use it for "how many", never a search.',
    example: { op: 'read', status: 'active' },
    hints: READS,
    ops: { read: { operationId: 'getMemoryStats' } },
  },
]
