import type { PlacedStatement } from './align.js'
import { skillContent } from './content.js'
import { describe } from './describe.js'
import type { CheckedWording, CitedLine, Distilled, TextLimits } from './distilled.js'
import { citesOf, evidenceFigures } from './evidence.js'
import { lessonsOf } from './failures.js'
import { fingerprintOf, sketchOf, type SharedEvidence } from './fingerprint.js'
import { announcedGoal } from './goal.js'
import { coreTerms } from './steps.js'
import { subjectsOf } from './subjects.js'
import type { ForgeMemory } from './traces.js'
import { rarities, type Vocabulary } from './vocabulary.js'
import { createWording } from './wording.js'
import type { Workflow } from './workflows.js'

/** Words a workflow as a skill by its own memories. */
export function distil(workflow: Workflow, vocabulary: Vocabulary, limits: TextLimits): Distilled {
  const rarity = rarities(vocabulary)
  const { traces, failures, goal } = workflow
  const wordingOf = createWording(traces, rarity)
  const goalOf = ({ text, medoid }: ReturnType<typeof wordingOf>) =>
    announcedGoal(text, medoid.statement.memory.language)
  const line = (statements: readonly PlacedStatement[], wording = wordingOf): CitedLine => ({
    text: wording(statements).text,
    memories: statements.map(({ statement }) => statement.memory),
  })
  const steps = workflow.steps.map(({ statements }) => line(statements))
  const wordingOfFailures = createWording([...failures, ...traces], rarity)
  const lessons = lessonsOf(failures).map((statements) => line(statements, wordingOfFailures))
  const { subjects, names } = subjectsOf(traces, workflow.steps, vocabulary, rarity)
  const commonTerms = workflow.steps.map(({ statements }) =>
    coreTerms(statements).map((term) => vocabulary.features[term]!),
  )
  const evidence: SharedEvidence = { domain: subjects[0] ?? '', names, steps: commonTerms }
  const fingerprint = fingerprintOf(evidence)
  const description = describe(
    { goal: goal && goalOf(wordingOf(goal)), subjects, steps: steps.map(({ text }) => text), fingerprint },
    limits.descriptionMaxBytes,
  )
  const figures = evidenceFigures(workflow)
  const part = traces[0]!.trace.part
  const sources = goal ? citesOf(goal.map(({ statement }) => statement.memory)) : []
  return withText(
    { ...description, part, steps, lessons, sources, fingerprint, sketch: sketchOf(evidence), figures },
    limits,
  )
}

/**
 * Returns the skill in a model's words, as far as they passed the checks; a step that did not pass keeps its extractive
 * wording. Slug, fingerprint and figures stay.
 */
export function withWording(skill: Distilled, wording: CheckedWording, limits: TextLimits): Distilled {
  const { lessons, name, description, goal, domain, tags } = wording
  return withText(
    {
      ...skill,
      steps: withExtracted(skill.steps, wording),
      lessons: lessons.length > 0 ? lessons : skill.lessons,
      name: name ?? skill.name,
      description: description ?? skill.description,
      goal: goal ?? skill.goal,
      domain: domain ?? skill.domain,
      tags: tags ?? skill.tags,
    },
    limits,
  )
}

/** Puts the extracted steps that the model did not word well among those that it did, where they stood. */
function withExtracted(
  extracted: readonly CitedLine[],
  { steps, unworded = [] }: CheckedWording,
): readonly CitedLine[] {
  const placeOf = (memories: readonly ForgeMemory[]) => {
    const ids = new Set(memories.map(({ id }) => id))
    const shared = extracted.map((step) => step.memories.filter(({ id }) => ids.has(id)).length)
    return shared.indexOf(Math.max(...shared))
  }
  const worded = steps.map((line) => ({ line, place: placeOf(line.memories) }))
  const places = new Set(worded.map(({ place }) => place))
  const missing = new Set(unworded.map(placeOf).filter((place) => !places.has(place)))
  const result = worded
  for (const place of [...missing].sort((a, b) => a - b)) {
    const next = result.findIndex((other) => other.place > place)
    result.splice(next === -1 ? result.length : next, 0, { line: extracted[place]!, place })
  }
  return result.map(({ line }) => line)
}

function withText(skill: Omit<Distilled, 'content' | 'cites'>, limits: TextLimits): Distilled {
  const { description, steps, lessons, figures } = skill
  const content = skillContent({
    trigger: description,
    steps: steps.map(({ text }) => text),
    lessons: lessons.map(({ text }) => text),
    figures,
    maxBytes: limits.contentMaxBytes,
  })
  return { ...skill, content, cites: citesOf([...steps, ...lessons].flatMap(({ memories }) => memories)) }
}
