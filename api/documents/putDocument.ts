import { requireUnreservedCollection } from './require-unreserved-collection.js'
import { presentDocument } from './present-document.js'
import { storeDocuments } from '../../services/documents/store-documents.js'
import { etagWithId, requireMatch, requireNone } from '../../http/entity-tags.js'
import type { DocumentRow } from '../../store/documents/document-row.js'
import { resolveAuthor } from '../../services/access/author.js'
import { putSkill } from '../../services/skills/put-skill.js'
import type { Document } from '../../domain/documents/document.js'
import type { Principal } from '../../domain/principal.js'
import { SKILLS_COLLECTION } from '../../domain/skills/skill.js'
import { skillDocumentOf } from '../../domain/skills/skill-document.js'
import { InvalidRequestError } from '../../http/errors.js'
import type { AnswerOf, Operation } from '../operation.js'

export const putDocument: Operation<'putDocument'> = async (context, principal, input) => {
  const { headers, body, signal, externalCalls } = input
  const { collection, doc_id: docId = null } = body
  requireUnreservedCollection(collection, ['body', 'collection'])
  const requireVersion = (before: Pick<DocumentRow, 'id' | 'version'> | null) => {
    requireNone(headers['If-None-Match'], before)
    requireMatch(headers['If-Match'], before, etagWithId)
  }
  const write = { data: body.data, fleetId: body.fleet_id ?? null, requireVersion }
  if (collection === SKILLS_COLLECTION) {
    const skill = { ...write, files: body.files, docId, named: body, isAdmin: principal.kind === 'admin' }
    const document = skillDocumentOf(await putSkill(context, principal, skill, { signal, externalCalls }))
    return answerWith(principal, document)
  }
  if (body.files) throw InvalidRequestError.at(['body', 'files'], 'Only a skill has files.')
  if (docId === null) throw InvalidRequestError.at(['body', 'doc_id'], 'Field required.', 'missing')
  const draft = { ...write, docId, path: [] }
  const row = await context.store.transact(principal, async (writer) => {
    const acting = await resolveAuthor(writer, principal, body)
    const at = new Date(context.clock.now())
    const [outcome] = await storeDocuments(writer, acting, [draft], { collection, at, signal })
    if (outcome!.status === 'error') throw outcome!.error
    return outcome!.row
  })
  return answerWith(principal, row)
}

function answerWith(principal: Principal, document: Document): AnswerOf<'putDocument'> {
  return { status: 200, headers: { ETag: etagWithId(document) }, body: presentDocument(principal, document) }
}
