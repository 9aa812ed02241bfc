import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { distil } from '../../../domain/forge/distil.js'
import { announcedGoal, announcementTest } from '../../../domain/forge/goal.js'
import { contentStems, isNegated } from '../../../domain/forge/said-by.js'
import { statementsOf } from '../../../domain/forge/statements.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { readTraces } from '../../../domain/forge/vocabulary.js'
import { findWorkflows } from '../../../domain/forge/workflows.js'
import { LIMITS, memoryOf, runOf, WINDOW } from './forge-memories.js'

interface Sentences {
  readonly announced: Readonly<Record<string, string>>
  readonly other: readonly string[]
  readonly led: Readonly<Record<string, string>>
  readonly kept: readonly string[]
  readonly parted: Readonly<Record<string, readonly string[]>>
  readonly whole: readonly string[]
  readonly denied: readonly string[]
  readonly affirmed: readonly string[]
}

interface Runs {
  readonly goal: string
  readonly steps: readonly string[]
  readonly runs: Readonly<Record<string, readonly string[]>>
}

const read = <T>(name: string) =>
  Object.entries(parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Readonly<Record<string, T>>)

/** Returns whether a sentence announces work in runs whose other sentences say what was done. */
function isAnnounced(sentence: string, language: string): boolean {
  const others = ['Drained it.', 'Upgraded it.', 'Closed it.', 'Told it.']
  const memories = runOf('ana', 'run', [sentence, ...others], { language })
  const { traces } = readTraces(tracesOf(memories, WINDOW))
  return announcementTest(traces)({ trace: 0, place: 0, statement: traces[0]!.statements[0]! })
}

for (const [language, sentences] of read<Sentences>('steps-by-language.yaml'))
  describe(`sentences in ${language}`, () => {
    const textsOf = (content: string) => statementsOf(memoryOf({ content, language })).map(({ text }) => text)

    it('announce work, and lose the words that do', () => {
      for (const [sentence, goal] of Object.entries(sentences.announced)) {
        expect(isAnnounced(sentence, language), sentence).to.equal(true)
        expect(announcedGoal(sentence, language), sentence).to.equal(goal)
      }
    })

    it('announce nothing with words that only look like it', () => {
      for (const sentence of sentences.other) expect(isAnnounced(sentence, language), sentence).to.equal(false)
    })

    it('lose what says that one follows another', () => {
      for (const [sentence, left] of Object.entries(sentences.led)) expect(textsOf(sentence)).to.deep.equal([left])
      for (const sentence of sentences.kept) expect(textsOf(sentence)).to.deep.equal([sentence])
    })

    it('are parted where two steps are one sentence', () => {
      for (const [sentence, parts] of Object.entries(sentences.parted)) expect(textsOf(sentence)).to.deep.equal(parts)
      for (const sentence of sentences.whole) expect(textsOf(sentence)).to.deep.equal([sentence])
    })

    it('deny, also where their language is uncertain', () => {
      for (const reading of [[language], [null]]) {
        for (const sentence of sentences.denied) expect(isNegated(sentence, reading), sentence).to.equal(true)
        for (const sentence of sentences.affirmed) expect(isNegated(sentence, reading), sentence).to.equal(false)
      }
    })
  })

describe('what a sentence is about', () => {
  it('leaves out words of sequence and function words of its language', () => {
    expect(contentStems('Danach wurde der Knoten geleert', ['de'])).to.deep.equal(
      contentStems('Knoten geleert', ['de']),
    )
    expect(contentStems('然后排空节点', ['zh'])).to.deep.equal(contentStems('排空节点', ['zh']))
    expect(contentStems('Danach wurde der Knoten geleert', ['de'])).to.have.length(2)
    expect(contentStems('The die was cast', [null])).to.include('die')
  })
})

describe('runs in one language', () => {
  for (const [language, { goal, steps, runs }] of read<Runs>('runs-by-language.yaml'))
    it(`teach one skill in it: ${language}`, () => {
      const memories = Object.entries(runs).flatMap(([agent, texts]) =>
        runOf(agent, `run-${agent}`, texts, { language }),
      )
      const { workflows, vocabulary } = findWorkflows(tracesOf(memories, WINDOW))
      expect(workflows).to.have.length(1)
      expect(workflows[0]!.traces.map(({ outcome }) => outcome.label)).to.deep.equal(Array(4).fill('success'))
      const skill = distil(workflows[0]!, vocabulary, LIMITS)
      expect(skill.goal).to.equal(goal)
      expect(skill.steps.map(({ text }) => text)).to.deep.equal(steps)
      for (const { memories: cited } of skill.steps) expect(cited).to.have.length(4)
    })
})
