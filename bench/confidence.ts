import type { Confidence, ConfidenceParts } from '../domain/answers/confidence.js'
import type { Cleanup } from './cleanup.js'
import { createEnvironment } from './environment.js'
import { sendJson } from './http-client.js'
import { type Conversation, readLocomo } from './locomo-file.js'
import { loadConversation } from './locomo.js'
import { loadTexts } from './multilingual/tenant.js'
import { readXquad } from './multilingual/xquad.js'
import { type Asker, createQualityMeasurement } from './quality.js'
import { round } from './samples.js'
import { type ServiceAccess, startService } from './service.js'

export interface ConfidenceBenchOptions {
  readonly data?: string
  readonly xquad?: string
  readonly langs: readonly string[]
  /** Asks only each n-th question. */
  readonly every: number
  readonly fit?: boolean
}

/** Why the memories do not know the answer; `answered` where they do. */
type Kind = 'answered' | 'wrong speaker' | 'names exchanged' | 'absent paragraph'

interface Judged {
  readonly set: string
  readonly kind: Kind
  readonly confidence: Confidence
}

/**
 * Asks questions whose answer is among the memories, and questions whose answer is not: LoCoMo's adversarial ones, those of another conversation
 * with the names of this one, and XQuAD's of paragraphs that were left out. Prints how well the confidence tells one from the other.
 */
export async function benchConfidence(options: ConfidenceBenchOptions, cleanup: Cleanup): Promise<boolean> {
  const service = await startService(await createEnvironment('embedded', cleanup), { cleanup })
  const judged = [
    ...(options.data === undefined ? [] : await askLocomo(service, readLocomo(options.data), options.every)),
    ...(options.xquad === undefined ? [] : await askXquad(service, options.xquad, options)),
  ]
  await service.stop()
  console.table(rowsOf(judged))
  for (const [set, own] of groupsBy(judged, ({ set: name }) => name))
    console.log(`${set}: expected calibration error ${round(calibrationError(own), 3)} over ${own.length} questions`)
  if (options.fit)
    console.log(
      JSON.stringify(fit(judged), (_, value: unknown) => (typeof value === 'number' ? round(value, 2) : value)),
    )
  return true
}

async function askLocomo(
  service: ServiceAccess,
  conversations: readonly Conversation[],
  every: number,
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const [i, conversation] of conversations.entries()) {
    const questions = await loadConversation(service, conversation, createQualityMeasurement())
    const { asker } = questions[0]!
    const ask = async (text: string, kind: Kind) =>
      judged.push({ set: 'locomo', kind, confidence: await confidenceIn(service, asker, text) })
    for (const { text, category } of questions.filter((_, at) => at % every === 0))
      await ask(text, category === 'adversarial' ? 'wrong speaker' : 'answered')
    const other = conversations[(i + 1) % conversations.length]!
    const [names, otherNames] = [speakersOf(conversation), speakersOf(other)]
    // The places of names are marked first: one conversation may have a name of the other.
    const renamed = (text: string) =>
      names.reduce(
        (all, name, at) => all.replaceAll(MARKS[at]!, name),
        otherNames.reduce((all, name, at) => all.replaceAll(name, MARKS[at]!), text),
      )
    for (const { text, category } of other.questions.filter((_, at) => at % (2 * every) === 0))
      if (category !== 'adversarial') await ask(renamed(text), 'names exchanged')
  }
  return judged
}

const MARKS = ['\u0001', '\u0002']

function speakersOf({ sessions }: Conversation): string[] {
  return [...new Set(sessions.flatMap(({ turns }) => turns.map(({ speaker }) => speaker)))].slice(0, MARKS.length)
}

const LEFT_OUT_EVERY = 4

async function askXquad(
  service: ServiceAccess,
  folder: string,
  { langs, every }: ConfidenceBenchOptions,
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const language of langs) {
    const { paragraphs, questions } = readXquad(folder, language)
    const kept = paragraphs.filter((_, i) => i % LEFT_OUT_EVERY !== 1)
    const held = new Set(kept.map(({ piece }) => piece))
    const { asker } = await loadTexts(service, `confidence-${language}`, kept, createQualityMeasurement())
    for (const { text, evidence } of questions.filter((_, i) => i % every === 0)) {
      const kind = evidence.some((piece) => held.has(piece)) ? 'answered' : 'absent paragraph'
      judged.push({ set: `xquad ${language}`, kind, confidence: await confidenceIn(service, asker, text) })
    }
  }
  return judged
}

async function confidenceIn(service: ServiceAccess, { tenantId, key }: Asker, query: string): Promise<Confidence> {
  const body = { tenant_id: tenantId, query, explain: true }
  const call = { method: 'POST', path: '/api/v1/recall', key, body }
  return (await sendJson<{ confidence: Confidence }>(service.client, call)).value.confidence
}

function rowsOf(judged: readonly Judged[]): Record<string, object> {
  const rows: Record<string, object> = {}
  for (const [set, own] of groupsBy(judged, ({ set: name }) => name)) {
    const answered = own.filter(isAnswered).map(valueOf)
    for (const [kind, of] of groupsBy(own, (one) => one.kind)) {
      const share = (level: string) =>
        round(of.filter(({ confidence }) => confidence.level === level).length / of.length, 2)
      const auroc = kind === 'answered' ? null : round(areaUnderRoc(answered, of.map(valueOf)), 3)
      rows[`${set}, ${kind}`] = { questions: of.length, high: share('high'), none: share('none'), auroc }
    }
  }
  return rows
}

function groupsBy(judged: readonly Judged[], keyOf: (one: Judged) => string): Map<string, Judged[]> {
  const groups = new Map<string, Judged[]>()
  for (const one of judged) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one])
  return groups
}

function isAnswered({ kind }: Judged): boolean {
  return kind === 'answered'
}

function valueOf({ confidence }: Judged): number {
  return confidence.value
}

/** Returns the share of pairs in which the positive value is the larger; equal ones count half. */
function areaUnderRoc(positive: readonly number[], negative: readonly number[]): number {
  let right = 0
  for (const one of positive) for (const other of negative) right += one > other ? 1 : one === other ? 0.5 : 0
  return right / (positive.length * negative.length)
}

const BINS = 10

/** Returns the mean distance of the value from the share that has an answer, over ten bins of values. */
function calibrationError(judged: readonly Judged[]): number {
  const bins = Array.from({ length: BINS }, () => ({ values: 0, answered: 0 }))
  for (const one of judged) {
    const bin = bins[Math.min(BINS - 1, Math.floor(valueOf(one) * BINS))]!
    bin.values += valueOf(one)
    bin.answered += isAnswered(one) ? 1 : 0
  }
  return bins.reduce((sum, { values, answered }) => sum + Math.abs(values - answered), 0) / judged.length
}

const STEPS = 20_000
const RATE = 0.3

/** Fits logistic regression by gradient descent. Each set has the same weight. */
function fit(judged: readonly Judged[]): { readonly intercept: number; readonly weights: Record<string, number> } {
  const names = Object.keys(judged[0]!.confidence.parts) as (keyof ConfidenceParts)[]
  const sets = groupsBy(judged, ({ set }) => set)
  const rows = judged.map((one) => ({
    parts: [1, ...names.map((name) => one.confidence.parts[name])],
    label: isAnswered(one) ? 1 : 0,
    weight: 1 / (sets.get(one.set)!.length * sets.size),
  }))
  const weights = [0, ...names.map(() => 0)]
  for (let step = 0; step < STEPS; step++) {
    const slope = weights.map(() => 0)
    for (const { parts, label, weight } of rows) {
      const sum = parts.reduce((all, part, i) => all + part * weights[i]!, 0)
      const error = weight * (1 / (1 + Math.exp(-sum)) - label)
      for (const [i, part] of parts.entries()) slope[i]! += error * part
    }
    for (const [i, value] of slope.entries()) weights[i]! -= RATE * value
  }
  return { intercept: weights[0]!, weights: Object.fromEntries(names.map((name, i) => [name, weights[i + 1]!])) }
}
