import { writeFileSync } from 'node:fs'
import type { ServiceContext } from '../services/context.js'
import { recall } from '../api/recall/recall.js'
import { callsWithPermit } from '../runtime/external-calls.js'
import type { Cleanup } from './cleanup.js'
import { type BenchClock, type ComposedService, createBenchClock, startComposed } from './composed.js'
import { loadFleetSet } from './fleet-quality.js'
import { createFleetSet } from './fleet-set/fleet-set.js'
import { readLocomo } from './locomo-file.js'
import { loadConversation } from './locomo.js'
import { createEnvironment, type Profile } from './environment.js'
import { type AskedQuestion, type Asker, createQualityMeasurement, foundBy } from './quality.js'
import { type Column, type Scores, scoresOf } from './retrieval-figures.js'
import { round } from './samples.js'
import { switches } from './switches.js'

interface AblationOptions {
  /** LoCoMo's file, or a seed of the fleet set. */
  readonly set: { readonly locomo: string } | { readonly fleet: number }
  readonly profiles: readonly Profile[]
  /** Names of switches; all when absent. */
  readonly only?: readonly string[] | undefined
  readonly json?: string | undefined
}

/** Scores of the same questions in the same order, with everything on and with each switch off. */
interface Ablation {
  readonly questions: readonly AskedQuestion[]
  readonly everything: readonly Scores[]
  readonly without: ReadonlyMap<string, readonly Scores[]>
}

/**
 * Measures what each kind of evidence is worth: the service runs in this process, and its own recall operation answers
 * every question once with everything on and once with each switch off.
 */
export async function benchAblation(options: AblationOptions, cleanup: Cleanup): Promise<void> {
  const chosen = chosenSwitches(options.only)
  const written: Record<string, unknown> = {}
  for (const profile of options.profiles) {
    const clock = createBenchClock()
    const service = await startComposed(await createEnvironment(profile, cleanup), cleanup, clock)
    const questions = await load(options.set, service, clock)
    const ablation = await ablate(service.context, questions, chosen)
    await service.stop()
    console.log(`\nablation, ${profile}, ${questions.length} questions: what is lost without each`)
    const table = worthOf(ablation)
    console.table(table)
    const byCategory = worthByCategory(ablation, 'N@5')
    console.log('of that, N@5 by category')
    console.table(byCategory)
    written[profile] = { table, byCategory }
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(written, null, 2)}\n`)
}

async function load(
  set: AblationOptions['set'],
  service: ComposedService,
  clock: BenchClock,
): Promise<AskedQuestion[]> {
  if ('fleet' in set) return loadFleetSet(service, clock, createFleetSet(set.fleet), createQualityMeasurement())
  const questions: AskedQuestion[] = []
  for (const conversation of readLocomo(set.locomo))
    questions.push(...(await loadConversation(service, conversation, createQualityMeasurement())))
  return questions
}

function chosenSwitches(only: readonly string[] | undefined) {
  const all = switches()
  const unknown = only?.filter((name) => !all.some((one) => one.name === name)) ?? []
  if (unknown.length > 0)
    throw new Error(`no switch "${unknown.join('", "')}"; there are ${all.map(({ name }) => name).join(', ')}`)
  return only === undefined ? all : all.filter(({ name }) => only.includes(name))
}

async function ablate(
  context: ServiceContext,
  questions: readonly AskedQuestion[],
  chosen: ReturnType<typeof switches>,
): Promise<Ablation> {
  const base = withoutRecallCounts(context)
  const everything = await scoreAll(() => base, questions)
  const without = new Map<string, Scores[]>()
  for (const { name, off } of chosen) without.set(name, await scoreAll(() => off(base), questions))
  return { questions, everything, without }
}

/**
 * Returns a context that counts no recalls: recall counts are evidence too, and earlier questions must not change later
 * answers.
 */
export function withoutRecallCounts(context: ServiceContext): ServiceContext {
  return { ...context, recallLog: { ...context.recallLog, record: () => undefined } }
}

/** Number of recalls at a time: while one waits for PostgreSQL or the engine, another ranks. */
const CONCURRENCY = 3

/** Scores all questions. Each recall gets a context of its own, since a switch may remember what it has seen. */
async function scoreAll(contextOf: () => ServiceContext, questions: readonly AskedQuestion[]): Promise<Scores[]> {
  const scores = new Array<Scores>(questions.length)
  const left = questions.entries()
  const work = async () => {
    for (const [i, question] of left) {
      const ids = await recallIds(contextOf(), question)
      scores[i] = scoresOf(foundBy(ids, question), question.evidence.length)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return scores
}

/**
 * Returns the ids of one recall. Throws when the answer is degraded: what was missing would be taken for what was
 * switched off.
 */
async function recallIds(context: ServiceContext, { asker, text }: AskedQuestion): Promise<string[]> {
  const { memories, degraded } = await recallAs(context, asker, { query: text })
  if (degraded !== null) throw new Error(`a recall was degraded: ${degraded}`)
  return memories.map(({ id }) => id)
}

/**
 * Calls the operation itself with another context than the service's, as an agent of trust 1, and returns its first
 * ten.
 */
export async function recallAs(
  context: ServiceContext,
  { tenantId, agentId, fleetId }: Omit<Asker, 'key'>,
  { query, explain = false }: { query: string; explain?: boolean },
) {
  const principal = { kind: 'agent', tenantId, agentId, fleetId, trust: 1, fleetless: false, keyId: null } as const
  const { body } = await recall(context, principal, {
    body: { tenant_id: tenantId, query, top_k: 10, include_summary: false, explain, compose: false },
    params: {},
    query: {},
    headers: {},
    itemFaults: [],
    signal: new AbortController().signal,
    requestId: 'bench',
    externalCalls: callsWithPermit,
  })
  return body
}

/**
 * Returns the rows by switch, the most valuable first; `±` is the standard error over questions of the column before
 * it.
 */
function worthOf({ everything, without }: Ablation) {
  const rows = [...without].map(([name, scores]) => {
    const [recall, gain] = [worth(everything, scores, 'R@10'), worth(everything, scores, 'N@5')]
    const row = {
      'R@10': round(meanOf(scores, 'R@10'), 4),
      'lost R@10': round(recall.mean, 4),
      '± R@10': round(recall.error, 4),
      'N@5': round(meanOf(scores, 'N@5'), 4),
      'lost N@5': round(gain.mean, 4),
      '± N@5': round(gain.error, 4),
    }
    return [name, row] as const
  })
  const all = { 'R@10': round(meanOf(everything, 'R@10'), 4), 'N@5': round(meanOf(everything, 'N@5'), 4) }
  return { everything: all, ...Object.fromEntries(rows.sort(([, a], [, b]) => b['lost N@5'] - a['lost N@5'])) }
}

function worthByCategory({ questions, everything, without }: Ablation, column: Column) {
  const categories = [...new Set(questions.map(({ category }) => category))]
  const rows = [...without].map(([name, scores]) => {
    const cells = categories.map((category) => {
      const ofIt = (_: unknown, i: number) => questions[i]!.category === category
      return [category, round(worth(everything.filter(ofIt), scores.filter(ofIt), column).mean, 3)] as const
    })
    return [name, Object.fromEntries(cells)] as const
  })
  return Object.fromEntries(rows)
}

function worth(everything: readonly Scores[], without: readonly Scores[], column: Column) {
  const lost = everything.map((scores, i) => scores[column] - without[i]![column])
  const mean = lost.reduce((a, b) => a + b, 0) / lost.length
  const squares = lost.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, error: Math.sqrt(squares / Math.max(1, lost.length - 1) / lost.length) }
}

function meanOf(scores: readonly Scores[], column: Column): number {
  return scores.reduce((sum, score) => sum + score[column], 0) / scores.length
}
