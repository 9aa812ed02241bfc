import { InvalidRequestError, itemErrorOf } from '../../http/errors.js'
import type { components } from '../../contract/types.js'
import { requireUnreservedCollection } from './require-unreserved-collection.js'
import { type DocumentOutcome, storeDocuments } from '../../services/documents/store-documents.js'
import { refuseBeyondBacklog } from '../../services/indexing/refuse-beyond-backlog.js'
import { resolveAuthor } from '../../services/access/author.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import type { Operation } from '../operation.js'

type Item = components['schemas']['DocumentBulkItem']
type Result = components['schemas']['DocumentBulkAnswer']['results'][number]

export const putDocuments: Operation<'putDocuments'> = async (
  context,
  principal,
  { body, itemFaults: faults, signal },
) => {
  const { collection, items } = body
  requireUnreservedCollection(collection, ['body', 'collection'])
  if (collection === SKILLS_COLLECTION)
    throw InvalidRequestError.at(['body', 'collection'], 'Write skills one at a time.')
  const drafts = items.flatMap((item, index) => {
    if (faults[index]!.length > 0) return []
    const { doc_id: docId, data, fleet_id } = item as Item
    return [{ index, docId, data, fleetId: fleet_id ?? body.fleet_id ?? null, path: ['items', String(index)] }]
  })
  await refuseBeyondBacklog(context, principal.tenantId, 'documents')
  const outcomes = await context.store.transact(principal, async (writer) => {
    const acting = await resolveAuthor(writer, principal, body)
    return storeDocuments(writer, acting, drafts, { collection, at: new Date(context.clock.now()), signal })
  })
  const byIndex = new Map(drafts.map(({ index }, i) => [index, outcomes[i]!]))
  const results = items.map((_, index) =>
    presentResult(index, byIndex.get(index) ?? { status: 'error', error: new InvalidRequestError(faults[index]!) }),
  )
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length
  const errors = count('error')
  return {
    status: errors === 0 ? 200 : 207,
    body: { created: count('created'), updated: count('updated'), unchanged: count('unchanged'), errors, results },
  }
}

function presentResult(index: number, outcome: DocumentOutcome): Result {
  if (outcome.status === 'error') return { index, status: 'error', error: itemErrorOf(outcome.error) }
  const { id, docId, version } = outcome.row
  return { index, status: outcome.status, doc_id: docId, id, version }
}
