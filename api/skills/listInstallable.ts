import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { readPage } from '../../http/pages.js'
import { listInstallable as readInstallable, readCatalogueTag } from '../../store/skills/installable.js'
import type { Operation } from '../operation.js'
import { presentInstallable } from './present-installable.js'

/** The last skill of a page, and the catalogue's tag when the walk began. */
interface CatalogueCursor {
  readonly docId: string
  readonly etag: string
}

export const listInstallable: Operation<'listInstallable'> = async (context, principal, { body }) => {
  const { fleet_id: fleetId, cursor, limit = 200, known = {} } = body
  const page = readPage<CatalogueCursor>(
    context.cursorSecret,
    { tenant: principal.tenantId, operation: 'listInstallable' },
    { cursor, limit, ...(fleetId !== undefined && { fleet_id: fleetId }) },
  )
  const bounds = boundFleetsOf(principal, fleetId)
  const { rows, hasMore, etag } = await context.store.read(principal, async (reader) => ({
    ...(await readInstallable(reader, { fleetId, bounds, after: page.after?.docId, limit, known })),
    // A client that keeps the tag of a walk during which the catalogue changed finds another one next time.
    etag: page.after?.etag ?? (await readCatalogueTag(reader, fleetId, bounds)),
  }))
  const { shown, next } = page.cut(rows, ({ docId }) => ({ docId, etag }), hasMore)
  return {
    status: 200,
    body: { items: shown.map(presentInstallable), next_cursor: next, complete: next === null, etag },
  }
}
