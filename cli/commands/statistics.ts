import Table from 'cli-table3'
import type { components, operations } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import type { MemoryOptions } from './memories.js'
import { tenantOf } from './tenant.js'

type Query = NonNullable<operations['getMemoryStats']['parameters']['query']>
type Statistics = components['schemas']['MemoryStats']

export interface StatisticsOptions extends MemoryOptions {
  readonly scope?: Query['scope']
  readonly type?: Query['memory_type']
  readonly status?: Query['status']
}

/** Prints how many memories there are, by type, author and status. */
export async function showStatistics(service: ServiceClient, options: StatisticsOptions): Promise<void> {
  const counts = await service.getMemoryStats({
    tenant_id: await tenantOf(service, options),
    agent_id: options.agent,
    fleet_id: options.fleet,
    scope: options.scope,
    memory_type: options.type,
    status: options.status,
  })
  if (options.json) return printJson(counts)
  const table = new Table({ head: ['by', '', 'memories'], style: { head: [], border: [] } })
  for (const [by, key] of PARTS)
    for (const [name, count] of Object.entries(counts[key]).sort(([, a], [, b]) => b - a))
      table.push([by, printable(name), count])
  const total = counted(counts.total, 'memory', 'memories')
  console.log(counts.total === 0 ? total : `${table.toString()}\n${total}`)
}

const PARTS = [
  ['type', 'by_type'],
  ['agent', 'by_agent'],
  ['status', 'by_status'],
] as const satisfies readonly (readonly [string, keyof Statistics])[]
