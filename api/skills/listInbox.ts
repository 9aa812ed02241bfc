import { authorOf } from '../../domain/skills/author-record.js'
import { readPage } from '../../http/pages.js'
import { readRecords } from '../../store/skills/author-records.js'
import { countWaiting, type InboxPlace, listWaiting } from '../../store/skills/read-skills.js'
import { readSettings } from '../../store/tenants/settings.js'
import type { Operation } from '../operation.js'
import { fittingContents, presentCard } from './present-card.js'
import { presentPriority } from './present-priority.js'

/** A place in the inbox, and how many skills the walk has shown by then. */
interface InboxCursor extends InboxPlace {
  readonly shown: number
}

export const listInbox: Operation<'listInbox'> = async ({ store, clock, cursorSecret }, principal, { query }) => {
  const { status, fleet_id: fleetId, include_content: withContent } = query
  const page = readPage<InboxCursor>(cursorSecret, { tenant: principal.tenantId, operation: 'listInbox' }, query)
  const { after } = page.keyset
  const before = after?.shown ?? 0
  const { rows, recordOf, total, limit, left } = await store.read(principal, async (reader) => {
    const { skills_factory: settings } = await readSettings(reader)
    const left = Math.max(0, settings.inbox_max_pending - before)
    const limit = Math.min(query.limit, left)
    const rows = await listWaiting(reader, { status, fleetId, after, limit: limit + 1 })
    const recordOf = await readRecords(reader, rows.map(authorOf))
    return { rows, recordOf, total: await countWaiting(reader, { status, fleetId }), limit, left }
  })
  const fitting = rows.slice(0, withContent ? Math.min(limit, fittingContents(rows)) : limit)
  const hasMore = rows.length > fitting.length && fitting.length < left
  const now = clock.now()
  const { items, next_cursor } = page.answer(fitting, {
    positionOf: ({ deferredAt, place, skillId }) => ({
      isDeferred: deferredAt !== null,
      place: place.toISOString(),
      skillId,
      shown: before + fitting.length,
    }),
    present: (row) => ({
      ...presentCard(row, { withContent }),
      priority: presentPriority(row, row.stored, now),
      author_record: recordOf(authorOf(row)),
    }),
    hasMore,
  }).body
  return { status: 200, body: { items, count: items.length, total, next_cursor } }
}
