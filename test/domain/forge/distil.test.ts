import { expect } from 'chai'
import { skillContent, stepsIn } from '../../../domain/forge/content.js'
import { distil, withWording } from '../../../domain/forge/distil.js'
import { evidenceFigures, evidenceWeight } from '../../../domain/forge/evidence.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { findWorkflows } from '../../../domain/forge/workflows.js'
import { keyRotation, LIMITS, NOW, WINDOW } from './forge-memories.js'

const memories = keyRotation()
const { workflows, vocabulary } = findWorkflows(tracesOf(memories, WINDOW))
const workflow = workflows[0]!
const skill = distil(workflow, vocabulary, LIMITS)
const textOf = (id: string) => memories.find((memory) => memory.id === id)!.content

describe('a distilled skill', () => {
  it('has the steps in order, what went wrong, and the evidence', () => {
    expect(skill.content).to.match(
      /^When .*\n\n## Steps\n\n1\. .*\n2\. .*\n3\. .*\n4\. .*\n\n## What goes wrong\n\n- .*\n\n## Evidence\n\n\|/,
    )
    expect(stepsIn(skill.content)).to.deep.equal(skill.steps.map(({ text }) => text))
    expect(skill.lessons.map(({ text }) => text)).to.deep.equal(['Token issuer refused the new key, rolled back.'])
    expect(skill.content).to.contain('| 4 | 4 | 1 | 2026-03-15 | 2026-03-15 |')
  })

  it('words each step by one of its memories, with a gap for what differs', () => {
    expect(skill.steps[0]!.text).to.contain('…').and.not.match(/\d/)
    for (const { text, memories: cited } of skill.steps) {
      const words = text.toLowerCase().match(/[a-z0-9]+/g)!
      expect(
        cited.some(({ content }) => words.every((word) => content.toLowerCase().includes(word))),
        text,
      ).to.equal(true)
    }
  })

  it('cites all memories that say a step or what went wrong, and no other', () => {
    const uncited = memories.filter(({ id }) => !skill.cites.includes(id)).map(({ content }) => content)
    expect(
      uncited.filter(
        (text) => !/Lunch|parking|finished|Done|complete|rotation ok|4715|Published the public key/.test(text),
      ),
    ).to.deep.equal([])
    expect(skill.cites).to.have.length(17)
    expect(skill.cites.filter((id) => /issuer refused/.test(textOf(id)))).to.have.length(1)
    expect(skill.cites.filter((id) => /4715/.test(textOf(id)))).to.deep.equal([])
  })

  it('has a trigger, a slug, tags and a fingerprint', () => {
    expect(skill.description).to.match(/^When /)
    expect(skill.slug).to.match(/^[a-z0-9][a-z0-9._-]{0,99}$/)
    expect(skill.tags).not.to.be.empty
    expect(skill.fingerprint).to.match(/^fp:v1:/)
    expect(skill.part).to.deep.equal({ fleetId: 'f' })
  })

  it('takes the wording of a model, and keeps what it is known by', () => {
    const wording = {
      steps: skill.steps.slice(0, 2).map((line) => ({ ...line, text: `Do: ${line.text}` })),
      lessons: [],
      name: 'Rotate keys',
      description: null,
      goal: null,
      domain: null,
      tags: null,
      dropped: { malformed: 0, 'cites too few': 0, 'not in the memories': 0 },
    }
    const worded = withWording(skill, wording, LIMITS)
    expect(worded.content).to.contain('1. Do: ')
    expect([worded.slug, worded.fingerprint, worded.name]).to.deep.equal([skill.slug, skill.fingerprint, 'Rotate keys'])
    expect(worded.lessons).to.deep.equal(skill.lessons)
    expect(worded.cites.length).to.be.below(skill.cites.length)
  })
})

describe('the figures of the evidence', () => {
  it('count successes, their agents and their times', () => {
    const successes = memories.filter(({ agentId }) => agentId !== 'eve').map(({ createdAt }) => +createdAt)
    expect(evidenceFigures(workflow)).to.deep.equal({
      clusterSize: 4,
      distinctAgents: 4,
      windowStart: Math.min(...successes),
      windowEnd: Math.max(...successes),
      successShare: 0.8,
      failures: 1,
      unknown: 0,
    })
  })

  it('are null and not 0 where there is nothing to count', () => {
    expect(evidenceFigures({ ...workflow, traces: [], failures: [] })).to.deep.equal({
      clusterSize: null,
      distinctAgents: null,
      windowStart: null,
      windowEnd: null,
      successShare: null,
      failures: 0,
      unknown: 0,
    })
  })

  it('rank by successes, agents and recency', () => {
    const figures = { ...evidenceFigures(workflow), clusterSize: 4, distinctAgents: 3, windowEnd: NOW }
    expect(evidenceWeight(figures, WINDOW)).to.equal(12)
    expect(evidenceWeight({ ...figures, windowEnd: NOW - 7 * 86_400_000 }, WINDOW)).to.equal(6)
    expect(evidenceWeight({ ...figures, clusterSize: null }, WINDOW)).to.equal(0)
  })
})

describe('the content of a skill', () => {
  const figures = evidenceFigures(workflow)
  const text = {
    trigger: 'When x',
    steps: ['one', 'two', 'three'],
    lessons: ['bad', 'worse'],
    figures,
    maxBytes: 40_000,
  }

  it('leaves out lessons, then steps, rather than exceed its bytes', () => {
    const whole = Buffer.byteLength(skillContent(text))
    expect(skillContent({ ...text, maxBytes: whole - 1 })).not.to.contain('worse')
    expect(stepsIn(skillContent({ ...text, maxBytes: whole - 40 }))).to.have.length.below(4)
    expect(Buffer.byteLength(skillContent({ ...text, maxBytes: whole - 1 }))).to.be.below(whole)
  })

  it('shows a step as text, whatever it contains', () => {
    const content = skillContent({ ...text, steps: ['a\n## b', '<!-- c -->'] })
    expect(content).to.contain('1. a ## b\n2. \\<!-- c -->')
  })

  it('finds the steps of a skill that somebody wrote', () => {
    expect(stepsIn('Intro\n\n### Steps\n- a\n- b\n\n## Other\n- c')).to.deep.equal(['a', 'b'])
    expect(stepsIn('1) a\n2) b')).to.deep.equal(['a', 'b'])
  })
})
