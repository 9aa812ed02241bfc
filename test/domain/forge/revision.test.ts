import { expect } from 'chai'
import { distil } from '../../../domain/forge/distil.js'
import { type ActiveSkill, planRevision, stepChanges } from '../../../domain/forge/revision.js'
import { tracesOf } from '../../../domain/forge/traces.js'
import { findWorkflows } from '../../../domain/forge/workflows.js'
import { keyRotation, LIMITS, WINDOW } from './forge-memories.js'

const { workflows, vocabulary } = findWorkflows(tracesOf(keyRotation(), WINDOW))
const skill = distil(workflows[0]!, vocabulary, LIMITS)
const active: ActiveSkill = {
  docId: 'forge/keys',
  contentHash: 'sha256:1',
  version: 3,
  part: skill.part,
  fingerprint: skill.fingerprint,
  sketch: skill.sketch,
  steps: skill.steps.map(({ text }) => text),
}

describe('planRevision', () => {
  it('creates a skill of work that no active skill is about', () => {
    expect(planRevision(skill, [])).to.deep.equal({ kind: 'create' })
    expect(planRevision(skill, [{ ...active, fingerprint: 'fp:v1:x', sketch: [] }])).to.deep.equal({ kind: 'create' })
    expect(planRevision(skill, [{ ...active, part: { fleetId: 'g' } }])).to.deep.equal({ kind: 'create' })
  })

  it('leaves an active skill alone that says all of it', () => {
    expect(planRevision(skill, [active])).to.deep.equal({ kind: 'covered', docId: 'forge/keys' })
  })

  it('revises an active skill to which the evidence adds steps, found by the sketch too', () => {
    const [first, ...rest] = skill.steps.map(({ text }) => text)
    expect(planRevision(skill, [{ ...active, fingerprint: 'fp:v1:x', steps: rest }])).to.deep.equal({
      kind: 'update',
      target: { docId: 'forge/keys', targetContentHash: 'sha256:1', previousVersion: 3 },
      changes: [{ change: 'added', text: first }, ...rest.map((text) => ({ change: 'kept', text }))],
    })
  })
})

describe('stepChanges', () => {
  it('tells kept steps in other words from added and removed ones', () => {
    expect(
      stepChanges(
        ['Drain the node', 'Call the vendor', 'Restart the kubelet service'],
        ['Drained the node', 'Take a snapshot', 'Restarted kubelet service'],
      ),
    ).to.deep.equal([
      { change: 'kept', text: 'Drained the node' },
      { change: 'added', text: 'Take a snapshot' },
      { change: 'removed', text: 'Call the vendor' },
      { change: 'kept', text: 'Restarted kubelet service' },
    ])
    expect(stepChanges(['a pump'], [])).to.deep.equal([{ change: 'removed', text: 'a pump' }])
  })
})
