import { writeFileSync } from 'node:fs'
import { type HttpClient, sendJson } from './http-client.js'
import type { Profile } from './environment.js'
import { type Column, COLUMNS, createFigureTable, type Figures, type FigureTable } from './retrieval-figures.js'
import { round, summarize } from './samples.js'

/** Options that the benches of quality have in common. */
export interface QualityOptions {
  readonly profiles: readonly Profile[]
  readonly topK: number
  /** Least values by column; a figure below its value is a failure. */
  readonly least: Partial<Record<Column, number>>
  /** Settings of the service in addition to those of the profile, such as another model. */
  readonly settings: Readonly<Record<string, string>>
  /** File to which the figures are written as JSON. */
  readonly json?: string | undefined
}

/** An agent with its key. */
export interface Asker {
  readonly tenantId: string
  readonly agentId: string
  readonly fleetId: string
  readonly key: string
}

/** A question about memories that have been written, with what answers it. */
export interface AskedQuestion {
  readonly asker: Asker
  readonly text: string
  readonly category: string
  /** Pieces of evidence, by their names in the data set; never empty. */
  readonly evidence: readonly string[]
  /** The pieces that a memory contains, by its id. */
  readonly evidenceOf: ReadonlyMap<string, readonly string[]>
}

/** Returns, for each rank, how many pieces of evidence it contains that no earlier memory does; see `scoresOf`. */
export function foundBy(ids: readonly string[], { evidence, evidenceOf }: AskedQuestion): number[] {
  const missing = new Set(evidence)
  return ids.map((id) => (evidenceOf.get(id) ?? []).filter((piece) => missing.delete(piece)).length)
}

export interface QualityMeasurement {
  readonly figures: FigureTable
  readonly recallMs: number[]
  readonly degraded: Map<string, number>
  writeMs: number
  written: number
}

export function createQualityMeasurement(): QualityMeasurement {
  return { figures: createFigureTable(), recallMs: [], degraded: new Map(), writeMs: 0, written: 0 }
}

interface BulkWrite {
  readonly tenantId: string
  readonly key: string
  readonly items: readonly object[]
}

/**
 * Writes memories and returns their ids in the order of the items; equal texts are one memory. Throws when one is
 * refused.
 */
export async function writeMemories(
  client: HttpClient,
  { tenantId, key, items }: BulkWrite,
  measured: QualityMeasurement,
): Promise<string[]> {
  const call = { method: 'POST', path: '/api/v1/memories/bulk', key, body: { tenant_id: tenantId, items } }
  const { value, ms } = await sendJson<{ results: { index: number; id?: string; error?: { message: string } }[] }>(
    client,
    call,
  )
  measured.writeMs += ms
  measured.written += items.length
  return value.results
    .sort((a, b) => a.index - b.index)
    .map(({ index, id, error }) => {
      if (id === undefined) throw new Error(`memory ${index} of a write was refused: ${error?.message}`)
      return id
    })
}

/** Sends one recall for each question, one after the other, each with its asker's key. */
export async function recallAll(
  client: HttpClient,
  questions: readonly AskedQuestion[],
  topK: number,
  measured: QualityMeasurement,
): Promise<void> {
  for (const question of questions) {
    const { tenantId, key } = question.asker
    const body = { tenant_id: tenantId, query: question.text, top_k: topK }
    const call = { method: 'POST', path: '/api/v1/recall', key, body }
    const { value, ms } = await sendJson<{ memories: { id: string }[]; degraded: string | null }>(client, call)
    measured.recallMs.push(ms)
    if (value.degraded !== null) measured.degraded.set(value.degraded, (measured.degraded.get(value.degraded) ?? 0) + 1)
    const ids = value.memories.map(({ id }) => id)
    measured.figures.add(question.category, foundBy(ids, question), question.evidence.length)
  }
}

/**
 * Prints the figures of each profile, and writes them where the options say. Returns false when a figure is too low.
 */
export function reportQuality(
  name: string,
  results: ReadonlyMap<Profile, QualityMeasurement>,
  options: QualityOptions,
): boolean {
  const written: Record<string, unknown> = {}
  let reached = true
  for (const [profile, measured] of results) {
    const table = measured.figures.rows()
    const speed = speedOf(measured)
    console.log(`\n${name}, ${profile}`)
    console.table(table)
    console.log(JSON.stringify(speed))
    reached = reportMissed(profile, table.all!, options.least) && reached
    written[profile] = { table, speed }
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(written, null, 2)}\n`)
  return reached
}

export function speedOf({ recallMs, degraded, writeMs, written }: QualityMeasurement) {
  const { p50, p95 } = summarize(recallMs)
  return {
    written,
    writes_per_s: Math.round((written / writeMs) * 1000),
    recall_p50_ms: round(p50, 1),
    recall_p95_ms: round(p95, 1),
    degraded: Object.fromEntries(degraded),
  }
}

export function reportMissed(profile: Profile, all: Figures, least: QualityOptions['least']): boolean {
  console.log(
    `${profile}: ${COLUMNS.map((column) => `${column} ${all[column]}`).join(' ')} over ${all.questions} questions`,
  )
  const missed = COLUMNS.filter((column) => all[column] < (least[column] ?? 0))
  for (const column of missed) console.log(`MISSED: ${column} ${all[column]} is below ${least[column]}`)
  return missed.length === 0
}
