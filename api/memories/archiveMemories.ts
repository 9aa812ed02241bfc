import { audienceOf } from '../../domain/visibility.js'
import { dateOf } from '../../http/pages.js'
import { readMemoryFilter, withOtherNames } from '../../services/retrieval/filters.js'
import { archiveUnused, countUnused, findUnused } from '../../store/memories/archive-unused.js'
import { findMemories } from '../../store/memories/read-memories.js'
import type { Operation } from '../operation.js'
import { presentMemory } from './present-memory.js'

/** Memories that an answer shows of those that meet the rule. */
const MOST_SHOWN = 10

/** Counts the memories that a rule would archive and shows some of them; archives them if it is no dry run. */
export const archiveMemories: Operation<'archiveMemories'> = async (context, principal, { body }) => {
  const { dry_run: isDry, limit } = body
  const audience = audienceOf(principal, 'all')
  const given = body.filter && readMemoryFilter(principal, body.filter, ['filter'])
  const rule = {
    unusedSince: dateOf(body.unused_since)!,
    maxWeight: body.max_weight,
    maxRecalls: body.max_recalls,
    expression: given && (await withOtherNames(context.store, principal, given)),
  }
  const at = new Date(context.clock.now())
  const { counts, oldest } = await context.store.read(principal, async (reader) => {
    const ids = await findUnused(reader, audience, rule, MOST_SHOWN)
    const rows = new Map((await findMemories(reader, audience, ids)).map((row) => [row.id, row]))
    return { counts: await countUnused(reader, audience, rule), oldest: ids.flatMap((id) => rows.get(id) ?? []) }
  })
  const matched = counts.reduce((sum, { count }) => sum + count, 0)
  const archived = isDry
    ? 0
    : await context.store.transact(principal, (writer) => archiveUnused(writer, audience, rule, { at, limit }))
  return {
    status: 200,
    body: {
      dry_run: isDry,
      matched,
      by_type: counts.map(({ memoryType, count }) => ({ memory_type: memoryType, count })),
      archived,
      remaining: Math.max(0, matched - archived),
      oldest: oldest.map((row) => presentMemory(principal.tenantId, row)),
    },
  }
}
