import { InvalidRequestError, itemErrorOf } from '../../http/errors.js'
import { markReplay } from '../../http/operation.js'
import type { Checked, components } from '../../contract/types.js'
import { refuseBeyondBacklog } from '../../services/indexing/refuse-beyond-backlog.js'
import { resolveAuthor, touchAuthor } from '../../services/access/author.js'
import { writeOnce } from '../../services/memories/idempotent-write.js'
import { presentUsage } from './present-memory.js'
import { readDraft } from './read-draft.js'
import { type DraftOutcome, storeDrafts } from '../../services/memories/store-drafts.js'
import type { AnswerOf, Operation } from '../operation.js'

type BulkItem = Checked<'BulkItem'>
type BulkResult = components['schemas']['BulkResult']

export const createMemories: Operation<'createMemories'> = async (context, principal, input) => {
  const { headers, body, itemFaults: faults, signal } = input
  const validItems = body.items.flatMap((item, index) =>
    faults[index]!.length === 0 ? [{ item: item as BulkItem, index }] : [],
  )
  const drafts = validItems.map(({ item, index }) => ({
    draft: readDraft(item),
    path: ['items', String(index)],
  }))
  await refuseBeyondBacklog(context, principal.tenantId, 'memories')
  const request = { route: 'createMemories', key: headers['Idempotency-Key'], body }
  const { answer, isReplay } = await writeOnce<AnswerOf<'createMemories'>>(
    context,
    principal,
    request,
    async (writer) => {
      const acting = await resolveAuthor(writer, principal, body)
      const { outcomes, usage } = await storeDrafts(writer, context, acting, drafts, signal)
      const byIndex = new Map(validItems.map(({ index }, i) => [index, outcomes[i]!]))
      const results = body.items.map((_, index) => {
        const outcome = byIndex.get(index) ?? {
          status: 'error' as const,
          error: new InvalidRequestError(faults[index]!),
        }
        return presentResult(index, outcome)
      })
      const count = (status: BulkResult['status']) => results.filter((result) => result.status === status).length
      const created = count('created')
      return {
        status: created === results.length ? 200 : 207,
        body: { created, duplicates: count('duplicate'), errors: count('error'), results, usage: presentUsage(usage) },
      }
    },
  )
  touchAuthor(context, principal, body)
  return isReplay ? markReplay(answer) : answer
}

function presentResult(index: number, outcome: DraftOutcome): BulkResult {
  if (outcome.status !== 'error') return { index, status: outcome.status, id: outcome.id }
  return { index, status: 'error', error: itemErrorOf(outcome.error) }
}
