import { expect } from 'chai'
import type { InstallableSkill } from '../../../cli/skills/catalogue.js'
import { digestOf } from '../../../cli/skills/installable-file.js'
import type { DirectoryEntry, DirectoryState } from '../../../cli/skills/directory-state.js'
import { skillFile } from '../../../domain/skills/skill-file.js'
import { knownContents, madeOf, planChanges } from '../../../cli/skills/plan.js'
import { skill, type StubSkill } from '../../support/skills-stub.js'

const EMPTY: DirectoryEntry = {
  kind: 'directory',
  skillFile: 'none',
  isMarked: false,
  marker: null,
  digest: null,
  files: new Map(),
}
const FOREIGN: DirectoryEntry = { ...EMPTY, skillFile: 'file', digest: digestOf('# theirs\n') }

/** Returns the entry of a skill as it is written. */
function written(item: StubSkill): DirectoryEntry {
  const digest = digestOf(skillFile(item, item.content))
  const { doc_id, content_hash } = item
  return {
    ...FOREIGN,
    isMarked: true,
    files: new Map(item.files.map((file) => [file.path, file])),
    marker: { doc_id, content_hash, digest, made_of: madeOf(item), files: item.files },
    digest,
  }
}

function without({ content: _, ...item }: StubSkill): InstallableSkill {
  return item
}

const directoryOf = (...items: StubSkill[]): DirectoryState => new Map(items.map((item) => [item.slug, written(item)]))

function plan(
  items: readonly InstallableSkill[],
  state: DirectoryState,
  { mode = 'owned' as 'owned' | 'additive', force = false, isComplete = true } = {},
) {
  const { writes, ...rest } = planChanges({ items, isComplete }, state, { mode, force })
  return { ...rest, writes: writes.map(({ skill: { doc_id }, content }) => ({ doc_id, content })) }
}

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((slug) => skill(slug)) as [
  StubSkill,
  StubSkill,
  StubSkill,
  StubSkill,
  StubSkill,
]

describe('a plan for a directory of skills', () => {
  it('writes what is new or changed, and leaves what is there byte for byte', () => {
    const changed = skill('b', { content: '# other\n', version: 2 })
    const { writes, removals, unchanged } = plan([a, changed, c], directoryOf(a, b))
    expect(writes.map(({ doc_id }) => doc_id)).to.deep.equal(['agent/b', 'agent/c'])
    expect([removals, unchanged]).to.deep.equal([[], 1])
  })

  it('writes again what somebody edited, and what has another front matter, with contents that it asks for', () => {
    const edited = new Map([['a', { ...written(a), digest: digestOf('edited') }]])
    expect(plan([a], edited).writes).to.deep.equal([{ doc_id: 'agent/a', content: a.content }])
    const renamed = without({ ...a, name: 'Another name' })
    expect(plan([renamed], directoryOf(a))).to.deep.include({ writes: [], contentless: ['agent/a'] })
    const whole = { ...renamed, content: a.content }
    expect(plan([whole], directoryOf(a)).writes).to.deep.equal([{ doc_id: 'agent/a', content: a.content }])
    expect(plan([without(a)], directoryOf(a)).unchanged).to.equal(1)
    expect(plan([without(a)], edited), 'content that is neither sent nor there').to.deep.include({
      writes: [],
      contentless: ['agent/a'],
    })
  })

  it('knows the contents that every directory has as they were written', () => {
    const edited = new Map([...directoryOf(a, b), ['b', { ...written(b), digest: 'edited' }]])
    expect([...knownContents([directoryOf(a, b, c), edited])]).to.deep.equal([['agent/a', a.content_hash]])
    expect([...knownContents([])]).to.deep.equal([])
  })

  it('takes one of several skills for a slug: manual before agent before forge', () => {
    const all = (['forge', 'agent', 'manual'] as const).map((source) => skill('a', { source }))
    for (const items of [all, [...all].reverse()]) {
      const { writes, collisions } = plan(items, new Map())
      expect(writes.map(({ doc_id }) => doc_id)).to.deep.equal(['a'])
      expect(collisions).to.deep.equal([{ folder: 'a', winner: 'a', losers: ['agent/a', 'forge/a'] }])
    }
    // By the source, not by the name that it usually has.
    const odd = [skill('a', { source: 'forge', doc_id: '1' }), skill('a', { source: 'manual', doc_id: '2' })]
    expect(plan(odd, new Map()).collisions).to.deep.equal([{ folder: 'a', winner: '2', losers: ['1'] }])
    expect(plan(all.slice(0, 2), directoryOf(all[2]!)).writes.map(({ doc_id }) => doc_id)).to.deep.equal(['agent/a'])
  })

  it('writes a slug that is no name of the format under one that is, says so, and lets nobody take a person’s', () => {
    const longest = 'a'.repeat(100)
    const odd = ['my.skill', 'my--skill-', 'a_b', longest].map((slug) => skill(slug))
    const { renamings, collisions } = plan([...odd, b], new Map())
    expect(renamings).to.deep.equal([
      { doc_id: 'agent/a_b', folder: 'a-b' },
      { doc_id: `agent/${longest}`, folder: 'a'.repeat(64) },
      { doc_id: 'agent/my--skill-', folder: 'my-skill' },
    ])
    expect(collisions).to.deep.equal([{ folder: 'my-skill', winner: 'agent/my--skill-', losers: ['agent/my.skill'] }])
    const persons = skill('my.skill', { source: 'manual' })
    const { collisions: taken } = plan([skill('my-skill'), persons, skill('my_skill')], new Map())
    expect(taken).to.deep.equal([
      { folder: 'my-skill', winner: 'my.skill', losers: ['agent/my-skill', 'agent/my_skill'] },
    ])
    expect(plan([persons], directoryOf(skill('my-skill'))).removals).to.deep.equal([])
  })

  for (const slug of ['..', '.', '', '../x', 'a/b', '/etc', 'A', '-a', '.hidden', 'a\0', 'ä', 'a'.repeat(101), 'a\n'])
    it(`refuses the slug ${JSON.stringify(slug.slice(0, 10))} and writes the others`, () => {
      const { writes, refusals } = plan([skill(slug, { doc_id: 'agent/odd' }), b], new Map())
      expect(writes.map(({ doc_id }) => doc_id)).to.deep.equal(['agent/b'])
      expect(refusals).to.deep.equal([
        { name: slug, reason: 'agent/odd is not written: its slug is not one, but a path or other text.' },
      ])
    })

  const inTheWay: [string, string, DirectoryEntry, RegExp][] = [
    ['a link', 'a', { ...EMPTY, kind: 'link' }, /it is a symbolic link/],
    ['a file', 'a', { ...EMPTY, kind: 'other' }, /a file stands where its directory belongs/],
    ['a linked SKILL.md', 'a', { ...EMPTY, skillFile: 'link' }, /its SKILL\.md is a symbolic link/],
    ['a directory SKILL.md', 'a', { ...EMPTY, skillFile: 'other' }, /its SKILL\.md is not a file/],
    ['another case', 'A', FOREIGN, /A stands there\. It differs from a only by upper and lower case/],
  ]
  for (const [what, name, entry, reason] of inTheWay)
    it(`refuses a skill for ${what} in its place, and neither writes nor removes it`, () => {
      const { writes, removals, refusals } = plan([a, b], new Map([[name, entry]]))
      expect(writes.map(({ doc_id }) => doc_id)).to.deep.equal(['agent/b'])
      expect(refusals).to.have.length(1)
      expect(refusals[0]!.reason).to.match(reason)
      expect(removals).to.deep.equal([])
    })

  it('removes from an owned directory every skill that is not listed, and nothing that is no skill', () => {
    const state: DirectoryState = new Map([
      ...directoryOf(a),
      ['empty', EMPTY],
      ['file.txt', { ...EMPTY, kind: 'other' }],
      ['foreign', FOREIGN],
    ])
    expect(plan([a], state).removals).to.deep.equal(['foreign'])
    expect(plan([a], state, { isComplete: false }).removals, 'incomplete listing').to.deep.equal([])
  })

  it('touches in an additive directory only what bears the marker', () => {
    const state: DirectoryState = new Map([...directoryOf(a, b), ['c', FOREIGN], ['foreign', FOREIGN]])
    const { writes, removals, refusals } = plan([a, c], state, { mode: 'additive' })
    expect([writes, removals]).to.deep.equal([[], ['b']])
    expect(refusals.map(({ name }) => name)).to.deep.equal(['c'])
    expect(refusals[0]!.reason).to.match(/has no \.cairn-skill\.json, so it is somebody else's/)
    expect(plan([a, c], state).writes, 'owned').to.deep.equal([{ doc_id: 'agent/c', content: c.content }])
  })

  for (const mode of ['owned', 'additive'] as const) {
    it(`refuses to remove more than half of 4 or more without force (${mode})`, () => {
      const check = (items: StubSkill[], present: StubSkill[], force = false) => {
        const { removals, heldBack } = plan(items, directoryOf(...present), { mode, force })
        return [removals.length, heldBack.length]
      }
      expect(check([], [a, b, c])).to.deep.equal([3, 0])
      expect(check([a, b], [a, b, c, d])).to.deep.equal([2, 0])
      expect(check([a], [a, b, c, d])).to.deep.equal([0, 3])
      expect(check([], [a, b, c, d])).to.deep.equal([0, 4])
      expect(check([a, b], [a, b, c, d, e])).to.deep.equal([0, 3])
      expect(check([], [a, b, c, d], true)).to.deep.equal([4, 0])
    })
  }
})
