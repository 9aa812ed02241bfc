import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Cleanup } from './cleanup.js'
import { sendJson } from './http-client.js'
import { type Conversation, readLocomo } from './locomo-file.js'
import { makePlace, type Profile } from './place.js'
import { createFigureTable, type Figures, type FigureTable } from './retrieval-figures.js'
import { round, summarize } from './samples.js'
import { mintKey, type Service, startService, untilIndexed } from './service.js'

export interface LocomoOptions {
  readonly data: string
  readonly profiles: readonly Profile[]
  readonly topK: number
  /** Least values, by column; missing one is a failure. */
  readonly least: Partial<Record<Column, number>>
  /** Where the figures are written as JSON. */
  readonly json?: string | undefined
}

export const COLUMNS = ['R@5', 'R@10', 'N@5', 'N@10'] as const
export type Column = (typeof COLUMNS)[number]

interface Measured {
  readonly figures: FigureTable
  readonly recallMs: number[]
  readonly degraded: Map<string, number>
  writeMs: number
  written: number
}

/**
 * Recall quality on LoCoMo's conversations through the public interface. Each conversation is a new tenant, each turn one
 * memory, each question one recall once the index holds the conversation. Resolves to false when a figure is too low.
 */
export async function benchLocomo(options: LocomoOptions, cleanup: Cleanup): Promise<boolean> {
  const conversations = readLocomo(options.data)
  const results: Record<string, unknown> = {}
  let reached = true
  for (const profile of options.profiles) {
    const service = await startService(await makePlace(profile, cleanup), { cleanup })
    const measured: Measured = {
      figures: createFigureTable(),
      recallMs: [],
      degraded: new Map(),
      writeMs: 0,
      written: 0,
    }
    for (const conversation of conversations) await measure(service, conversation, options.topK, measured)
    await service.stop()
    const table = measured.figures.rows()
    const speed = speedOf(measured)
    console.log(`\nlocomo, ${profile}`)
    console.table(table)
    console.log(JSON.stringify(speed))
    reached = tellMissed(profile, table.all!, options.least) && reached
    results[profile] = { table, speed }
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
  return reached
}

async function measure(service: Service, conversation: Conversation, topK: number, measured: Measured): Promise<void> {
  const tenant = `locomo-${conversation.id}-${randomUUID().slice(0, 8)}`
  const key = await mintKey(service, tenant, 'recorder')
  const turnsOf = await writeTurns(service, { tenant, key }, conversation, measured)
  await untilIndexed(service, tenant)
  for (const { text, category, evidence } of conversation.questions) {
    const body = { tenant_id: tenant, query: text, top_k: topK }
    const call = { method: 'POST', path: '/api/v1/recall', key, body }
    const { value, ms } = await sendJson<{ memories: { id: string }[]; degraded: string | null }>(service.client, call)
    measured.recallMs.push(ms)
    if (value.degraded !== null) measured.degraded.set(value.degraded, (measured.degraded.get(value.degraded) ?? 0) + 1)
    const missing = new Set(evidence)
    const found = value.memories.map(({ id }) => (turnsOf.get(id) ?? []).filter((turn) => missing.delete(turn)).length)
    measured.figures.add(category, found, evidence.length)
  }
}

/** Turns by the id of the memory that holds them: turns of the same text are one memory. */
async function writeTurns(
  service: Service,
  { tenant, key }: { tenant: string; key: string },
  conversation: Conversation,
  measured: Measured,
): Promise<Map<string, string[]>> {
  const turnsOf = new Map<string, string[]>()
  for (const { number, at, turns } of conversation.sessions) {
    const items = turns.map((turn, i) => ({
      content: `${turn.speaker} said, "${turn.text}"${turn.caption ? ` and shared ${turn.caption}` : ''}`,
      memory_type: 'episode',
      run_id: `${conversation.id}-session-${number}`,
      ts_valid_start: new Date(at + i * 1000).toISOString(),
      metadata: { dia_id: turn.id },
    }))
    const body = { tenant_id: tenant, agent_id: 'recorder', items }
    const call = { method: 'POST', path: '/api/v1/memories/bulk', key, body }
    const { value, ms } = await sendJson<{ results: { index: number; id?: string }[] }>(service.client, call)
    measured.writeMs += ms
    measured.written += items.length
    for (const { index, id } of value.results) {
      if (id === undefined) throw new Error(`turn ${turns[index]?.id} of ${conversation.id} was refused`)
      turnsOf.set(id, [...(turnsOf.get(id) ?? []), turns[index]!.id])
    }
  }
  return turnsOf
}

function speedOf({ recallMs, degraded, writeMs, written }: Measured) {
  const { p50, p95 } = summarize(recallMs)
  return {
    written,
    writes_per_s: Math.round((written / writeMs) * 1000),
    recall_p50_ms: round(p50, 1),
    recall_p95_ms: round(p95, 1),
    degraded: Object.fromEntries(degraded),
  }
}

function tellMissed(profile: Profile, all: Figures, least: LocomoOptions['least']): boolean {
  console.log(
    `${profile}: ${COLUMNS.map((column) => `${column} ${all[column]}`).join(' ')} over ${all.questions} questions`,
  )
  const missed = COLUMNS.filter((column) => all[column] < (least[column] ?? 0))
  for (const column of missed) console.log(`MISSED: ${column} ${all[column]} is below ${least[column]}`)
  return missed.length === 0
}
