import { NotFoundError } from '../../runtime/errors.js'
import { listVersions } from '../../store/keystones/keystones.js'
import { presentVersion } from '../../services/keystones/present-keystone.js'
import type { Operation } from '../operation.js'
import { readPage } from '../../http/pages.js'

export const listKeystoneVersions: Operation<'listKeystoneVersions'> = async (
  context,
  principal,
  { params, query },
) => {
  const { tenantId } = principal
  const list = { tenant: tenantId, operation: 'listKeystoneVersions', subject: params.doc_id }
  const page = readPage<number>(context.cursorSecret, list, query)
  const rows = await context.store.read(principal, (reader) => listVersions(reader, params.doc_id, page.keyset))
  if (rows.length === 0 && query.cursor === undefined) throw new NotFoundError('Keystone')
  return page.answer(rows, { positionOf: (row) => row.version, present: (row) => presentVersion(tenantId, row) })
}
