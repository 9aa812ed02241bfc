import type { Distilled } from '../../domain/forge/distilled.js'
import { type PartProposals, proposeSkills } from '../../domain/forge/propose.js'
import { freshnessWindow } from '../../domain/forge/traces.js'
import { wordsIn } from '../../domain/text/words.js'
import type { ForgeFleet, SetMemory } from './shape.js'

/** Figures of one tick over a fleet; README.md of this folder says what each one is. */
export interface ForgeFigures {
  readonly skills: number
  readonly wanted: number
  readonly found: number
  readonly precision: number
  readonly recall: number
  readonly citesPrecision: number
  readonly citesRecall: number
  readonly steps: number
  readonly strayLines: number
  readonly strayCites: number
  readonly duplicates: number
  readonly forbidden: number
  readonly newWords: number
  readonly changes: number
}

const LIMITS = { descriptionMaxBytes: 160, contentMaxBytes: 40_000 }
const WINDOW_DAYS = 14
const LEAST_RUNS = 3
const LEAST_AGENTS = 3

/** Lets the Forge look at a fleet and compares its skills with the truth. */
export function measureForge(fleet: ForgeFleet, vectors?: ReadonlyMap<string, Float32Array>) {
  const known = new Map(fleet.memories.map((one) => [one.memory.id, one]))
  const memories = fleet.memories.map(({ memory }) => ({ ...memory, vector: vectors?.get(memory.id) ?? null }))
  const window = freshnessWindow(fleet.now, WINDOW_DAYS)
  const parts = proposeSkills(memories, window, LIMITS)
  const skills = skillsIn(parts)
  const again = skillsIn(proposeSkills(memories.toReversed(), window, LIMITS))
  const judged = skills.map((skill) => judge(skill, fleet, known))
  const wanted = fleet.workflows.flatMap(({ key, fleets }) => fleets.map((fleetId) => `${fleetId} ${key}`))
  const found = new Set(judged.map(({ target }) => target).filter((target) => wanted.includes(target)))
  const best = new Map([...judged].sort((a, b) => a.runs - b.runs).map((one) => [one.target, one]))
  const total = (of: (one: Judgement) => number, over = judged) => over.reduce((sum, one) => sum + of(one), 0)
  const runs = wanted.map((target) => ({ target, all: runsOf(fleet, target) }))
  const stepsWanted = wanted.flatMap((target) =>
    fleet.workflows.find(({ key }) => target.endsWith(` ${key}`))!.steps.map((step) => `${target} ${step}`),
  )
  const stepsFound = new Set(
    [...best.values()].flatMap(({ target, steps }) => steps.map((step) => `${target} ${step}`)),
  )
  const figures: ForgeFigures = {
    skills: skills.length,
    wanted: wanted.length,
    found: found.size,
    precision: share(
      total(({ rightRuns }) => rightRuns),
      total(({ runs }) => runs),
    ),
    recall: share(
      runs.reduce((sum, { target, all }) => sum + all.filter((run) => best.get(target)?.cited.has(run)).length, 0),
      runs.reduce((sum, { all }) => sum + all.length, 0),
    ),
    citesPrecision: share(
      total(({ rightCites }) => rightCites),
      total(({ cites }) => cites),
    ),
    citesRecall: citesRecall(fleet, wanted, best),
    steps: share(stepsWanted.filter((step) => stepsFound.has(step)).length, stepsWanted.length),
    strayLines: total(({ strayLines }) => strayLines),
    strayCites: total(({ cites, rightCites }) => cites - rightCites),
    duplicates: judged.length - new Set(judged.map(({ target }) => target)).size,
    forbidden: total(({ forbidden }) => forbidden.length),
    newWords: total(({ newWords }) => newWords),
    changes: changesBetween(skills, again),
  }
  return { figures, judged, skills }
}

function skillsIn(parts: readonly PartProposals[]): Distilled[] {
  return parts
    .flatMap(({ proposals }) => proposals.map(({ skill }) => skill))
    .filter(({ figures }) => (figures.clusterSize ?? 0) >= LEAST_RUNS && (figures.distinctAgents ?? 0) >= LEAST_AGENTS)
}

export interface Judgement {
  readonly skill: Distilled
  /** The fleet and the workflow that most of its steps' memories belong to. */
  readonly target: string
  readonly runs: number
  readonly rightRuns: number
  readonly cited: ReadonlySet<string>
  readonly cites: number
  readonly rightCites: number
  /** Planted steps that a line of the content says. */
  readonly steps: readonly string[]
  /** Lines that say no planted step. */
  readonly strayLines: number
  readonly stray: readonly string[]
  /** Texts of memories that must not be cited. */
  readonly forbidden: readonly string[]
  readonly newWords: number
}

function judge(skill: Distilled, fleet: ForgeFleet, known: ReadonlyMap<string, SetMemory>): Judgement {
  const truthOf = (id: string) => known.get(id)!
  const cited = [...new Set(skill.steps.flatMap(({ memories }) => memories.map(({ id }) => id)))]
  const key = mostCommon(cited.map((id) => truthOf(id).truth.workflow ?? 'nothing'))
  const target = `${skill.part.fleetId} ${key}`
  const workflow = fleet.workflows.find((one) => one.key === key)
  const runs = new Map(cited.map((id) => [truthOf(id).memory.runId!, truthOf(id).truth.workflow]))
  const isPlanted = workflow?.fleets.includes(skill.part.fleetId ?? '') ?? false
  const forbidden = skill.cites.filter((id) => {
    const { memory, truth } = truthOf(id)
    const isStep = cited.includes(id)
    const isUnusable =
      memory.visibility === 'scope_agent' || memory.status !== 'active' || memory.fleetId !== skill.part.fleetId
    return isUnusable || truth.kind === 'copy' || !isPlanted || (isStep && fleet.failedRuns.has(memory.runId!))
  })
  const lines = skill.steps.map(({ text, memories }) => {
    const said = memories.map(({ id }) => truthOf(id)).filter(({ memory }) => saysAllOf(memory.content, text))
    return said.flatMap(({ truth }) => (truth.workflow === key && truth.kind === 'step' ? [truth] : []))
  })
  const content = skill.content
  return {
    skill,
    target,
    runs: runs.size,
    rightRuns: [...runs.values()].filter((one) => one === key && isPlanted).length,
    cited: new Set(runs.keys()),
    cites: cited.length,
    rightCites: cited.filter((id) => truthOf(id).truth.kind === 'step' && truthOf(id).truth.workflow === key).length,
    steps: [...new Set(lines.flatMap((truths) => truths.flatMap(({ steps }) => steps)))],
    strayLines: lines.filter((truths) => truths.length === 0).length,
    stray: skill.steps
      .filter((_, i) => lines[i]!.length === 0)
      .map(({ text, memories }) => `${text} (${memories.length})`),
    forbidden: forbidden.map((id) => truthOf(id).memory.content),
    newWords:
      skill.steps.filter(({ text, memories }) => !memories.some((memory) => saysAllOf(memory.content, text))).length +
      skill.steps.filter(({ text }) => !content.includes(text)).length,
  }
}

function saysAllOf(content: string, line: string): boolean {
  const words = new Set(wordsIn(content.toLowerCase()))
  return wordsIn(line.toLowerCase()).every((word) => words.has(word))
}

/** Returns the runs of a planted workflow that did not fail. */
function runsOf(fleet: ForgeFleet, target: string): string[] {
  const runs = new Set<string>()
  for (const { memory, truth } of fleet.memories)
    if (
      `${memory.fleetId} ${truth.workflow}` === target &&
      truth.kind === 'step' &&
      !fleet.failedRuns.has(memory.runId!)
    )
      runs.add(memory.runId!)
  return [...runs]
}

function citesRecall(fleet: ForgeFleet, wanted: readonly string[], best: ReadonlyMap<string, Judgement>): number {
  let [all, cited] = [0, 0]
  for (const { memory, truth } of fleet.memories) {
    const target = `${memory.fleetId} ${truth.workflow}`
    if (truth.kind !== 'step' || !wanted.includes(target) || fleet.failedRuns.has(memory.runId!)) continue
    all++
    if (best.get(target)?.skill.cites.includes(memory.id)) cited++
  }
  return share(cited, all)
}

function mostCommon(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'nothing'
}

function changesBetween(before: readonly Distilled[], after: readonly Distilled[]): number {
  const said = (skill: Distilled) =>
    JSON.stringify([skill.slug, skill.fingerprint, skill.content, skill.description, skill.cites])
  const old = new Set(before.map(said))
  return after.filter((skill) => !old.has(said(skill))).length + Math.abs(before.length - after.length)
}

function share(part: number, all: number): number {
  return all === 0 ? 1 : part / all
}
