import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { memoryTable } from '../memory-table.js'
import { printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Answer = components['schemas']['RecallAnswer']

type Recalled = Answer['memories'][number]

export interface RecallOptions {
  readonly tenant?: string
  readonly topK?: number
  readonly maxTokens?: number
  readonly answerIf?: 'low' | 'high'
  readonly minScore?: number
  readonly agent?: string
  readonly fleet?: readonly string[]
  readonly language?: readonly string[]
  readonly timezone?: string
  readonly now?: string
  readonly filter?: Record<string, unknown>
  readonly knownAt?: string
  readonly json?: boolean
}

export async function recall(service: ServiceClient, query: string, options: RecallOptions): Promise<void> {
  const answer = await service.recall({
    tenant_id: await tenantOf(service, options),
    query,
    top_k: options.topK,
    max_tokens: options.maxTokens,
    answer_if: options.answerIf,
    min_score: options.minScore,
    filter_agent_id: options.agent,
    fleet_ids: options.fleet && [...options.fleet],
    languages: options.language && [...options.language],
    timezone: options.timezone,
    now: options.now,
    filter: options.filter,
    known_at: options.knownAt,
  })
  if (options.json) printJson(answer)
  else console.log(render(answer))
}

function render(answer: Answer): string {
  const { level, value, missing: words } = answer.confidence
  const notes = `${counted(answer.memory_count, 'memory', 'memories')} in ${answer.recall_ms.toFixed(0)} ms`
  const missing = [
    `; confidence ${level} (${value.toFixed(2)})`,
    ...(words.length === 0 ? [] : [`; no memory here has ${words.join(', ')}`]),
    ...(answer.left_out === 0 ? [] : [`; ${answer.left_out} more did not fit`]),
    ...(answer.degraded === null ? [] : [`; without ${answer.degraded}`]),
    ...(answer.not_compared.length === 0 ? [] : [`; nothing to compare by ${answer.not_compared.join(', ')}`]),
  ].join('')
  if (answer.memories.length === 0) return notes + missing
  const score = { head: 'score', width: 7, valueOf: (memory: Recalled) => (memory.score ?? 0).toFixed(3) }
  const table = memoryTable(answer.memories, score, foldedLines)
  return `${table}\n${notes}${missing}`
}

/** Returns a line for what was cut, and for each memory that is folded under this one. */
function foldedLines({ content, content_length: whole, earlier = [], later = [], copies }: Recalled): string[] {
  const line = (which: string) => (member: NonNullable<Recalled['earlier']>[number]) =>
    `${which} (${member.created_at.slice(0, 10)}): ${member.content.replace(/\s+/g, ' ')}`
  return [
    ...(whole === undefined ? [] : [`… (${[...content].length} of ${whole} characters)`]),
    ...later.toReversed().map(line('later')),
    ...earlier.map(line('earlier')),
    ...(copies ? [`said ${counted(copies.count, 'time')} more`] : []),
  ]
}
