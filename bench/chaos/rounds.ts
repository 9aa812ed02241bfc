import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from '../cleanup.js'
import type { Profile } from '../environment.js'
import { createRandom } from '../random.js'
import { mintTenants } from './tenants.js'
import type { InjectedFault } from './faults.js'
import { Ledger } from './ledger.js'
import { Load, type ObservedAnswers, type Tenant } from './load.js'
import { startOwnServices } from './services.js'
import { startSystem, type System } from './system.js'
import { untilHealthy, verify, type Verdict } from './verify.js'

interface RoundOptions {
  readonly profile: Profile
  readonly rounds: number
  readonly faults: readonly InjectedFault[]
  readonly seed: number
  readonly log?: string
}

/** The findings of one round. */
interface Round extends Verdict {
  readonly fault: string
  readonly seen: ObservedAnswers
  /** Milliseconds from the end of the fault until the service was healthy; null when that exceeded the limit. */
  readonly healthyMs: number | null
}

const TENANTS = 3
/** Milliseconds of load before each fault. */
const BEFORE_MS = 2_000
const HEALTHY_LIMIT_MS = 180_000
/** Number of memories recalled after each round, and at the end. */
const SAMPLE = { round: 90, end: 1_500 }

/** Runs the rounds and prints the findings. Resolves to true when nothing was wrong. */
export async function runRounds(options: RoundOptions, cleanup: Cleanup): Promise<boolean> {
  const random = createRandom(options.seed)
  if (options.profile === 'scaled') startOwnServices(cleanup)
  const system = await startSystem(options.profile, cleanup)
  const tenants = await mintTenants(system, TENANTS)
  const ledger = new Ledger()
  const load = new Load({ tenants, urls: () => system.urls(), ledger, seed: options.seed })
  load.start()
  const rounds: Round[] = []
  const checked = { system, tenants, ledger, load }
  for (let i = 0; i < options.rounds; i++) {
    const fault = options.faults[i % options.faults.length]!
    const found = await runRound(fault, checked)
    await load.pause()
    const verdict = await verify(system.urls()[0]!, tenants, ledger, { random, sample: SAMPLE.round })
    load.resume()
    rounds.push({ fault: fault.name, ...found, ...verdict })
    printRound(i + 1, rounds.at(-1)!, ledger)
    if (found.healthyMs === null) break
  }
  await load.stop()
  const end = await verify(system.urls()[0]!, tenants, ledger, { random, sample: SAMPLE.end })
  return report(options, rounds, end, ledger)
}

async function runRound(
  fault: InjectedFault,
  { system, tenants, ledger, load }: { system: System; tenants: readonly Tenant[]; ledger: Ledger; load: Load },
): Promise<{ seen: ObservedAnswers; healthyMs: number | null }> {
  await sleep(BEFORE_MS)
  load.takeObserved()
  const known = ledger.of(tenants[0]!.id)[0]?.content ?? 'anything'
  await fault.begin(system)
  await sleep(fault.forMs)
  await fault.end(system)
  const healthyMs = await untilHealthy(system.urls(), tenants[0]!, known, HEALTHY_LIMIT_MS)
  if (healthyMs === null) for (const part of system.parts) console.error(`${part.name}:\n${part.lastWords()}`)
  return { seen: load.takeObserved(), healthyMs }
}

function printRound(number: number, round: Round, ledger: Ledger): void {
  const { fault, seen, healthyMs, lost, duplicated, resurrected, notRecallable, asked } = round
  const outcomes = [...seen.outcomes].sort().map(([outcome, count]) => `${outcome}: ${count}`)
  console.log(
    `${number}. ${fault}: healthy after ${seconds(healthyMs)}; acknowledged so far ${ledger.acknowledged}, lost ${lost}, ` +
      `duplicated ${duplicated}, resurrected ${resurrected + seen.resurrected}, not recallable ${notRecallable} of ${asked}, ` +
      `missed and reported ${seen.missesReported}, missed unreported ${seen.missesUnreported}; answers ${outcomes.join(', ')}`,
  )
}

function seconds(ms: number | null): string {
  return ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`
}

function report(
  { profile, log, faults }: RoundOptions,
  rounds: readonly Round[],
  end: Verdict,
  ledger: Ledger,
): boolean {
  const sum = (of: (round: Round) => number) => rounds.reduce((total, round) => total + of(round), 0)
  const totals = {
    rounds: rounds.length,
    acknowledged: ledger.acknowledged,
    lost: end.lost,
    duplicated: end.duplicated,
    resurrected: end.resurrected + sum(({ seen }) => seen.resurrected),
    'not recallable': end.notRecallable + sum(({ notRecallable }) => notRecallable),
    'asked by recall': end.asked + sum(({ asked }) => asked),
    'missed and reported': sum(({ seen }) => seen.missesReported),
    'missed unreported': sum(({ seen }) => seen.missesUnreported),
    'answers 500': sum(({ seen }) => seen.outcomes.get('500') ?? 0),
    'never healthy': sum(({ healthyMs }) => (healthyMs === null ? 1 : 0)),
  }
  const byFault = faults.flatMap(({ name }) => {
    const of = rounds.filter(({ fault }) => fault === name)
    return of.length === 0 ? [] : [{ fault: name, ...faultRow(of) }]
  })
  console.log(`\nchaos, ${profile}`)
  console.table(byFault)
  console.table(totals)
  if (log !== undefined) writeFileSync(log, JSON.stringify({ profile, totals, byFault }, null, 2))
  const { lost, duplicated, resurrected } = totals
  const wrong = lost + duplicated + resurrected + totals['not recallable'] + totals['missed unreported']
  return wrong + totals['answers 500'] + totals['never healthy'] === 0
}

function faultRow(rounds: readonly Round[]): Record<string, string | number> {
  const count = (test: (outcome: string) => boolean) =>
    rounds.reduce(
      (total, { seen }) => total + [...seen.outcomes].reduce((n, [name, many]) => n + (test(name) ? many : 0), 0),
      0,
    )
  const times = rounds.map(({ healthyMs }) => healthyMs ?? Infinity).sort((a, b) => a - b)
  return {
    rounds: rounds.length,
    '2xx': count((name) => name.startsWith('2')),
    '4xx': count((name) => name.startsWith('4')),
    '500': count((name) => name === '500'),
    '503': count((name) => name === '503'),
    '504': count((name) => name === '504'),
    'no connection': count((name) => name === 'no connection'),
    'no answer': count((name) => name === 'no answer in time'),
    missesReported: rounds.reduce((n, { seen }) => n + seen.missesReported, 0),
    missesUnreported: rounds.reduce((n, { seen }) => n + seen.missesUnreported, 0),
    'healthy after, median': seconds(times[Math.floor(times.length / 2)]!),
    longest: seconds(times.at(-1)!),
  }
}
