import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { proposeSkills } from '../../../domain/forge/propose.js'
import { freshnessWindow } from '../../../domain/forge/traces.js'
import { memoryOf } from './forge-memories.js'

const PAGE = readFileSync(new URL('../../../docs/skills-example.md', import.meta.url), 'utf8')
const DAY = Date.UTC(2026, 10, 23, 9)

/** Returns the text of the first block of this kind. */
function blockOf(kind: string): string {
  return PAGE.split(`\`\`\`${kind}\n`)[1]!.split('\n```')[0]!
}

interface Note {
  readonly content: string
  readonly run_id: string
}

/** Returns the notes of these agents as their files have them. */
function notesOf(agents: readonly string[]) {
  return agents.flatMap((agentId) => {
    const file = readFileSync(new URL(`../../../docs/skills-example/${agentId}.jsonl`, import.meta.url), 'utf8')
    const lines = file.trim().split('\n')
    return lines.map((line) => {
      const { content, run_id: runId } = JSON.parse(line) as Note
      return { agentId, content, runId }
    })
  })
}

describe('the worked example in the documentation', () => {
  it('is what the Forge makes of its notes', () => {
    const written = notesOf(['ana', 'ben', 'cleo', 'dan', 'eve'])
    expect(written.map(({ agentId, content }) => `${agentId}: ${content}`).join('\n')).to.equal(blockOf('text'))
    const memories = written.map((note, i) => memoryOf({ ...note, createdAt: new Date(DAY + i * 60_000) }))
    expect(memories).to.have.length(25)
    const limits = { descriptionMaxBytes: 160, contentMaxBytes: 40_000 }
    const [part] = proposeSkills(memories, freshnessWindow(DAY + 3_600_000, 14), limits)
    expect(part!.proposals).to.have.length(1)
    const { skill } = part!.proposals[0]!
    expect(skill.content.trim()).to.equal(blockOf('markdown'))
    expect(PAGE).to.include(`forge/${skill.slug}`).and.include(`the ${skill.cites.length} memories`)
  })
})
