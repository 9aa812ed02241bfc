import Table from 'cli-table3'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { firstOf, type MemoryOptions } from './memories.js'
import { tenantOf } from './tenant.js'

type Entity = components['schemas']['Entity']

export type EntityOptions = Pick<MemoryOptions, 'tenant' | 'json'>

export interface EntitiesOptions extends EntityOptions {
  readonly query?: string
  readonly limit: number
}

/** Prints the entities that the key may see, by name, at most `limit`. */
export async function listEntities(service: ServiceClient, options: EntitiesOptions): Promise<void> {
  const found = await firstOf(service, options, (page) => service.listEntities({ ...page, query: options.query }))
  if (options.json) return printJson(found)
  const rows = found.map((one) => [one.id, printable(one.name), one.memory_count, otherNames(one)])
  console.log(
    `${tableOf(['id', 'name', 'memories', 'other names'], rows)}\n${counted(found.length, 'entity', 'entities')}`,
  )
}

/** Prints the entities that may be another name of the same thing, with the memories that say so. */
export async function listProposals(service: ServiceClient, id: string, options: EntityOptions): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const { items } = await service.listAliasProposals({ tenant_id, entity_id: id })
  if (options.json) return printJson(items)
  const rows = items.map(({ entity_id, name, evidence, ambiguous_with: others }) => [
    entity_id,
    printable(name),
    evidence.map(({ reason, memory_id: memory }) => (memory === null ? reason : `${reason}: ${memory}`)).join('\n'),
    others.join('\n'),
  ])
  console.log(`${tableOf(['id', 'name', 'evidence', 'or of'], rows)}\n${counted(items.length, 'proposal')}`)
}

/** Says that an entity is another name of the one `into`. */
export async function mergeEntity(
  service: ServiceClient,
  { id, into }: { readonly id: string; readonly into: string },
  options: EntityOptions,
): Promise<void> {
  const entity = await service.mergeEntity({ tenant_id: await tenantOf(service, options), entity_id: id, into })
  if (options.json) return printJson(entity)
  console.log(`${printable(entity.name)} is one thing with ${otherNames(entity)}.`)
}

/** Undoes a merge of an entity. */
export async function splitEntity(service: ServiceClient, id: string, options: EntityOptions): Promise<void> {
  const entity = await service.splitEntity({ tenant_id: await tenantOf(service, options), entity_id: id })
  if (options.json) return printJson(entity)
  const others = otherNames(entity)
  console.log(`${printable(entity.name)} is a thing of its own${others && `, with ${others}`}.`)
}

function otherNames({ aliases }: Entity): string {
  return printable(aliases.map(({ name }) => name).join(', '))
}

function tableOf(head: string[], rows: (string | number)[][]): string {
  const table = new Table({ head, style: { head: [], border: [] } })
  table.push(...rows)
  return table.toString()
}
