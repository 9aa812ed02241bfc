import { expect } from 'chai'
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { lstatSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConnectionError, ServiceError } from '../../../client/index.js'
import { CommandError } from '../../../cli/failure.js'
import { createServiceClient } from '../../../cli/service-client.js'
import { applyPlan } from '../../../cli/skills/apply.js'
import { createSkillCatalogue, type SkillCatalogue } from '../../../cli/skills/catalogue.js'
import { readDirectoryState } from '../../../cli/skills/directory-state.js'
import { skillFile } from '../../../domain/skills/skill-file.js'
import { digestOf } from '../../../cli/skills/installable-file.js'
import { NotedFiles } from '../../../cli/skills/noted-files.js'
import { planChanges } from '../../../cli/skills/plan.js'
import { syncDirectories } from '../../../cli/skills/sync.js'
import { resolveTargets, type SkillTarget } from '../../../cli/skills/targets.js'
import { acquireLock } from '../../../runtime/process-lock.js'
import { skill, startSkillsStub, type SkillsStub, type StubSkill } from '../../support/skills-stub.js'
import { mountSmallDisk } from '../../support/small-disk.js'

const disk = await mountSmallDisk(1)
after(() => disk?.remove())

describe('a sync of skills', () => {
  let stub: SkillsStub
  let catalogue: SkillCatalogue
  let root: string
  let dir: string
  beforeEach(async () => {
    stub = await startSkillsStub()
    catalogue = createSkillCatalogue(createServiceClient(stub.url, 'key'), { tenantId: 't' })
    root = await realpath(await mkdtemp(join(tmpdir(), 'cairn-sync-')))
    dir = join(root, 'skills')
  })
  afterEach(async () => {
    await stub.stop()
    await rm(root, { recursive: true })
  })

  const owned = (path = dir): SkillTarget => ({ dir: path, mode: 'owned', register: false })
  const additive = (path = dir): SkillTarget => ({ dir: path, mode: 'additive', register: false })
  const sync = async (targets: SkillTarget[] = [owned()], { dryRun = false, force = false } = {}) =>
    syncDirectories(await resolveTargets(targets), catalogue, { dryRun, force })
  const one = async (target: SkillTarget, options = {}) => (await sync([target], options))[0]!
  const textOf = (slug: string) => readFile(join(dir, slug, 'SKILL.md'), 'utf8')
  const put = async (path: string, text: string) => {
    await mkdir(join(path, '..'), { recursive: true })
    await writeFile(path, text)
  }
  const skills = (...slugs: string[]) => slugs.map((slug) => skill(slug))
  /** Returns every path below a directory with its text, or what it is. */
  async function tree(path = dir): Promise<Record<string, string>> {
    const names = await readdir(path, { recursive: true }).catch(() => [])
    const found = names.sort().map(async (name) => {
      const stats = await lstat(join(path, name))
      const text = stats.isFile() ? await readFile(join(path, name), 'utf8') : stats.isDirectory() ? '/' : '@'
      return [name, text] as const
    })
    return Object.fromEntries(await Promise.all(found))
  }
  const expectDelivered = async (items: readonly StubSkill[]) => {
    expect(await readdir(dir)).to.deep.equal(items.map(({ slug }) => slug).sort())
    for (const item of items) expect(await textOf(item.slug)).to.equal(skillFile(item, item.content))
  }

  it('writes each skill, touches none that is there, and removes what is retired', async () => {
    stub.skills = skills('a', 'b', 'c')
    await sync()
    await expectDelivered(stub.skills)
    expect(await readdir(join(dir, 'a'))).to.deep.equal(['.cairn-skill.json', 'SKILL.md'])
    const before = await stat(join(dir, 'a', 'SKILL.md'))
    stub.skills = [stub.skills[0]!, skill('b', { content: '# new\n', version: 2 })]
    await sync()
    await expectDelivered(stub.skills)
    const after = await stat(join(dir, 'a', 'SKILL.md'))
    expect([after.ino, after.mtimeMs]).to.deep.equal([before.ino, before.mtimeMs])
  })

  it('keeps what else stands beside a SKILL.md that it replaces', async () => {
    stub.skills = skills('a')
    await put(join(dir, 'a', 'notes.txt'), 'mine')
    await put(join(dir, 'a', 'SKILL.md'), 'edited')
    await sync()
    await expectDelivered(stub.skills)
    expect(await readFile(join(dir, 'a', 'notes.txt'), 'utf8')).to.equal('mine')
  })

  describe('with files beside SKILL.md', () => {
    const FRONT_MATTER = '\uFEFF---\r\nname: a\r\nx: 1\r\n---\r\n'
    const file = (path: string, text: string, executable = false) => {
      const bytes = Buffer.from(text, 'latin1')
      stub.bytes.set(digestOf(bytes), bytes)
      return { path, size: bytes.length, hash: digestOf(bytes), executable }
    }
    const textAt = (path: string) => readFile(join(dir, path), 'latin1')
    const isExecutable = async (path: string) => ((await stat(join(dir, path))).mode & 0o100) !== 0

    it('writes what was imported byte for byte, and each file once', async () => {
      const files = [file('scripts/run me.sh', '\0\xff\r\n', true), file('é.md', '')]
      stub.skills = [skill('a', { front_matter: FRONT_MATTER, content: '# A', files })]
      await sync()
      expect(await textOf('a')).to.equal(`${FRONT_MATTER}# A`)
      expect([await textAt('a/scripts/run me.sh'), await textAt('a/é.md')]).to.deep.equal(['\0\xff\r\n', ''])
      expect([await isExecutable('a/scripts/run me.sh'), await isExecutable('a/é.md')]).to.deep.equal([true, false])
      const before = await stat(join(dir, 'a', 'é.md'))
      stub.skills = [skill('a', { content: '# B\n', version: 2, files: [file('é.md', ''), file('b/c/d', 'new')] })]
      await put(join(dir, 'a', 'mine.txt'), 'mine')
      await sync()
      expect(Object.keys(await tree(join(dir, 'a')))).to.have.members([
        ...['.cairn-skill.json', 'SKILL.md', 'b', 'b/c', 'b/c/d', 'mine.txt', 'é.md'],
      ])
      expect((await stat(join(dir, 'a', 'é.md'))).ino).to.equal(before.ino)
    })

    it('writes again what somebody changed or removed', async () => {
      const files = [file('a/x', 'x'), file('y', 'y', true), file('z', 'z')]
      stub.skills = [skill('a', { files })]
      await sync()
      await writeFile(join(dir, 'a', 'a', 'x'), 'edited')
      await chmod(join(dir, 'a', 'y'), 0o644)
      await rm(join(dir, 'a', 'z'))
      await sync()
      expect([await textAt('a/a/x'), await isExecutable('a/y'), await textAt('a/z')]).to.deep.equal(['x', true, 'z'])
    })

    it('writes through no link, and leaves everything as it was when a file is not to be had', async () => {
      const outside = join(root, 'outside')
      await mkdir(outside)
      stub.skills = [skill('a', { files: [file('a/x', 'x')] })]
      await sync()
      await rm(join(dir, 'a', 'a'), { recursive: true })
      await symlink(outside, join(dir, 'a', 'a'))
      expect((await one(owned())).plan!.refusals[0]!.reason).to.match(
        /a symbolic link stands there|a file stands where/,
      )
      expect(await readdir(outside)).to.deep.equal([])
      await rm(join(dir, 'a', 'a'))
      await sync()
      const before = await tree()
      stub.skills = [skill('b'), skill('a', { version: 2, files: [file('a/x', 'y')] })]
      stub.bytes.set(file('a/x', 'y').hash, Buffer.from('other'))
      expect(await sync().catch(String)).to.match(/agent\/a has changed since it was listed/)
      expect(await tree()).to.deep.equal(before)
    })

    it('puts a folder in the place of a file, and a file in that of a folder', async () => {
      const versions = [
        [file('a', 'file'), file('b/c/d', 'deep'), file('kept', 'kept')],
        [file('a/x', 'deeper'), file('b', 'file'), file('kept', 'kept')],
        [file('a/x/y', 'deepest'), file('b', 'other'), file('kept', 'kept')],
      ]
      for (const i of [0, 1, 2, 1, 0, 2, 0]) {
        stub.skills = [skill('s', { files: versions[i]! }), skill('t')]
        expect(await one(owned()))
          .to.deep.include({ failure: null })
          .and.nested.include({ 'plan.refusals.length': 0 })
        const found = Object.entries(await tree(join(dir, 's')))
        const texts = found.filter(([name, text]) => text !== '/' && name !== 'SKILL.md' && !name.startsWith('.'))
        expect(Object.fromEntries(texts)).to.deep.equal(
          Object.fromEntries(versions[i]!.map(({ path, hash }) => [path, stub.bytes.get(hash)!.toString()])),
        )
      }
    })

    it('says of a skill that it cannot be written, and goes on with the others', async () => {
      stub.skills = [skill('a'), skill('b', { files: [file('x', 'x')] }), skill('c')]
      await sync()
      await rm(join(dir, 'b', 'x'))
      await put(join(dir, 'b', 'x', 'mine'), 'mine')
      const before = await tree(join(dir, 'b'))
      stub.skills = ['a', 'b', 'c', 'd'].map((slug) => skill(slug, { content: `# new ${slug}\n` }))
      stub.skills = stub.skills.map((one) => (one.slug === 'b' ? { ...one, files: [file('x', 'y')] } : one))
      const { plan, failure } = await one(owned())
      expect([failure, plan!.refusals, plan!.writes.map(({ folder }) => folder)]).to.deep.equal([
        null,
        [{ name: 'b', reason: `${join(dir, 'b', 'x')}: a directory stands where a file belongs.` }],
        ['a', 'c', 'd'],
      ])
      expect(await tree(join(dir, 'b'))).to.deep.equal(before)
      for (const slug of ['a', 'c', 'd']) expect(await textOf(slug)).to.contain(`# new ${slug}`)
      await rm(join(dir, 'b', 'x'), { recursive: true })
      expect((await one(owned())).plan!.writes.map(({ folder }) => folder)).to.deep.equal(['b'])
      expect(await textAt('b/x')).to.equal('y')
    })

    it('takes a noted hash for a file that nobody touched, and reads it otherwise', async () => {
      stub.skills = [skill('a', { files: [file('x', 'x')] })]
      await sync()
      const notes = await NotedFiles.read(dir)
      const stats = await lstat(join(dir, 'a', 'x'), { bigint: true })
      notes.add('a/x', { stats, hash: digestOf('noted'), now: Date.now() + 60_000 })
      await notes.save(dir)
      const writes = async () => (await one(owned(), { dryRun: true })).plan!.writes.length
      expect(await writes()).to.equal(1)
      await chmod(join(dir, 'a', 'x'), 0o640)
      expect(await writes()).to.equal(0)
    })

    it('refuses a skill with a path that leads elsewhere or that not every system allows, and writes the others', async () => {
      for (const path of [
        '../x',
        '/x',
        'a/../../x',
        'SKILL.md',
        '.git/config',
        'docs/what?.md',
        'ops/10:30.md',
        'aux',
      ]) {
        stub.skills = [skill('a', { files: [file('y', 'y'), file(path, 'x')] }), skill('b')]
        const { plan, failure } = await one(owned())
        expect([failure, plan!.refusals.map(({ name }) => name)], path).to.deep.equal([null, ['a']])
        expect(plan!.refusals[0]!.reason).to.include(`its file ${path} `)
        await expectDelivered([skill('b')])
      }
      expect(await readdir(root)).to.deep.equal(['skills'])
    })

    it('leaves a skill as it is whose paths were allowed when it was written, and removes the others', async () => {
      const before = [skill('a', { files: [file('what', 'x')] }), skill('b'), skill('c')]
      stub.skills = before
      await sync()
      stub.skills = [skill('a', { files: [file('what?', 'x')], version: 2 }), skill('b')]
      const { plan } = await one(owned())
      expect([plan!.removals, plan!.refusals.map(({ name }) => name)]).to.deep.equal([['c'], ['a']])
      await expectDelivered(before.slice(0, 2))
      expect(await textAt('a/what')).to.equal('x')
    })

    it('puts back what a skill has when it cannot go on after it made a folder', async () => {
      stub.skills = [skill('s', { files: [file('a', 'old')] })]
      await sync()
      const before = await tree()
      const name = 'x'.repeat(256)
      const next = skill('s', { files: [file(`a/${name}`, 'new')], version: 2 })
      const present = (await readDirectoryState(dir)).get('s')!
      const plan = planChanges({ items: [], isComplete: true }, new Map(), { mode: 'owned', force: false })
      const writes = [{ skill: next, folder: 's', content: next.content, present }]
      const faults = await applyPlan(
        dir,
        { ...plan, writes },
        { readFile: () => Promise.resolve(Buffer.from('new')), marks: true },
      )
      expect(faults.map(({ name }) => name)).to.deep.equal(['s'])
      expect(await tree()).to.deep.equal(before)
    })

    it('keeps what it replaced, and says where, when somebody keeps it from being put back', async () => {
      stub.skills = [skill('r'), skill('s', { files: [file('a', 'old')] })]
      await sync()
      // What the last rename finds out.
      await rm(join(dir, 's', '.cairn-skill.json'))
      await mkdir(join(dir, 's', '.cairn-skill.json', 'x'), { recursive: true })
      const marker = { doc_id: 'agent/s', content_hash: '', digest: '', made_of: '', files: [file('a', 'old')] }
      const state = await readDirectoryState(dir)
      const present = { ...state.get('s')!, marker, files: new Map([['a', file('a', 'old')]]) }
      const next = skill('s', { files: [file('a/x', 'new')], version: 2 })
      const plan = planChanges({ items: [], isComplete: true }, new Map(), { mode: 'owned', force: false })
      const writes = [
        { skill: skill('r', { content: '# new\n' }), folder: 'r', content: '# new\n', present: state.get('r')! },
        { skill: next, folder: 's', content: next.content, present },
      ]
      const before = await textOf('r')
      let isDone = false
      const meddle = () => {
        if (isDone) return
        if (lstatSync(join(dir, 's', 'a'), { throwIfNoEntry: false })?.isDirectory())
          writeFileSync(join(dir, 's', 'a', 'mine'), 'mine')
        setImmediate(meddle)
      }
      meddle()
      const readFile = () => Promise.resolve(Buffer.from('new'))
      const error: unknown = await applyPlan(dir, { ...plan, writes }, { readFile, marks: true }).catch(
        (thrown: unknown) => thrown,
      )
      isDone = true
      expect(error).to.be.instanceOf(CommandError)
      const [, kept] = /What was replaced is in (.*)\.$/.exec((error as Error).message)!
      expect((error as Error).message).to.not.match(/proc/)
      expect(Object.values(await tree(kept))).to.include('old')
      expect(await textOf('r'), 'what another skill has').to.equal(before)
      await rm(join(dir, 's'), { recursive: true })
      stub.skills = [skill('r')]
      await sync()
      expect(Object.values(await tree(kept)), 'after another round').to.include('old')
    })
  })

  it('asks for contents that it does not have, and for none when nothing has changed', async () => {
    stub.skills = skills('a', 'b')
    await sync()
    expect(stub.requests.map(({ known }) => known)).to.deep.equal([{}])
    await sync()
    expect(
      stub.requests.slice(1).map(({ limit }) => limit),
      'one look at the etag',
    ).to.deep.equal([1])
    stub.skills = [stub.skills[0]!, skill('b', { content: '# new\n' })]
    await sync()
    expect(Object.keys(stub.requests.at(-1)!.known)).to.deep.equal(['agent/a', 'agent/b'])
    await expectDelivered(stub.skills)
    await writeFile(join(dir, 'a', 'SKILL.md'), 'edited')
    await sync()
    expect(Object.keys(stub.requests.at(-1)!.known)).to.deep.equal(['agent/b'])
    await expectDelivered(stub.skills)
  })

  it('asks again for a content that it has, to write another front matter', async () => {
    stub.skills = skills('a')
    await sync()
    stub.skills = [skill('a', { name: 'Renamed', version: 3 }), skill('b')]
    await sync()
    expect(stub.requests.slice(-2).map(({ known }) => known)).to.deep.equal([
      { 'agent/a': stub.skills[0]!.content_hash },
      {},
    ])
    await expectDelivered(stub.skills)
  })

  it('takes no hash from a marker that is none', async () => {
    stub.skills = skills('a')
    await sync()
    const marker = join(dir, 'a', '.cairn-skill.json')
    await writeFile(marker, (await readFile(marker, 'utf8')).replace(/"content_hash":"[^"]*"/, '"content_hash":"x"'))
    stub.skills = skills('a', 'b')
    await sync()
    expect(stub.requests.at(-1)!.known).to.deep.equal({})
    await expectDelivered(stub.skills)
  })

  it('reports skills of one slug, and writes the one of a person', async () => {
    stub.skills = [skill('a', { source: 'forge' }), skill('a', { source: 'manual' })]
    const { plan } = await one(owned())
    expect(plan!.collisions).to.deep.equal([{ folder: 'a', winner: 'a', losers: ['forge/a'] }])
    await expectDelivered([stub.skills[1]!])
    stub.skills = stub.skills.slice(0, 1)
    await sync()
    await expectDelivered(stub.skills)
  })

  it('changes nothing in a dry run, and says what it would', async () => {
    await put(join(dir, 'old', 'SKILL.md'), 'old')
    stub.skills = skills('a')
    const { plan } = await one(owned(), { dryRun: true })
    expect(plan!.writes.map(({ skill: { slug } }) => slug)).to.deep.equal(['a'])
    expect(plan!.removals).to.deep.equal(['old'])
    expect(await tree()).to.deep.equal({ old: '/', 'old/SKILL.md': 'old' })
    await one(owned(join(root, 'new')), { dryRun: true })
    expect(await readdir(root)).to.deep.equal(['skills'])
  })

  it('does not empty a directory of four for an empty catalogue, unless forced', async () => {
    stub.skills = skills('a', 'b', 'c', 'd')
    await sync()
    stub.skills = []
    expect((await one(owned())).plan!.heldBack).to.deep.equal(['a', 'b', 'c', 'd'])
    expect(await readdir(dir)).to.have.length(4)
    await sync([owned()], { force: true })
    expect(await readdir(dir)).to.deep.equal([])
  })

  it('leaves skills of others alone in an additive directory', async () => {
    await put(join(dir, 'theirs', 'SKILL.md'), 'theirs')
    await put(join(dir, 'b', 'SKILL.md'), 'theirs too')
    stub.skills = skills('a', 'b')
    const { plan } = await one(additive())
    expect(plan!.refusals.map(({ name }) => name)).to.deep.equal(['b'])
    stub.skills = []
    await one(additive())
    expect(await tree()).to.deep.equal({
      b: '/',
      'b/SKILL.md': 'theirs too',
      theirs: '/',
      'theirs/SKILL.md': 'theirs',
    })
  })

  describe('with a listing that is not whole', () => {
    beforeEach(async () => {
      stub.skills = skills('a', 'b', 'c')
      await sync()
      stub.pageSize = 1
      // Forgets the etag, as a new process would.
      catalogue = createSkillCatalogue(createServiceClient(stub.url, 'key'), { tenantId: 't' })
      stub.skills = [skill('a', { content: '# new\n' }), skill('b')]
    })

    it('changes nothing when the connection is lost on the second page', async () => {
      const before = await tree()
      for (const fault of ['drop', 503] as const) {
        stub.fault = (page) => (page === 2 ? fault : null)
        const error = await sync().then(
          () => null,
          (reason: Error) => reason,
        )
        expect(error).to.be.instanceOf(fault === 'drop' ? ConnectionError : ServiceError)
        expect(await tree()).to.deep.equal(before)
      }
      stub.fault = () => null
      await sync()
      await expectDelivered(stub.skills)
    })

    it('removes nothing when the last page does not say that it is complete', async () => {
      stub.fault = (page) => (page === 2 ? { complete: false } : null)
      await sync()
      expect(await readdir(dir)).to.deep.equal(['a', 'b', 'c'])
      expect(await textOf('a')).to.contain('# new')
    })

    it('lists again what changes meanwhile', async () => {
      const last = stub.skills
      for (const changedOn of [1, 2]) {
        stub.skills = [...last, skill('c')]
        await sync()
        let changes = 0
        // As the service does, which names a walk's pages by the catalogue at its beginning, or as one that names each.
        stub.fault = (page) => {
          if (page === changedOn && changes++ === 0) stub.skills = last
          return null
        }
        stub.skills = [...last, skill('c', { content: '# other\n' })]
        await sync()
        await expectDelivered(last)
      }
    })

    it('removes nothing while the catalogue never stands still', async () => {
      let changes = 0
      stub.fault = () => ({ etag: String(changes++) })
      stub.skills = skills('a', 'x')
      await sync()
      expect(await readdir(dir)).to.deep.equal(['a', 'b', 'c', 'x'])
    })

    it('keeps a skill that comes back behind the walk', async () => {
      let isBack = false
      const walks: string[] = []
      stub.skills = skills('b', 'c')
      // The pages bear the tag of the walk's beginning; only the catalogue after the last one shows what came back.
      stub.fault = (page, { limit }) => {
        if (limit === 1) return null
        walks.push(String(page))
        if (page === 2 && !isBack) {
          isBack = true
          const answer = { items: [skill('c')], next_cursor: null, complete: true, etag: stub.etag() }
          stub.skills = skills('a', 'b', 'c')
          return answer
        }
        return null
      }
      await sync()
      expect(walks).to.deep.equal(['1', '2', '1', '2', '3'])
      expect(await readdir(dir)).to.deep.equal(['a', 'b', 'c'])
    })

    for (const [what, answer] of Object.entries({
      'no items': { items: null },
      'a cursor that leads back to itself': { next_cursor: 'agent/a' },
      'a skill without slug': { items: [{ ...skill('a'), slug: 7 }] },
      'a content that is no text': { items: [{ ...skill('a'), content: 7 }] },
    }))
      it(`changes nothing for an answer with ${what}`, async () => {
        const before = await tree()
        stub.fault = () => answer
        const error = await sync().then(
          () => null,
          (reason: Error) => reason.message,
        )
        expect(error).to.match(new RegExp(`the service answers .* with ${what}`))
        expect(await tree()).to.deep.equal(before)
      })
  })

  describe('writes nothing outside of its directory', () => {
    let outside: string
    beforeEach(async () => {
      outside = join(root, 'outside')
      await put(join(outside, 'SKILL.md'), 'outside')
      await mkdir(dir)
      stub.skills = skills('a', 'b')
    })
    const isAsBefore = async () => expect(await tree(outside)).to.deep.equal({ 'SKILL.md': 'outside' })
    const isRefused = async (mode: SkillTarget, reason: RegExp) => {
      const { plan, failure } = await one(mode)
      expect(failure).to.equal(null)
      expect(plan!.refusals.map(({ name }) => name)).to.deep.equal(['a'])
      expect(plan!.refusals[0]!.reason).to.match(reason)
      expect(await textOf('b')).to.equal(skillFile(skill('b'), skill('b').content))
    }

    for (const mode of [owned, additive])
      it(`through a directory that is a link (${mode().mode})`, async () => {
        await symlink(outside, join(dir, 'a'))
        await isRefused(mode(), /it is a symbolic link, and nothing is written through one/)
        await isAsBefore()
      })

    it('through a SKILL.md that is a link', async () => {
      await mkdir(join(dir, 'a'))
      await symlink(join(outside, 'SKILL.md'), join(dir, 'a', 'SKILL.md'))
      await isRefused(owned(), /its SKILL\.md is a symbolic link/)
      await isAsBefore()
    })

    for (const what of ['a directory', 'a SKILL.md', 'a target'] as const)
      it(`through a link that takes the place of ${what} after it was looked at`, async () => {
        stub.skills = skills('a', 'b')
        await sync()
        stub.skills = [skill('a', { content: 'New.\n' }), skill('b'), skill('c')]
        const listing = await catalogue.list(new Map())
        const plan = planChanges(listing, await readDirectoryState(dir), { mode: 'owned', force: false })
        const [path, to] = {
          'a directory': [join(dir, 'a'), outside],
          'a SKILL.md': [join(dir, 'a', 'SKILL.md'), join(outside, 'SKILL.md')],
          'a target': [dir, outside],
        }[what] as [string, string]
        // As if the place that the link leads to were a skill's, or a target, itself.
        if (what !== 'a SKILL.md') await cp(path, to, { recursive: true })
        const before = await tree(outside)
        await rename(path, join(root, 'moved'))
        await symlink(to, path)
        const faults = await applyPlan(dir, plan, { readFile: catalogue.readFile, marks: true }).catch(
          ({ path: name, message: reason }: NodeJS.ErrnoException) => [{ name: name!, reason }],
        )
        expect(faults.map(({ name }) => name)).to.deep.equal([what === 'a target' ? dir : 'a'])
        expect(faults[0]!.reason).to.not.match(/proc/)
        expect(await tree(outside)).to.deep.equal(before)
      })

    it('in a directory in which everybody may write', async () => {
      stub.skills = skills('a')
      await chmod(dir, 0o777)
      expect((await one(owned())).failure).to.match(/everybody on this machine may write there/)
      expect(await tree()).to.deep.equal({})
      await chmod(dir, 0o775)
      expect((await one(owned())).failure).to.equal(null)
      await chmod(dir, 0o777)
      for (const dryRun of [false, true])
        expect((await one(owned(), { dryRun })).failure, 'with nothing to write').to.match(/everybody on this machine/)
    })

    it('by removing a link that is not listed, or a directory with one', async () => {
      await symlink(outside, join(dir, 'old'))
      await put(join(dir, 'older', 'x'), 'x')
      await symlink(join(outside, 'SKILL.md'), join(dir, 'older', 'SKILL.md'))
      await sync()
      expect(await readdir(dir)).to.deep.equal(['a', 'b'])
      await isAsBefore()
    })

    it('through a link in the place of what it stages', async () => {
      await symlink(outside, join(dir, '.cairn-sync'))
      await sync()
      await expectDelivered(stub.skills)
      await isAsBefore()
    })

    it('for a slug that is a path', async () => {
      stub.skills = [skill('../outside', { doc_id: 'agent/x' }), skill('b')]
      const { plan } = await one(owned())
      expect(plan!.refusals).to.have.length(1)
      await expectDelivered([skill('b')])
      await isAsBefore()
    })

    it('while the directory itself may be a link', async () => {
      const link = join(root, 'link')
      await symlink(dir, link)
      await one(owned(link))
      await expectDelivered(stub.skills)
      expect((await lstat(link)).isSymbolicLink()).to.equal(true)
    })
  })

  describe('leaves a directory as it was', () => {
    it('that is a file, or lies below one, and delivers to the others', async () => {
      await writeFile(dir, 'a file')
      stub.skills = skills('a')
      const other = join(root, 'other')
      const reports = await sync([owned(), owned(other)])
      expect(reports.map(({ failure }) => failure && failure.replace(root, ''))).to.deep.equal([
        null,
        '/skills: a file stands where a directory belongs.',
      ])
      expect(await readdir(other)).to.deep.equal(['a'])
      expect((await one(owned(join(dir, 'below')))).failure).to.match(/a file stands where a directory belongs/)
      expect(await readFile(dir, 'utf8')).to.equal('a file')
    })

    it('in which a file stands where a skill belongs, for that skill alone', async () => {
      await put(join(dir, 'a'), 'a file')
      await mkdir(join(dir, 'b', 'SKILL.md'), { recursive: true })
      stub.skills = skills('a', 'b', 'c')
      const { plan } = await one(owned())
      expect(plan!.refusals.map(({ name }) => name)).to.deep.equal(['a', 'b'])
      expect(await readFile(join(dir, 'a'), 'utf8')).to.equal('a file')
      expect(await textOf('c')).to.contain('# c')
    })

    it('in which a skill may not be read, for that skill alone', async () => {
      stub.skills = skills('a', 'b')
      await sync()
      await chmod(root, 0o755)
      await chmod(join(dir, 'b'), 0)
      stub.skills = skills('b', 'c')
      const reports = await withoutWriting(dir, () => sync([owned()], { dryRun: true }))
      await chmod(join(dir, 'b'), 0o755)
      const { refusals, writes, removals } = reports[0]!.plan!
      expect(refusals).to.deep.equal([
        { name: 'b', reason: `${join(dir, 'b', 'SKILL.md')}: this user may not read or write there.` },
      ])
      expect([writes.map(({ folder }) => folder), removals]).to.deep.equal([['c'], ['a']])
    })

    it('in which a skill of the service may not be read, which is retired, and not one of somebody else (additive)', async () => {
      stub.skills = skills('a', 'b')
      await sync([additive()])
      await put(join(dir, 'theirs', 'SKILL.md'), 'theirs')
      await chmod(root, 0o755)
      const hidden = ['a', 'theirs'].map((name) => join(dir, name, 'SKILL.md'))
      for (const path of hidden) await chmod(path, 0)
      await chmod(join(dir, 'b'), 0)
      stub.skills = []
      const reports = await withoutWriting(dir, () => sync([additive()], { dryRun: true }))
      await chmod(join(dir, 'b'), 0o755)
      const { refusals, removals } = reports[0]!.plan!
      expect([refusals.map(({ name }) => name), removals]).to.deep.equal([['a', 'b'], []])
    })

    it('that may not be written', async () => {
      stub.skills = skills('a', 'b', 'c')
      await sync()
      stub.skills = [skill('a', { content: '# new\n' }), ...skills('b', 'd')]
      await chmod(root, 0o755)
      const before = await tree()
      const failure = await withoutWriting(dir, async () => (await one(owned())).failure)
      expect(failure).to.match(/: this user may not read or write there\.$/)
      expect(await tree()).to.deep.equal(before)
    })

    it('that a skill has, when one of its renames fails', async () => {
      stub.skills = skills('a', 'b', 'c')
      await sync()
      // A directory cannot be replaced by a file, which only the rename finds out.
      await rm(join(dir, 'b', '.cairn-skill.json'))
      await mkdir(join(dir, 'b', '.cairn-skill.json', 'x'), { recursive: true })
      stub.skills = ['a', 'b', 'd'].map((slug) => skill(slug, { content: '# new\n' }))
      const before = await tree(join(dir, 'b'))
      const { plan } = await one(owned())
      expect(plan!.refusals.map(({ name }) => name)).to.deep.equal(['b'])
      expect(plan!.refusals[0]!.reason).to.match(
        /skills\/b\/\.cairn-skill\.json: a directory stands where a file belongs\.$/,
      )
      expect(await tree(join(dir, 'b'))).to.deep.equal(before)
      expect(await textOf('a')).to.contain('# new')
    })

    it('that it would have had to create, when the service does not answer', async () => {
      stub.fault = () => 503
      await sync([owned(join(dir, 'deep', 'er'))]).catch(() => undefined)
      expect(await readdir(root)).to.deep.equal([])
    })

    it('in which another sync is at work', async () => {
      stub.skills = skills('a')
      await mkdir(dir)
      const lock = await acquireLock(join(dir, '.cairn-sync.lock'))
      expect((await one(owned())).failure).to.match(/another sync is at work there \(process \d+\)/)
      expect(await readdir(dir)).to.deep.equal(['.cairn-sync.lock'])
      await lock.release()
      expect((await one(owned())).failure).to.equal(null)
      await expectDelivered(stub.skills)
    })

    if (disk)
      it('whose disk is full', async () => {
        dir = join(disk.path, 'skills')
        stub.skills = skills('a', 'b', 'c')
        await sync()
        stub.skills = ['a', 'b', 'd'].map((slug) => skill(slug, { content: `${slug}\n`.repeat(15_000) }))
        const before = await tree()
        await disk.fill()
        try {
          expect((await one(owned())).failure).to.match(/the disk is full/)
          expect(await tree()).to.deep.equal(before)
        } finally {
          await disk.free()
        }
        await sync()
        await expectDelivered(stub.skills)
      })
  })

  it('removes what a killed run left behind', async () => {
    stub.skills = skills('a')
    await put(join(dir, '.cairn-sync', 'new-a', 'SKILL.md'), 'half')
    await put(join(dir, '.cairn-sync', 'removed-old', 'SKILL.md'), 'old')
    await sync()
    await expectDelivered(stub.skills)
  })

  it('is done again by hand after a directory was moved away', async () => {
    stub.skills = skills('a', 'b')
    await sync()
    await rename(dir, join(root, 'away'))
    await sync()
    await expectDelivered(stub.skills)
  })
})

/** Runs work as a user who may not write to a directory: as another one where the tests run as root. */
async function withoutWriting<T>(directory: string, work: () => Promise<T>): Promise<T> {
  const isRoot = process.getuid!() === 0
  await chmod(directory, 0o555)
  if (isRoot) process.seteuid!(65_534)
  try {
    return await work()
  } finally {
    if (isRoot) process.seteuid!(0)
    await chmod(directory, 0o755)
  }
}
