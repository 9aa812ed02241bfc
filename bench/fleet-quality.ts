import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isOverdue, findTenantsWith } from '../store/memories/lifecycle.js'
import type { Cleanup } from './cleanup.js'
import { type BenchClock, type ComposedService, createBenchClock, startComposed } from './composed.js'
import { createFleetSet } from './fleet-set/fleet-set.js'
import type { FleetSet, SetMemory } from './fleet-set/shape.js'
import { createEnvironment, type Profile } from './environment.js'
import {
  type AskedQuestion,
  type Asker,
  recallAll,
  createQualityMeasurement,
  type QualityMeasurement,
  type QualityOptions,
  reportQuality,
  writeMemories,
} from './quality.js'
import { mintKey, untilIndexed } from './service.js'

interface FleetQualityOptions extends QualityOptions {
  readonly seed: number
}

/**
 * Measures recall quality on the synthetic fleet set through the public interface. The service runs in this process,
 * because its clock must show the day on which the set's questions are asked ("last Thursday"). Resolves to false when
 * a figure is too low.
 */
export async function benchFleet(options: FleetQualityOptions, cleanup: Cleanup): Promise<boolean> {
  const set = createFleetSet(options.seed)
  const results = new Map<Profile, QualityMeasurement>()
  for (const profile of options.profiles) {
    const clock = createBenchClock()
    const service = await startComposed(await createEnvironment(profile, cleanup, options.settings), cleanup, clock)
    const measured = createQualityMeasurement()
    results.set(profile, measured)
    const questions = await loadFleetSet(service, clock, set, measured)
    await recallAll(service.client, questions, options.topK, measured)
    await service.stop()
  }
  return reportQuality(`fleet set, seed ${options.seed}`, results, options)
}

/**
 * Writes the set as a new tenant's memories, each agent its own, week by week with the clock at the end of the week, so
 * that memories are as old as they claim. Resolves to the questions once the clock shows their day, what has ended by
 * then is outdated, and the index holds everything.
 */
export async function loadFleetSet(
  service: ComposedService,
  clock: BenchClock,
  set: FleetSet,
  measured: QualityMeasurement,
): Promise<AskedQuestion[]> {
  const tenantId = `fleet-set-${randomUUID().slice(0, 8)}`
  const askers = new Map<string, Asker>()
  for (const { id: agentId, fleetId } of set.agents) {
    const key = await mintKey(service, tenantId, agentId, fleetId)
    askers.set(agentId, { tenantId, agentId, fleetId, key })
  }
  const evidenceOf = new Map<string, string[]>()
  for (const { writtenAt, memories } of batchesOf(set)) {
    clock.moveTo(writtenAt)
    const { key } = askers.get(memories[0]!.agent.id)!
    const items = memories.map(({ item }) => item)
    const ids = await writeMemories(service.client, { tenantId, key, items }, measured)
    ids.forEach((id, i) => evidenceOf.set(id, [...(evidenceOf.get(id) ?? []), memories[i]!.key]))
  }
  clock.moveTo(set.today)
  await untilOutdated(service, clock)
  await untilIndexed(service, tenantId)
  return set.questions.map(({ text, category, evidence, asker }) => {
    return { text, category, evidence, asker: askers.get(asker.id)!, evidenceOf }
  })
}

/**
 * Waits for a round of the lifecycle worker, which runs once a minute: its changes must not depend on how long the
 * loading took.
 */
async function untilOutdated({ context }: ComposedService, clock: BenchClock): Promise<void> {
  const due = isOverdue(new Date(clock.now()))
  while ((await context.store.asSystem((system) => findTenantsWith(system, due))).length > 0) await sleep(1_000)
}

const WEEK_MS = 7 * 86_400_000

interface Batch {
  readonly writtenAt: number
  readonly memories: SetMemory[]
}

/** Returns batches of one agent and one week each, in order of time. */
function batchesOf({ memories, today }: FleetSet): Batch[] {
  const batches = new Map<string, Batch>()
  for (const memory of memories) {
    const week = Math.floor((today - Date.parse(memory.item.ts_valid_start)) / WEEK_MS)
    const key = `${week} ${memory.agent.id}`
    const batch = batches.get(key) ?? { writtenAt: today - week * WEEK_MS, memories: [] }
    batch.memories.push(memory)
    batches.set(key, batch)
  }
  return [...batches.values()].sort((a, b) => a.writtenAt - b.writtenAt)
}
