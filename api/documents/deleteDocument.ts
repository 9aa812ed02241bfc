import { NotFoundError } from '../../runtime/errors.js'
import { deleteDocument as remove, lockDocuments } from '../../store/documents/write-documents.js'
import { requireOwnFleet } from '../../services/access/trust.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import { etagWithId, requireMatch } from '../../http/entity-tags.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { deleteSkill } from '../../services/skills/delete-skill.js'
import type { Operation } from '../operation.js'

export const deleteDocument: Operation<'deleteDocument'> = async (context, principal, { params, headers }) => {
  const { collection, doc_id: docId } = params
  requireUnreservedCollection(collection, ['path', 'collection'])
  if (collection === SKILLS_COLLECTION) {
    await deleteSkill(context, principal, docId, (served) => requireMatch(headers['If-Match'], served, etagWithId))
    return { status: 204 }
  }
  await context.store.transact(principal, async (writer) => {
    const row = (await lockDocuments(writer, collection, [docId])).locked.get(docId)
    if (!row) throw new NotFoundError('Document')
    requireOwnFleet(principal, row.fleetId)
    requireMatch(headers['If-Match'], row, etagWithId)
    await remove(writer, row, new Date(context.clock.now()))
  })
  return { status: 204 }
}
