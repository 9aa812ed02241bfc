import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { memoryTable } from '../memory-table.js'
import { printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Answer = components['schemas']['RecallAnswer']

export interface RecallOptions {
  readonly tenant?: string
  readonly topK?: number
  readonly minScore?: number
  readonly agent?: string
  readonly fleet?: readonly string[]
  readonly language?: readonly string[]
  readonly timezone?: string
  readonly now?: string
  readonly json?: boolean
}

export async function recall(service: ServiceClient, query: string, options: RecallOptions): Promise<void> {
  const answer = await service.recall({
    tenant_id: await tenantOf(service, options),
    query,
    top_k: options.topK,
    min_score: options.minScore,
    filter_agent_id: options.agent,
    fleet_ids: options.fleet && [...options.fleet],
    languages: options.language && [...options.language],
    timezone: options.timezone,
    now: options.now,
  })
  if (options.json) printJson(answer)
  else console.log(render(answer))
}

function render(answer: Answer): string {
  const notes = `${counted(answer.memory_count, 'memory', 'memories')} in ${answer.recall_ms.toFixed(0)} ms`
  const missing = [
    ...(answer.degraded === null ? [] : [`; without ${answer.degraded}`]),
    ...(answer.not_compared.length === 0 ? [] : [`; nothing to compare by ${answer.not_compared.join(', ')}`]),
  ].join('')
  if (answer.memories.length === 0) return notes + missing
  const table = memoryTable(answer.memories, {
    head: 'score',
    width: 7,
    valueOf: ({ score }) => (score ?? 0).toFixed(3),
  })
  return `${table}\n${notes}${missing}`
}
