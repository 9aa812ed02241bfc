import Table from 'cli-table3'
import { readFile } from 'node:fs/promises'
import type { components } from '../../contract/contract.gen.js'
import { CommandError } from '../failure.js'
import { printable, printableJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Keystone = components['schemas']['Keystone']

const PATH = '/api/v1/keystones'

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
  const query = { tenant_id: await tenantOf(service, options), fleet_id: options.fleet, agent_id: options.agent }
  const { body } = await service.call<Keystone[]>(PATH, { query, actingAgent: options.as })
  if (options.json) return console.log(printableJson(JSON.stringify(body, null, 2)))
  const width = Math.max(30, (process.stdout.columns || 120) - 60)
  const table = new Table({
    head: ['doc_id', 'weight', 'for', 'version', 'rule'],
    colWidths: [20, 8, 18, 9, width],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const { doc_id, weight, scope, fleet_id, agent_id, version, title, content } of body)
    table.push([printable(doc_id), weight, fleet_id ?? agent_id ?? scope, version, printable(`${title}\n${content}`)])
  console.log(`${table.toString()}\n${body.length} ${body.length === 1 ? 'rule' : 'rules'}`)
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
    throw new CommandError('a rule is for a fleet or for an agent: give --fleet or --agent.')
  const scope = options.fleet !== undefined ? 'fleet' : options.agent !== undefined ? 'agent' : 'tenant'
  const { body } = await service.call<Keystone>(PATH, {
    method: 'POST',
    actingAgent: options.as,
    body: {
      tenant_id: await tenantOf(service, options),
      doc_id: docId,
      title: options.title,
      content: await contentOf(options),
      scope,
      weight: options.weight,
      fleet_id: options.fleet,
      agent_id: options.agent,
    },
  })
  console.log(`Rule ${printable(body.doc_id)} is set, version ${body.version}.`)
}

export async function deleteKeystone(service: ServiceClient, docId: string, options: RuleTarget): Promise<void> {
  const query = { tenant_id: await tenantOf(service, options) }
  await service.call(`${PATH}/${encodeURIComponent(docId)}`, { method: 'DELETE', query, actingAgent: options.as })
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
