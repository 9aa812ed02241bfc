import { InvalidArgumentsError } from '../../runtime/errors.js'
import type { components } from '../contract/contract.gen.js'
import { validateBulkItem } from '../contract/contract.js'
import { resolveAuthor, sawAuthor } from '../memories/author.js'
import { writeOnce } from '../memories/idempotent-write.js'
import { presentUsage } from '../memories/present-memory.js'
import { readDraft } from '../memories/read-draft.js'
import { type DraftOutcome, storeDrafts } from '../memories/store-drafts.js'
import type { AnswerOf, Operation } from '../operation.js'

type BulkItem = components['schemas']['BulkItem']
type BulkResult = components['schemas']['BulkResult']

export const createMemories: Operation<'createMemories'> = async (context, principal, { headers, body }) => {
  refuseForeignFields(body.items)
  const faults = body.items.map((item, index) => validateBulkItem(item, index))
  const sound = body.items.flatMap((item, index) =>
    faults[index]!.length === 0 ? [{ item: item as BulkItem, index }] : [],
  )
  const drafts = sound.map(({ item, index }) => ({ draft: readDraft(item), loc: ['body', 'items', String(index)] }))
  const request = { route: 'createMemories', key: headers['Idempotency-Key'], body }
  const answer = await writeOnce<AnswerOf<'createMemories'>>(context, principal, request, async (writer) => {
    const acting = await resolveAuthor(writer, principal, body)
    const { outcomes, usage } = await storeDrafts(writer, context, acting, drafts)
    const byIndex = new Map(sound.map(({ index }, i) => [index, outcomes[i]!]))
    const results = body.items.map((_, index) => {
      const outcome = byIndex.get(index) ?? {
        status: 'error' as const,
        error: new InvalidArgumentsError(faults[index]!),
      }
      return presentResult(index, outcome)
    })
    const count = (status: BulkResult['status']) => results.filter((result) => result.status === status).length
    const created = count('created')
    return {
      status: created === results.length ? 200 : 207,
      body: { created, duplicates: count('duplicate'), errors: count('error'), results, usage: presentUsage(usage) },
    }
  })
  sawAuthor(context, principal, body)
  return answer
}

/** Agent and fleet are the request's: an item that names its own would be written for somebody else than it says. */
function refuseForeignFields(items: readonly Record<string, unknown>[]): void {
  const errors = items.flatMap((item, index) =>
    ['tenant_id', 'agent_id', 'fleet_id']
      .filter((field) => field in item)
      .map((field) => ({
        loc: ['body', 'items', String(index), field],
        msg: `Stands once, beside items: every item has the request's ${field}.`,
        type: 'extra_forbidden',
      })),
  )
  if (errors.length > 0) throw new InvalidArgumentsError(errors)
}

function presentResult(index: number, outcome: DraftOutcome): BulkResult {
  if (outcome.status !== 'error') return { index, status: outcome.status, id: outcome.id }
  const { code, message, details } = outcome.error
  return { index, status: 'error', error: { code, message, ...(details && { details }) } }
}
