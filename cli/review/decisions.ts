import type { components } from '../../contract/types.js'
import { type Arguments, ConflictError, InvalidArgumentsError, NotFoundError } from '../../client/index.js'
import { printable } from '../printable.js'
import { describeRefusal } from '../refusals.js'
import type { ServiceClient } from '../service-client.js'

type InboxSkill = components['schemas']['InboxSkill']

/** Something that a reviewer decides by one key. */
export interface Decision {
  readonly key: string
  readonly name: string
  readonly operation: 'approveSkill' | 'rejectSkill' | 'overruleSkill' | 'deferSkill'
  /** Statuses of versions that it is about. */
  readonly from: readonly InboxSkill['status'][]
  readonly needsReason: boolean
  readonly help: string
  /** The summary's word for it. */
  readonly done: string
}

export const DECISIONS: readonly Decision[] = [
  {
    key: 'a',
    name: 'approve',
    operation: 'approveSkill',
    from: ['staged'],
    needsReason: false,
    help: 'make it active, after another scan',
    done: 'approved',
  },
  {
    key: 'r',
    name: 'reject',
    operation: 'rejectSkill',
    from: ['staged', 'quarantined'],
    needsReason: true,
    help: 'refuse it, and for some time any skill like it; asks for the reason',
    done: 'rejected',
  },
  {
    key: 'o',
    name: 'overrule',
    operation: 'overruleSkill',
    from: ['quarantined'],
    needsReason: true,
    help: 'stage it in spite of what the scan found; asks for the reason',
    done: 'overruled',
  },
  {
    key: 'd',
    name: 'defer',
    operation: 'deferSkill',
    from: ['staged'],
    needsReason: false,
    help: 'move it to the end',
    done: 'deferred',
  },
]

/** The end of a decision. */
export interface Outcome {
  /** Goes to the next skill, shows this one once more, or asks for another key. */
  readonly then: 'next' | 'again' | 'ask'
  readonly isDecided: boolean
  /** A sentence for the reviewer. */
  readonly says: string
}

/** Sends a decision about exactly the version that was shown. */
export async function decide(
  service: ServiceClient,
  { operation }: Decision,
  skill: InboxSkill,
  { tenant_id, reason, agentId }: { readonly tenant_id: string; readonly reason?: string; readonly agentId?: string },
): Promise<Outcome> {
  const { doc_id, version, content_hash } = skill
  const args = { tenant_id, slug: doc_id, version, content_hash, reason } as Arguments<typeof operation>
  try {
    const { body } = await service.request(operation, args, { agentId })
    const { previous_status, new_status, detail } = body
    const says = printable(`${doc_id}, version ${body.version}: ${previous_status} → ${new_status}. ${detail}`)
    // What was overruled waits for its approval now.
    return { then: operation === 'overruleSkill' ? 'again' : 'next', isDecided: true, says }
  } catch (error) {
    if (error instanceof NotFoundError) return { then: 'next', isDecided: false, says: describeGone(doc_id) }
    const isRefused = error instanceof InvalidArgumentsError
    if (!isRefused && !(error instanceof ConflictError)) throw error
    const says = `Nothing was decided. ${describeRefusal(error, { reason: 'The reason' })}`
    return { then: isRefused ? 'ask' : 'again', isDecided: false, says }
  }
}

/** Returns the sentence about a skill on which somebody else decided. */
export function describeGone(docId: string): string {
  return printable(`${docId} does not wait any more.`)
}
