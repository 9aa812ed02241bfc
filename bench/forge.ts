import { proposeSkills } from '../domain/forge/propose.js'
import { freshnessWindow } from '../domain/forge/traces.js'
import { createStaticEmbedder } from '../models/static-embedder.js'
import { type ForgeFigures, measureForge } from './forge-fleet/figures.js'
import { DATA_BOOK } from './forge-fleet/data-book.js'
import { DATABASE_BOOK } from './forge-fleet/database-book.js'
import { LAB_BOOK } from './forge-fleet/lab-book.js'
import { loadOf } from './forge-fleet/load.js'
import { OFFICE_BOOK } from './forge-fleet/office-book.js'
import { plantFleet } from './forge-fleet/plant.js'
import { PLATFORM_BOOK } from './forge-fleet/platform-book.js'
import type { ForgeFleet } from './forge-fleet/shape.js'
import { SUPPORT_BOOK } from './forge-fleet/support-book.js'

interface ForgeOptions {
  /** Number of seeds of each fleet. */
  readonly seeds: number
  /** Numbers of traces of one tick whose time is measured. */
  readonly sizes: readonly number[]
  /** Gives memories the vectors of the built-in embedder. */
  readonly vectors: boolean
  readonly minPrecision: number
  readonly minRecall: number
  readonly minSteps: number
}

const FLEETS: readonly (readonly [name: string, plant: (seed: number) => ForgeFleet])[] = [
  ['platform', (seed) => plantFleet(PLATFORM_BOOK, seed)],
  ['office', (seed) => plantFleet(OFFICE_BOOK, seed)],
  ['database', (seed) => plantFleet(DATABASE_BOOK, seed)],
  ['support', (seed) => plantFleet(SUPPORT_BOOK, seed)],
  ['data', (seed) => plantFleet(DATA_BOOK, seed)],
  ['lab', (seed) => plantFleet(LAB_BOOK, seed)],
]
const WINDOW_DAYS = 14
const LIMITS = { descriptionMaxBytes: 160, contentMaxBytes: 40_000 }

/**
 * Compares what the Forge finds in synthetic fleets with the workflows that were planted there, and measures ticks over many
 * traces. Resolves to false when a figure is too low, or when a skill is there twice, cites what is forbidden, has words of
 * its own or changes at a second tick.
 */
export async function benchForge(options: ForgeOptions): Promise<boolean> {
  const embed = options.vectors ? await embedding() : async () => undefined
  let isGood = true
  for (const [name, plant] of FLEETS) {
    const rows: Record<string, ForgeFigures> = {}
    for (let seed = 1; seed <= options.seeds; seed++) {
      const fleet = plant(seed)
      const { figures, judged } = measureForge(fleet, await embed(fleet))
      rows[`seed ${seed}`] = rounded(figures)
      for (const { target, forbidden } of judged) if (forbidden.length > 0) console.log(name, seed, target, forbidden)
      isGood &&= isGoodEnough(figures, options)
    }
    console.log(`${name} fleet, ${options.vectors ? 'with the built-in vectors' : 'without vectors'}`)
    console.table(rows)
  }
  if (options.sizes.length > 0) console.table(Object.fromEntries(options.sizes.map((size) => [size, timeOf(size)])))
  return isGood
}

async function embedding() {
  const embedder = await createStaticEmbedder()
  return async ({ memories }: ForgeFleet): Promise<ReadonlyMap<string, Float32Array>> => {
    const vectors = await embedder.embed(
      memories.map(({ memory }) => memory.content),
      'passage',
    )
    return new Map(memories.map(({ memory }, i) => [memory.id, vectors[i]!]))
  }
}

function isGoodEnough(figures: ForgeFigures, { minPrecision, minRecall, minSteps }: ForgeOptions): boolean {
  const { precision, recall, steps, duplicates, forbidden, newWords, changes } = figures
  return (
    precision >= minPrecision &&
    recall >= minRecall &&
    steps >= minSteps &&
    duplicates + forbidden + newWords + changes === 0
  )
}

function rounded(figures: ForgeFigures): ForgeFigures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]: [string, number]) => [name, Math.round(value * 1_000) / 1_000]),
  ) as unknown as ForgeFigures
}

/** Measures one tick over so many traces of one fleet. */
function timeOf(size: number) {
  const { memories, now } = loadOf(size)
  globalThis.gc?.()
  const before = process.memoryUsage().heapUsed
  const started = performance.now()
  const parts = proposeSkills(memories, freshnessWindow(now, WINDOW_DAYS), LIMITS)
  const seconds = (performance.now() - started) / 1_000
  const heap = process.memoryUsage().heapUsed - before
  const skills = parts.reduce((sum, { proposals }) => sum + proposals.length, 0)
  return {
    memories: memories.length,
    seconds: Math.round(seconds * 10) / 10,
    'heap MB': Math.round(heap / 1e6),
    skills,
  }
}
