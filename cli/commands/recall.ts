import Table from 'cli-table3'
import type { components } from '../../contract/contract.gen.js'
import { printable, printableJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Answer = components['schemas']['RecallAnswer']

export interface RecallOptions {
  readonly tenant?: string
  readonly topK?: number
  readonly agent?: string
  readonly json?: boolean
}

export async function recall(service: ServiceClient, query: string, options: RecallOptions): Promise<void> {
  const answer = await service.recall({
    tenant_id: await tenantOf(service, options),
    query,
    top_k: options.topK,
    filter_agent_id: options.agent,
  })
  console.log(options.json ? printableJson(JSON.stringify(answer, null, 2)) : render(answer))
}

const NARROW_COLUMNS = [7, 12, 12, 18]

function render(answer: Answer): string {
  const notes = `${answer.memory_count} memories in ${answer.recall_ms.toFixed(0)} ms`
  const missing = answer.degraded === null ? '' : `; without ${answer.degraded}`
  if (answer.memories.length === 0) return notes + missing
  const borders = 8
  const width = Math.max(30, (process.stdout.columns || 120) - NARROW_COLUMNS.reduce((a, b) => a + b) - borders)
  const table = new Table({
    head: ['score', 'created', 'type', 'agent', 'memory'],
    colWidths: [...NARROW_COLUMNS, width],
    wordWrap: true,
    style: { head: [], border: [] },
  })
  for (const memory of answer.memories)
    table.push([
      (memory.score ?? 0).toFixed(3),
      memory.created_at.slice(0, 10),
      memory.memory_type,
      printable(memory.agent_display_name ?? memory.agent_id ?? ''),
      printable(memory.title === null ? memory.content : `${memory.title}\n${memory.content}`),
    ])
  return `${table.toString()}\n${notes}${missing}`
}
