import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { readPage } from '../../http/pages.js'
import {
  type InstallableRow,
  listInstallable as readInstallable,
  readCatalogueTag,
} from '../../store/skills/installable.js'
import type { Operation } from '../operation.js'
import { presentInstallable } from './present-installable.js'

/** The last skill of a page, and the catalogue's tag when the walk began. */
interface CatalogueCursor {
  readonly docId: string
  readonly etag: string
}

export const listInstallable: Operation<'listInstallable'> = async (context, principal, { body }) => {
  const { fleet_id: fleetId, cursor, limit = 200, known = {}, include_content: withContent = true } = body
  const page = readPage<CatalogueCursor>(
    context.cursorSecret,
    { tenant: principal.tenantId, operation: 'listInstallable' },
    { cursor, limit, ...(fleetId !== undefined && { fleet_id: fleetId }) },
  )
  const { after } = page.keyset
  const bounds = boundFleetsOf(principal, fleetId)
  const { rows, hasMore, etag } = await context.store.read(principal, async (reader) => ({
    ...(await readInstallable(reader, { fleetId, bounds, after: after?.docId, limit, known, withContent })),
    // A client that keeps the tag of a walk during which the catalogue changed finds another one next time.
    etag: after?.etag ?? (await readCatalogueTag(reader, fleetId, bounds)),
  }))
  const positionOf = ({ docId }: InstallableRow) => ({ docId, etag })
  const { status, body: shown } = page.answer(rows, { positionOf, present: presentInstallable, hasMore })
  return { status, body: { ...shown, complete: shown.next_cursor === null, etag } }
}
