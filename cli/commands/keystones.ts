import Table from 'cli-table3'
import { readFile } from 'node:fs/promises'
import type { components } from '../../contract/types.js'
import { CommandError } from '../failure.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Keystone = components['schemas']['Keystone']

interface RuleTarget {
  readonly tenant?: string
  /** The acting agent, for a tenant key. */
  readonly as?: string
}

export interface ListOptions extends RuleTarget {
  readonly fleet?: string
  readonly agent?: string
  readonly json?: boolean
}

export async function listKeystones(service: ServiceClient, options: ListOptions): Promise<void> {
  const rules = await service.listKeystones(
    { tenant_id: await tenantOf(service, options), fleet_id: options.fleet, agent_id: options.agent },
    { agentId: options.as },
  )
  if (options.json) return printJson(rules)
  const width = Math.max(30, (process.stdout.columns || 120) - 60)
  const table = new Table({
    head: ['doc_id', 'weight', 'for', 'version', 'rule'],
    colWidths: [20, 8, 18, 9, width],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const { doc_id, weight, scope, fleet_id, agent_id, version, title, content } of rules)
    table.push([printable(doc_id), weight, fleet_id ?? agent_id ?? scope, version, printable(`${title}\n${content}`)])
  console.log(`${table.toString()}\n${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`)
}

export interface SetOptions extends RuleTarget {
  readonly title: string
  readonly content?: string
  readonly file?: string
  readonly weight: Keystone['weight']
  readonly fleet?: string
  readonly agent?: string
}

/** Writes a rule. Its scope follows from --fleet and --agent. */
export async function setKeystone(service: ServiceClient, docId: string, options: SetOptions): Promise<void> {
  if (options.fleet !== undefined && options.agent !== undefined)
    throw new CommandError('a rule is for a fleet or for an agent, not for both: give --fleet or --agent.')
  const scope = options.fleet !== undefined ? 'fleet' : options.agent !== undefined ? 'agent' : 'tenant'
  const rule = await service.setKeystone(
    {
      tenant_id: await tenantOf(service, options),
      doc_id: docId,
      title: options.title,
      content: await contentOf(options),
      scope,
      weight: options.weight,
      fleet_id: options.fleet,
      agent_id: options.agent,
    },
    { agentId: options.as },
  )
  console.log(`Rule ${printable(rule.doc_id)} is set, version ${rule.version}.`)
}

export async function deleteKeystone(service: ServiceClient, docId: string, options: RuleTarget): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  await service.deleteKeystone({ tenant_id, doc_id: docId }, { agentId: options.as })
  console.log(`Rule ${printable(docId)} is deleted.`)
}

async function contentOf({ content, file }: SetOptions): Promise<string> {
  if (content !== undefined && file === undefined) return content
  if (file === undefined || content !== undefined)
    throw new CommandError('the text of the rule is needed: give --content or --file.')
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${error.code}).`)
  })
}
