import { audienceOf } from '../../domain/visibility.js'
import { findMemories, previewOf } from '../../store/memories/read-memories.js'
import { etagOf } from '../../http/entity-tags.js'
import { markReplay } from '../../http/operation.js'
import { resolveAuthor, touchAuthor } from '../../services/access/author.js'
import { writeOnce } from '../../services/memories/idempotent-write.js'
import { presentMemory } from './present-memory.js'
import { readDraft } from './read-draft.js'
import { errorOf, storeDrafts } from '../../services/memories/store-drafts.js'
import type { Principal } from '../../domain/principal.js'
import type { Writer } from '../../store/store.js'
import type { AnswerOf, InputOf, Operation } from '../operation.js'

type Answer = AnswerOf<'createMemory'>

export const createMemory: Operation<'createMemory'> = async (context, principal, { headers, body, signal }) => {
  const drafts = [{ draft: readDraft(body), path: [] }]
  const request = { route: 'createMemory', key: headers['Idempotency-Key'], body }
  const write = async (writer: Writer): Promise<Answer> => {
    const acting = await resolveAuthor(writer, principal, body)
    const { outcomes, usage } = await storeDrafts(writer, context, acting, drafts, signal)
    const outcome = outcomes[0]!
    if (outcome.status !== 'created') throw errorOf(outcome)
    // The author sees its own memory in whichever fleet it was written for, and of related ones what it may see.
    const [row] = await findMemories(writer, audienceOf(acting.viewer, 'all'), [outcome.id], { even: 'hidden' })
    return { status: 201, headers: { ETag: etagOf(row!) }, body: presentMemory(writer.tenantId, row!, usage) }
  }
  const { answer, isReplay } = await writeOnce<Answer>(context, principal, request, write, (writer, first) =>
    withPreviewsNow(writer, principal, body, first),
  )
  touchAuthor(context, principal, body)
  return isReplay ? markReplay(answer) : answer
}

/** Refreshes the previews in a replayed answer: the memories that they are taken from may have been changed or deleted. */
async function withPreviewsNow(
  writer: Writer,
  principal: Principal,
  named: InputOf<'createMemory'>['body'],
  answer: Answer,
): Promise<Answer> {
  const superseded = answer.body.superseded_by
  if (superseded.length === 0) return answer
  const { viewer } = await resolveAuthor(writer, principal, named)
  const ids = superseded.map((one) => one.old_memory_id)
  const rows = await findMemories(writer, audienceOf(viewer, 'all'), ids)
  const texts = new Map(rows.map(({ id, content }) => [id, content]))
  const previews = superseded.map((one) => {
    const text = texts.get(one.old_memory_id)
    return { ...one, old_content_preview: text === undefined ? null : previewOf(text) }
  })
  return { ...answer, body: { ...answer.body, superseded_by: previews } }
}
