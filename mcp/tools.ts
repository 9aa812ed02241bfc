import {
  BULK,
  DOCUMENT,
  DOCUMENT_PAGE,
  DOCUMENT_SEARCH,
  ENTITY_PAGE,
  INBOX_PAGE,
  KEYSTONE,
  KEYSTONE_PAGE,
  LINEAGE,
  MEMORY,
  MEMORY_PAGE,
  RATED_MEMORY,
  RECALL,
  SKILL_PAGE,
  SKILL_SEARCH,
} from './lean-rows.js'
import type { Lean } from './lean-answer.js'

/** One operation of a tool. */
export interface ToolOperation {
  /** The operation of the contract that it calls. */
  readonly operationId: string
  /** Arguments that the tool gives itself; callers cannot. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** Arguments of calls that do not give them. */
  readonly defaults?: Readonly<Record<string, unknown>>
  /** Arguments that a call may have and the list leaves out, since a model needs them hardly ever. */
  readonly unlisted?: readonly string[]
  /** Names what a model reads of the answer; the whole of it where absent. */
  readonly lean?: Lean
  /** Arguments that the list shows as required though the contract can do without them in one case. */
  readonly asked?: readonly string[]
  /** Least trust that any call needs, where the contract leaves it to the row or the arguments. */
  readonly leastTrust?: number
  /** True where agents and fleets say whose rows are read: an empty one, left out, would read more than was asked for. */
  readonly readsOthers?: boolean
  /** A text that is cut at the contract's limit instead of refused. */
  readonly cuts?: string
  /** An argument that the answer repeats. */
  readonly echoes?: string
  /** True where the answer has all rows and no cursor, so that the tool leaves out the first `skip` of them. */
  readonly skips?: boolean
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
  /** Describes in the list the arguments that the contract describes for another reader. */
  readonly says?: Readonly<Record<string, string>>
  readonly ops: Readonly<Record<string, ToolOperation>>
}

// Searches count uses and log themselves, which changes nothing that another call reads as its content: they are read-only.
const READS: Hints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true }
const ADDS: Hints = { readOnlyHint: false, destructiveHint: false, idempotentHint: false }
const CHANGES: Hints = { readOnlyHint: false, destructiveHint: true, idempotentHint: false }

const SKILLS = { collection: 'skills' }

/** Conditions, which the contract explains at more length. */
const WHERE = 'Keys of `data` and the values that they must have or hold in a list, such as {"service": "billing"}.'

/** The tools, each with its operations. A row here and an operation of the contract are all that one needs. */
export const TOOLS: readonly Tool[] = [
  {
    name: 'svc_recall',
    title: 'Recall memories',
    description:
      'Find what you or your fleet learnt before. Use `search` before you begin a task and whenever something may be known already: a name, a decision, a preference, an error. It returns `memories`, the best first, with what held `earlier`; `explain` gives all fields and why they were found. `degraded` names what could not be searched. `read` shows a past search.',
    example: { op: 'search', query: 'How do we roll back a release of the billing service?', top_k: 5 },
    hints: READS,
    says: { metadata_filter: 'Keys of `metadata` and the values that they must have, such as {"ticket": "OPS-12"}.' },
    ops: {
      search: {
        operationId: 'recall',
        lean: RECALL,
        defaults: { max_tokens: 2_000 },
        unlisted: ['answer_if', 'compose', 'filter', 'known_at', 'max_characters'],
        readsOthers: true,
        cuts: 'query',
      },
      read: { operationId: 'getRecall' },
    },
  },
  {
    name: 'svc_memory',
    title: 'Write and change memories',
    description:
      'Remember what should outlast this conversation. `write` one fact per memory, a sentence that can be understood alone. `feedback` says whether a memory helped. `delete` hides one. `read` shows one whole.',
    example: { op: 'write', content: 'Billing is rolled back with `make rollback`.' },
    hints: CHANGES,
    says: {
      status: 'Active unless told otherwise.',
      items: 'Objects with arguments of write, such as {"content": "…"}; agent_id and fleet_id beside the list.',
      metadata: 'An object of your own, such as {"ticket": "OPS-12"}.',
      scope: 'What it applies to, as an object of your own, such as {"service": "billing"}.',
    },
    ops: {
      write: { operationId: 'createMemory', lean: MEMORY },
      write_many: { operationId: 'createMemories', lean: BULK },
      read: { operationId: 'getMemory' },
      list: {
        operationId: 'listMemories',
        lean: MEMORY_PAGE,
        unlisted: ['filter', 'recalled', 'unused_since'],
        readsOthers: true,
      },
      update: { operationId: 'patchMemory', lean: MEMORY },
      transition: { operationId: 'moveMemories' },
      delete: { operationId: 'deleteMemory' },
      lineage: { operationId: 'getLineage', lean: LINEAGE },
      feedback: { operationId: 'rateMemory', lean: RATED_MEMORY },
    },
  },
  {
    name: 'svc_doc',
    title: 'Documents',
    description:
      'Keep and find structured records and longer texts by collection and `doc_id`. `query` filters by exact values of keys; `search` finds by meaning and words; `list_collections` says what there is.',
    example: { op: 'query', collection: 'runbooks', where: { service: 'billing' } },
    hints: CHANGES,
    says: {
      data: 'The document, an object of your own, such as {"title": "…", "steps": ["…"]}.',
      where: WHERE,
      collection: 'Letters, digits and . _ -; `skills` is the catalogue of skills.',
    },
    ops: {
      write: { operationId: 'putDocument', lean: DOCUMENT, asked: ['doc_id'] },
      read: { operationId: 'getDocument' },
      query: { operationId: 'queryDocuments', lean: DOCUMENT_PAGE, unlisted: ['filter'], readsOthers: true },
      search: {
        operationId: 'searchDocuments',
        lean: DOCUMENT_SEARCH,
        unlisted: ['filter'],
        readsOthers: true,
        cuts: 'query',
      },
      delete: { operationId: 'deleteDocument' },
      list_collections: { operationId: 'listCollections', readsOthers: true },
    },
  },
  {
    name: 'svc_keystones',
    title: 'Mandatory rules',
    description:
      'The rules that you must follow. `list` them when a session begins, obey all of them, then `acknowledge` with the `_etag` of the list and the id of your run. `set` and `delete` change rules: your own agent’s at trust 1, all others at trust 2.',
    example: { op: 'list' },
    hints: CHANGES,
    ops: {
      list: { operationId: 'listKeystones', fixed: { envelope: true }, lean: KEYSTONE_PAGE, skips: true },
      set: { operationId: 'setKeystone', lean: KEYSTONE, leastTrust: 1 },
      delete: { operationId: 'deleteKeystone', leastTrust: 1 },
      acknowledge: { operationId: 'acknowledgeKeystones' },
    },
  },
  {
    name: 'svc_skills',
    title: 'Skills',
    description:
      'Reviewed instructions for tasks that agents have done before. `search` before a task with several steps, `read` the one that fits by its `doc_id`, follow it, and report the `outcome`. `scan` says what the scan found in a skill of yours.',
    example: { op: 'search', query: 'roll back a release' },
    hints: ADDS,
    says: { where: 'Keys of a skill and the values that they must have or hold in a list, such as {"tags": "ops"}.' },
    ops: {
      list: { operationId: 'listDocuments', fixed: SKILLS, lean: SKILL_PAGE, readsOthers: true },
      search: {
        operationId: 'searchDocuments',
        fixed: SKILLS,
        lean: SKILL_SEARCH,
        unlisted: ['filter'],
        readsOthers: true,
        cuts: 'query',
      },
      read: { operationId: 'getDocument', fixed: SKILLS },
      scan: { operationId: 'getSkillScan' },
      outcome: { operationId: 'reportSkillOutcome' },
    },
  },
  {
    name: 'svc_inbox',
    title: 'Review of skills',
    description:
      'For reviewers (trust 3): skills that wait for a decision. `list` them, first what a person should see first (`priority` says why), then `approve`, `edit`, `reject`, `quarantine`, `defer`, `restore` or `overrule` (serve in spite of what the scan found) one by its `doc_id`; give the `version` that you read, so that nothing unseen is approved.',
    example: { op: 'approve', doc_id: 'forge/roll-back-a-release', version: 1 },
    hints: CHANGES,
    ops: {
      list: { operationId: 'listInbox', lean: INBOX_PAGE, readsOthers: true },
      approve: { operationId: 'approveSkill' },
      edit: { operationId: 'editSkill' },
      reject: { operationId: 'rejectSkill' },
      quarantine: { operationId: 'quarantineSkill' },
      defer: { operationId: 'deferSkill' },
      restore: { operationId: 'restoreSkill' },
      overrule: { operationId: 'overruleSkill' },
    },
  },
  {
    name: 'svc_entity',
    title: 'People, things and places',
    description: 'Who and what the memories are about. `search` by a part of a name. `read` shows one.',
    example: { op: 'search', query: 'billing' },
    hints: READS,
    ops: { read: { operationId: 'getEntity' }, search: { operationId: 'listEntities', lean: ENTITY_PAGE } },
  },
  {
    name: 'svc_stats',
    title: 'Statistics',
    description:
      'Exact counts of memories by type, status, agent and fleet. Use it for "how many", never a search. `scope` in the answer is what was counted, null for all that you may see.',
    example: { op: 'read', status: 'active' },
    hints: READS,
    ops: { read: { operationId: 'getMemoryStats', readsOthers: true, echoes: 'scope' } },
  },
]
