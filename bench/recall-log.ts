import type { ServiceContext } from '../services/context.js'
import { recallAs, withoutRecallCounts } from './ablation.js'
import type { Cleanup } from './cleanup.js'
import { createBenchClock, startComposed } from './composed.js'
import { type TenantQuestion, type FleetSize, loadFleet, questionsOf, untilTailIsEmpty } from './fleet.js'
import { createNoise } from './noise.js'
import { createEnvironment, type Profile } from './environment.js'
import { ratioOf, round, timesRow } from './samples.js'

interface RecallLogOptions extends FleetSize {
  readonly profiles: readonly Profile[]
}

/** Number of recalls of one kind in a row: they take long enough for the records of most to be written meanwhile. */
const BLOCK = 100

/**
 * Runs recall's own operation in this process with and without the record of the results, in alternation. The record is
 * written after the answer, so that it slows the recalls that come meanwhile.
 */
export async function benchRecallLog(options: RecallLogOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const service = await startComposed(await createEnvironment(profile, cleanup), cleanup, createBenchClock())
    const tenants = await loadFleet(service, options)
    await untilTailIsEmpty(service, tenants)
    const asked = questionsOf(tenants)
    const [kept, unkept] = [createSide(service.context), createSide(withoutRecallCounts(service.context))]
    const noise = createNoise()
    for (const question of asked.slice(0, BLOCK)) await recallIn(service.context, question)
    for (let start = 0; start < asked.length; start += BLOCK) {
      noise.sample()
      await ((start / BLOCK) % 2 === 0 ? kept : unkept).ask(asked.slice(start, start + BLOCK))
    }
    console.log(`\nrecall with and without its record, ${profile}`)
    console.table({ kept: kept.row(), 'not kept': unkept.row() })
    const { p50, p95 } = ratioOf(kept.times, unkept.times)
    console.log(`ratio: p50 ${p50}, p95 ${p95}; cpu ${round(kept.cpuMs() / unkept.cpuMs())}`)
    console.log('noise', noise.summary())
    await service.stop()
  }
}

function createSide(context: ServiceContext) {
  const times: number[] = []
  let cpu = 0
  const cpuMs = () => cpu / times.length
  return {
    times,
    /** Milliseconds of CPU per recall, over all threads of this process. */
    cpuMs,
    async ask(questions: readonly TenantQuestion[]): Promise<void> {
      const before = process.cpuUsage()
      for (const question of questions) {
        const started = performance.now()
        await recallIn(context, question)
        times.push(performance.now() - started)
      }
      const { user, system } = process.cpuUsage(before)
      cpu += (user + system) / 1_000
    },
    row: () => ({ ...timesRow(times), 'cpu ms': round(cpuMs()) }),
  }
}

async function recallIn(context: ServiceContext, { tenant, question }: TenantQuestion): Promise<void> {
  const { degraded } = await recallAs(
    context,
    { tenantId: tenant.id, agentId: tenant.agentId, fleetId: 'bench' },
    { query: question },
  )
  if (degraded !== null) throw new Error(`a recall was degraded: ${degraded}`)
}
