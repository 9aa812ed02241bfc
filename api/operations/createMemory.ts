import { audienceOf } from '../../domain/visibility.js'
import { findMemories } from '../../store/memories/read-memories.js'
import { etagOf } from '../entity-tags.js'
import { resolveAuthor, sawAuthor } from '../memories/author.js'
import { writeOnce } from '../memories/idempotent-write.js'
import { presentMemory } from '../memories/present-memory.js'
import { readDraft } from '../memories/read-draft.js'
import { errorOf, storeDrafts } from '../memories/store-drafts.js'
import type { AnswerOf, Operation } from '../operation.js'

export const createMemory: Operation<'createMemory'> = async (context, principal, { headers, body }) => {
  const drafts = [{ draft: readDraft(body), loc: ['body'] }]
  const request = { route: 'createMemory', key: headers['Idempotency-Key'], body }
  const answer = await writeOnce<AnswerOf<'createMemory'>>(context, principal, request, async (writer) => {
    const acting = await resolveAuthor(writer, principal, body)
    const { outcomes, usage } = await storeDrafts(writer, context, acting, drafts)
    const outcome = outcomes[0]!
    if (outcome.status !== 'created') throw errorOf(outcome)
    // The author sees its own row, whatever the fleet it was written for, and beside it what it may see.
    const [row] = await findMemories(writer, audienceOf(acting.viewer, 'all'), [outcome.id], { even: 'hidden' })
    return { status: 201, headers: { ETag: etagOf(row!) }, body: presentMemory(writer.tenantId, row!, usage) }
  })
  sawAuthor(context, principal, body)
  return answer
}
