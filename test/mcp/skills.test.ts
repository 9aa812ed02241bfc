import { expect } from 'chai'
import type { components } from '../../contract/types.js'
import { envelope, type ErrorStatus } from '../../http/errors.js'
import type { CallOperation } from '../../http/message-endpoint.js'
import { SkillEntries } from '../../mcp/skill-entries.js'
import { listResources } from '../../mcp/resources.js'
import { getSkill, listSkills, readSkillResource, type SkillsContext } from '../../mcp/skills.js'
import { usedHeap } from '../support/garbage.js'

type Listed = components['schemas']['InstallableSkill']
type Asked = Partial<components['schemas']['InstallableQuery']>

const skill = (slug: string, given: Partial<Listed> = {}): Listed => ({
  doc_id: `agent/${slug}`,
  slug,
  name: slug,
  description: `When ${slug}.`,
  summary: null,
  content: `Do ${slug}.\n`,
  domain: 'x',
  kind: 'create',
  source: 'agent',
  tags: [],
  version: 1,
  content_hash: `sha256:${slug}`,
  front_matter: null,
  files: [],
  overruled: null,
  fleet_id: null,
  updated_at: '2026-01-01T00:00:00.000Z',
  ...given,
})

/** A catalogue of pages of two skills, with what was asked of it and which contents it gave. */
class Catalogue {
  readonly asked: Asked[] = []
  readonly given: string[] = []
  status: ErrorStatus | null = null

  constructor(public skills: Listed[]) {}

  context(entries = new SkillEntries(), tenantId: string | null = 'shed'): SkillsContext {
    return { entries, tenantId, callOperation: this.#answer }
  }

  readonly #answer: CallOperation = ({ operationId, body }) => {
    if (this.status !== null)
      return Promise.resolve({ status: this.status, headers: {}, body: envelope(this.status, 'No.') })
    expect(operationId).to.equal('listInstallable')
    const asked = body as Asked
    this.asked.push(asked)
    const { cursor = '0', include_content: withContent = true, known = {} } = asked
    const from = Number(cursor)
    const items = this.skills.slice(from, from + 2).map(({ content, ...facts }) => {
      if (!withContent || known[facts.doc_id] === facts.content_hash) return facts
      this.given.push(facts.doc_id)
      return { ...facts, content: content! }
    })
    const next_cursor = from + 2 < this.skills.length ? String(from + 2) : null
    return Promise.resolve({ status: 200, headers: {}, body: { items, next_cursor, complete: true, etag: '' } })
  }
}

describe('the skills of the protocol', () => {
  const slugs = ['a', 'b', 'c', 'd', 'e']
  const walk = async (context: SkillsContext) => {
    const uris: string[] = []
    for (let cursor: string | undefined; ;) {
      const { skills, nextCursor } = await listSkills(cursor, context)
      uris.push(...skills.map(({ uri }) => uri))
      if (nextCursor === undefined) return uris
      cursor = nextCursor
    }
  }
  const uris = slugs.map((slug) => `skill://agent/${slug}/SKILL.md`)

  it('are listed by pages, and their contents read once', async () => {
    const catalogue = new Catalogue(slugs.map((slug) => skill(slug)))
    const context = catalogue.context()
    expect(await walk(context)).to.deep.equal(uris)
    expect(catalogue.given).to.deep.equal(slugs.map((slug) => `agent/${slug}`))
    catalogue.asked.length = 0
    expect(await walk(context)).to.deep.equal(uris)
    expect(catalogue.given).to.have.length(5)
    expect(catalogue.asked.map(({ include_content }) => include_content)).to.deep.equal([false, false, false])
  })

  it('have their content read again where it changed alone, or the name did', async () => {
    const catalogue = new Catalogue(slugs.map((slug) => skill(slug)))
    const context = catalogue.context()
    const before = (await listSkills(undefined, context)).skills
    catalogue.given.length = 0
    catalogue.skills[0] = skill('a', { content: 'Do else.\n', content_hash: 'sha256:else', version: 2 })
    const after = (await listSkills(undefined, context)).skills
    expect(catalogue.given).to.deep.equal(['agent/a'])
    expect(after[0]!.resources).not.to.deep.equal(before[0]!.resources)
    expect(after[1]).to.deep.equal(before[1])
    catalogue.skills[1] = skill('b', { name: 'Another' })
    const renamed = (await listSkills(undefined, context)).skills
    expect(renamed[1]!.frontmatter).to.have.nested.property('metadata.title', 'Another')
  })

  it('are resources without any content being read', async () => {
    const catalogue = new Catalogue(slugs.map((slug) => skill(slug)))
    const context = catalogue.context()
    const { resources, nextCursor } = await listResources(undefined, context)
    expect(resources.map(({ uri }) => uri)).to.include.members(['cairn://keystones', ...uris.slice(0, 2)])
    const next = await listResources(nextCursor, context)
    expect(next.resources.map(({ uri }) => uri)).to.deep.equal(uris.slice(2, 4))
    expect(catalogue.given).to.deep.equal([])
  })

  it('are listed while others are answered', async () => {
    const lines = Array.from({ length: 400 }, (_, i) => `x-${i}: [a, {b: c}, "d"]\n`).join('')
    const slugs = Array.from({ length: 60 }, (_, i) => `s${i}`)
    const items = slugs.map((slug) =>
      skill(slug, { front_matter: `---\nname: ${slug}\ndescription: When ${slug}.\n${lines}---\n` }),
    )
    const callOperation: CallOperation = () =>
      Promise.resolve({ status: 200, headers: {}, body: { items, next_cursor: null, complete: true, etag: '' } })
    const context: SkillsContext = { entries: new SkillEntries(), tenantId: 'shed', callOperation }
    const turnsDuring = async () => {
      let [turns, isDone] = [0, false]
      const count = () => isDone || (turns++, setImmediate(count))
      setImmediate(count)
      const { resources } = await listResources(undefined, context)
      isDone = true
      expect(resources.filter(({ uri }) => uri.startsWith('skill:'))).to.have.length(60)
      return turns
    }
    expect(await turnsDuring()).to.be.at.least(5)
  })

  it('keep of a front matter in memory no more than what it says of the skill', () => {
    const entries = new SkillEntries()
    const [count, size] = [1_000, 16_000]
    const before = usedHeap()
    for (let i = 0; i < count; i++) {
      const front_matter = `---\nname: a-name-of-some-length-${i}\ndescription: When it is ${i}.\n# ${'x'.repeat(size)}\n---\n`
      expect(entries.headOf(skill('a', { front_matter }))).to.include({ description: `When it is ${i}.` })
    }
    expect(usedHeap() - before).to.be.below((count * size) / 4)
    expect(entries.headOf(skill('a'))).to.not.equal(null)
  })

  it('are none for a caller who may read none', async () => {
    const catalogue = new Catalogue(slugs.map((slug) => skill(slug)))
    expect(await listSkills(undefined, catalogue.context(undefined, null))).to.deep.equal({ skills: [] })
    expect(catalogue.asked).to.deep.equal([])
    catalogue.status = 403
    expect(await listSkills(undefined, catalogue.context())).to.deep.equal({ skills: [] })
  })

  for (const [status, code] of [
    [400, -32602],
    [429, -32000],
    [503, -32000],
  ] as const)
    it(`are refused with REST’s ${status} as ${code}, never as none`, async () => {
      const catalogue = new Catalogue([])
      catalogue.status = status
      const context = catalogue.context()
      const asked = [
        () => listSkills('x', context),
        () => listResources('x', context),
        ...(status === 400
          ? []
          : [() => getSkill(uris[0]!, context), () => readSkillResource('skill://agent/a/x', context)]),
      ]
      for (const ask of asked) {
        const error: unknown = await ask().catch((thrown: unknown) => thrown)
        expect(error).to.deep.include({ code, data: envelope(status, 'No.') })
      }
    })
})
