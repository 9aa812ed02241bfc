import { withOtherNames } from '../../services/retrieval/filters.js'
import { storedType } from '../../domain/memory-draft.js'
import { languageOfTag } from '../../domain/text/language-tag.js'
import { audienceOf } from '../../domain/visibility.js'
import { listMemories as selectMemories, type MemoryPosition } from '../../store/memories/list-memories.js'
import type { MemoryRow } from '../../store/memories/read-memories.js'
import { requireFleets, requireTrust } from '../../services/access/trust.js'
import { momentOf } from './moment.js'
import { presentMemory } from './present-memory.js'
import { readFilterParameter } from './read-filter-parameter.js'
import type { Operation } from '../operation.js'
import { dateOf, readPage } from '../../http/pages.js'

export const listMemories: Operation<'listMemories'> = async (context, principal, { query }) => {
  if (query.include_deleted) requireTrust(principal, 3)
  const fleets = query.fleet_id === undefined ? [] : [query.fleet_id]
  requireFleets(principal, fleets)
  const given = readFilterParameter(principal, query.filter)
  const expression = given && (await withOtherNames(context.store, principal, given))

  const { tenantId } = principal
  const page = readPage<MemoryPosition>(context.cursorSecret, { tenant: tenantId, operation: 'listMemories' }, query)
  const rows = await context.store.read(principal, (reader) =>
    selectMemories(reader, audienceOf(principal, fleets), {
      agentId: query.agent_id,
      fleetId: query.fleet_id,
      memoryType: query.memory_type && storedType(query.memory_type),
      status: query.status,
      visibility: query.visibility,
      runId: query.run_id,
      language: query.language === undefined ? undefined : languageOfTag(query.language)!,
      createdAfter: dateOf(query.created_after),
      createdBefore: dateOf(query.created_before),
      unusedSince: dateOf(query.unused_since),
      recalled: query.recalled,
      expression,
      includeDeleted: query.include_deleted,
      knownAt: momentOf(query.known_at, context.clock),
      sort: query.sort,
      order: query.order,
      ...page.keyset,
    }),
  )
  const positionOf = ({ id, createdAt, weight, recallCount, lastRecalledAt }: MemoryRow) => ({
    value: {
      created_at: createdAt.toISOString(),
      weight,
      recall_count: recallCount,
      last_recalled_at: lastRecalledAt?.toISOString() ?? '-infinity',
    }[query.sort],
    id,
  })
  return page.answer(rows, { positionOf, present: (row) => presentMemory(tenantId, row) })
}
