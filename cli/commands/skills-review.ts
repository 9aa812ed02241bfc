import { readFile } from 'node:fs/promises'
import type { Arguments } from '../../client/index.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import type { SkillOptions } from './skills-read.js'
import { tenantOf } from './tenant.js'

export interface ReviewOptions extends SkillOptions {
  readonly reason?: string
  /** Content hash of the version that the reviewer saw. */
  readonly hash?: string
  /** Number of the version that the reviewer saw: its other texts are not part of the hash. */
  readonly seen?: number
}

type ReviewAction = 'approve' | 'reject' | 'quarantine' | 'defer' | 'restore' | 'overrule'
type ReviewOperation = `${ReviewAction}Skill` | 'editSkill' | 'retireSkill' | 'rollbackSkill'

export function reviewSkill(
  service: ServiceClient,
  action: ReviewAction,
  slug: string,
  options: ReviewOptions & { readonly cooloffDays?: number },
): Promise<void> {
  return send(service, `${action}Skill`, slug, options, {
    cooloff_days: options.cooloffDays,
  })
}

export interface EditOptions extends ReviewOptions {
  readonly file?: string
  readonly description?: string
  readonly summary?: string
}

export async function editSkill(service: ServiceClient, slug: string, options: EditOptions): Promise<void> {
  const { file, description, summary } = options
  if (file === undefined && description === undefined && summary === undefined)
    throw new CommandError('give --file, --description or --summary, or several of them.', 2)
  await send(service, 'editSkill', slug, options, {
    content: file === undefined ? undefined : await contentOf(file),
    description,
    summary,
  })
}

export function retireSkill(service: ServiceClient, slug: string, options: ReviewOptions): Promise<void> {
  return send(service, 'retireSkill', slug, options, {})
}

export function rollbackSkill(
  service: ServiceClient,
  slug: string,
  version: number,
  options: ReviewOptions,
): Promise<void> {
  return send(service, 'rollbackSkill', slug, options, { version })
}

async function send(
  service: ServiceClient,
  operation: ReviewOperation,
  slug: string,
  options: ReviewOptions,
  fields: Readonly<Record<string, unknown>>,
): Promise<void> {
  const given = { reason: options.reason, content_hash: options.hash, version: options.seen, ...fields }
  const args = { slug, tenant_id: await tenantOf(service, options), ...given } as Arguments<ReviewOperation>
  const { body } = await service.request(operation, args, { agentId: options.as })
  const { doc_id, version, previous_status, new_status, detail } = body
  console.log(printable(`${doc_id}, version ${version}: ${previous_status} → ${new_status}. ${detail}`))
}

async function contentOf(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${error.code}).`)
  })
}
