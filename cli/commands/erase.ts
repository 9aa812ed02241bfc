import { createInterface } from 'node:readline/promises'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { CommandError } from '../failure.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Schemas = components['schemas']

export interface EraseOptions {
  readonly tenant?: string
  readonly agent?: string
  readonly entity?: string
  readonly memory?: readonly string[]
  readonly preview?: boolean
  readonly yes?: boolean
  readonly json?: boolean
}

/**
 * Erases memories for good, after it has said how many and was told to. Resolves with 1 where something stays. Without a
 * terminal to ask at, only --yes erases.
 */
export async function erase(admin: ServiceClient, options: EraseOptions): Promise<number> {
  const what = selectorOf(options)
  const tenant_id = await tenantOf(admin, options)
  const preview = (await admin.createErasure({ tenant_id, ...what, preview: true })) as Schemas['ErasurePreview']
  if (options.preview) {
    if (options.json) printJson(preview)
    else console.log(`${countOf(preview)} of tenant ${printable(tenant_id)} would be erased.`)
    return 0
  }
  if (!options.yes) await confirm(`Erase ${countOf(preview)} of tenant ${printable(tenant_id)} for good?`)
  const receipt = (await admin.createErasure({ tenant_id, ...what })) as Schemas['ErasureReceipt']
  if (options.json) printJson(receipt)
  else describe(receipt)
  return receipt.complete ? 0 : 1
}

function selectorOf({ agent, entity, memory = [] }: EraseOptions) {
  const given = [agent, entity, memory.length > 0 ? memory : undefined].filter((one) => one !== undefined)
  if (given.length !== 1) throw new CommandError('give exactly one of --agent, --entity and --memory.', 2)
  if (agent !== undefined) return { agent_id: agent }
  if (entity !== undefined) return { subject_entity_id: entity }
  return { memory_ids: [...memory] }
}

function countOf({ memory_count: count }: { readonly memory_count: number }): string {
  return counted(count, 'memory', 'memories')
}

/** Throws CommandError unless the answer is yes. */
async function confirm(question: string): Promise<void> {
  if (!process.stdin.isTTY) throw new CommandError(`${question} Nothing was erased: repeat the command with --yes.`, 2)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await terminal.question(`${question} (yes/no) `).finally(() => terminal.close())
  if (answer.trim().toLowerCase() !== 'yes') throw new CommandError('nothing was erased.')
}

function describe(receipt: Schemas['ErasureReceipt']): void {
  console.log(`${countOf(receipt)} erased: receipt ${receipt.erasure_id}, ${receipt.hash}`)
  const { reviewed_skill_count: reviewed, withdrawn_skill_count: withdrawn, pending_count: pending } = receipt
  if (reviewed + withdrawn > 0)
    console.log(`Of skills that cited them, ${reviewed} wait for a review and ${withdrawn} are out of service.`)
  if (pending > 0)
    console.log(
      `${counted(pending, 'memory', 'memories')} may be about the entity and are not read yet: repeat the erasure later.`,
    )
  if (!receipt.complete && pending === 0)
    console.log('Something stays, or a place does not answer: verify the erasure later.')
  console.log(`No erasure reaches these: ${receipt.outside.join('; ')}.`)
}
