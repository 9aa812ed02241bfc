import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServiceClient } from '../../../cli/service-client.js'
import { createSkillCatalogue } from '../../../cli/skills/catalogue.js'
import { skillFile } from '../../../domain/skills/skill-file.js'
import { syncDirectories } from '../../../cli/skills/sync.js'
import { resolveTargets } from '../../../cli/skills/targets.js'
import { type CairnProcess, runCairn, spawnCairn } from '../../support/processes.js'
import { skill, startSkillsStub, type SkillsStub, type StubSkill } from '../../support/skills-stub.js'
import { inTime, until } from '../../support/states.js'

const CLI = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/** Kills a process before its change of the disk with the number KILL_AT. */
const KILLED_BEFORE_A_CHANGE = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  let left = Number(process.env.KILL_AT)
  for (const name of ['copyFile', 'link', 'mkdir', 'rename', 'rm', 'writeFile']) {
    const original = fs.promises[name]
    fs.promises[name] = (...args) => {
      if (--left === 0) process.kill(process.pid, 'SIGKILL')
      return original(...args)
    }
  }
  syncBuiltinESMExports()`

describe('cairn skills sync', function () {
  this.timeout(120_000)
  let stub: SkillsStub
  let root: string
  let dir: string
  let config: string
  beforeEach(async () => {
    stub = await startSkillsStub()
    root = await realpath(await mkdtemp(join(tmpdir(), 'cairn-skills-')))
    dir = join(root, 'skills')
    config = join(root, 'openclaw.json')
  })
  afterEach(async () => {
    await stub.stop()
    await rm(root, { recursive: true })
  })

  const env = (targets: unknown = [{ dir, mode: 'owned' }], more: Record<string, string> = {}) => ({
    CAIRN_URL: stub.url,
    CAIRN_API_KEY: 'key-of-an-operator',
    SVC_SKILL_TARGETS: JSON.stringify(targets),
    OPENCLAW_CONFIG_PATH: config,
    ...more,
  })
  const sync = (args: string[] = [], targets?: unknown, more?: Record<string, string>) =>
    runCairn(['skills', 'sync', '--tenant', 't', ...args], { cwd: root, env: env(targets, more) })
  const textOf = (slug: string) => readFile(join(dir, slug, 'SKILL.md'), 'utf8')

  it('prints its plan in a dry run, and what it did', async () => {
    stub.skills = [skill('a', { source: 'forge' }), skill('a'), skill('b')]
    await mkdir(join(dir, 'old'), { recursive: true })
    await writeFile(join(dir, 'old', 'SKILL.md'), 'old')
    const dry = await sync(['--dry-run', '--fleet', 'red'])
    const changes = ['  add a (agent/a, version 1)', '  add b (agent/b, version 1)', '  remove old']
    const total = '  2 written, 1 removed, 0 unchanged'
    expect(dry.stdout.split('\n')).to.deep.equal([`${dir} (owned), dry run`, ...changes, total, ''])
    expect(dry.stderr).to.equal(`cairn: ${dir}: a is agent/a; left out: forge/a.\n`)
    expect(stub.requests.map(({ tenant_id, fleet_id }) => [tenant_id, fleet_id])).to.deep.equal([['t', 'red']])
    const done = await sync()
    expect([dry.code, done.code]).to.deep.equal([0, 0])
    expect(done.stdout.split('\n')).to.deep.equal([`${dir} (owned)`, ...changes, total, ''])
    expect(await readdir(dir)).to.deep.equal(['a', 'b'])
    const again = await sync()
    expect([again.code, again.stdout]).to.deep.equal([0, ''])
  })

  it('ends with 1 when something is refused or held back, and with 2 for a wrong setting', async () => {
    stub.skills = [skill('..', { name: '\u001b[2J' }), skill('a')]
    const refused = await sync()
    expect(refused.code).to.equal(1)
    expect(refused.stderr).to.contain('.. is not written: its slug is not one, but a path or other text.')
    const wrong = await sync([], [{ dir: 'skills', mode: 'owned' }])
    expect([wrong.code, wrong.stderr.split('\n').length]).to.deep.equal([2, 2])
    expect(wrong.stderr).to.match(/^cairn: SVC_SKILL_TARGETS: entry 1: dir "skills" is relative/)
    stub.fault = () => 503
    const unanswered = await sync()
    expect([unanswered.code, unanswered.stderr]).to.deep.equal([1, 'cairn: HTTP_503: Service Unavailable\n'])
  })

  it('leaves whole files wherever it is killed, and the next run ends what it began', async () => {
    const shim = join(root, 'kill.mjs')
    await writeFile(shim, KILLED_BEFORE_A_CHANGE)
    const old = [skill('a'), skill('c')]
    const next = [skill('a', { content: '# new\n', version: 2 }), skill('b')]
    const whole = new Set([...old, ...next].map((item) => skillFile(item, item.content)))
    const targets = await resolveTargets([{ dir, mode: 'owned', register: false }])
    const syncHere = async (skills: readonly StubSkill[]) => {
      stub.skills = skills
      const catalogue = createSkillCatalogue(createServiceClient(stub.url, 'key'), { tenantId: 't' })
      await syncDirectories(targets, catalogue, { dryRun: false, force: false })
    }
    let kills = 0
    for (let isKilled = true; isKilled; kills++) {
      await rm(dir, { recursive: true, force: true })
      await syncHere(old)
      stub.skills = next
      const options = { NODE_OPTIONS: `--import=${shim}`, KILL_AT: String(kills + 1) }
      const run = spawnCairn(['skills', 'sync', '--tenant', 't'], { cwd: root, env: env(undefined, options) })
      isKilled = (await run.exit).signal === 'SIGKILL'
      const names = (await readdir(dir)).filter((name) => !name.startsWith('.'))
      for (const name of names) expect(whole).to.include(await textOf(name))
      await syncHere(next)
      expect(await readdir(dir), `killed before change ${kills + 1}`).to.deep.equal(['a', 'b'])
      for (const item of next) expect(await textOf(item.slug)).to.equal(skillFile(item, item.content))
    }
    expect(kills, 'changes of the disk').to.be.greaterThan(15)
  })

  it('does no harm when several run at once', async () => {
    stub.skills = Array.from({ length: 40 }, (_, i) => skill(`s${i}`))
    const runs = await Promise.all([1, 2, 3, 4].map(() => sync()))
    for (const { code, stderr } of runs)
      expect(code === 0 || /another sync is at work there/.test(stderr), stderr).to.equal(true)
    expect((await sync()).code).to.equal(0)
    expect(await readdir(dir)).to.have.members(stub.skills.map(({ slug }) => slug))
  })

  describe('with --watch', () => {
    let watching: CairnProcess | undefined
    const watch = (...args: string[]) => {
      watching = spawnCairn(['skills', 'sync', '--tenant', 't', '--watch', '--interval', '1', ...args], {
        cwd: root,
        env: env(),
      })
    }
    afterEach(() => watching?.kill('SIGKILL'))

    it('follows the catalogue, outlives an outage, and ends with 0 on SIGTERM', async () => {
      stub.skills = [skill('a')]
      watch()
      await until('a is delivered', async () => (await readdir(dir).catch(() => [] as string[])).includes('a'))
      stub.fault = () => 503
      await until('the outage is reported', () => watching!.stderr().includes('HTTP_503'))
      stub.fault = () => null
      stub.skills = [skill('b')]
      await until('b is delivered', async () => (await readdir(dir)).join() === 'b')
      await writeFile(join(dir, 'b', 'SKILL.md'), 'edited')
      await until('b is repaired', async () => (await textOf('b')).includes('# b'))
      expect(await watching!.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null })
      expect(await readdir(dir)).to.deep.equal(['b'])
    })

    it('ends on SIGTERM while it waits for an answer', async () => {
      stub.fault = () => 'hang'
      watch()
      await until('it has asked', () => stub.requests.length > 0)
      expect(await watching!.kill('SIGTERM')).to.deep.equal({ code: 0, signal: null })
      expect(await readdir(root)).to.deep.equal([])
    })

    it('ends when the reader of its output is gone', async () => {
      stub.skills = [skill('a')]
      const args = [CLI, 'skills', 'sync', '--tenant', 't', '--watch', '--interval', '1']
      const reading = spawn(process.execPath, args, {
        cwd: root,
        env: { PATH: process.env.PATH, ...env() },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const ended = once(reading, 'exit')
      const printed = [reading.stdout, reading.stderr].map(async (stream) => {
        for await (const text of stream) return String(text)
        return ''
      })
      try {
        // Leaving the loop over a stream destroys it, which closes the pipe; stderr stays open until the end.
        expect(await printed[0]).to.contain('(owned)')
        stub.skills = [skill('b')]
        expect(await inTime('it ends', ended)).to.deep.equal([0, null])
        expect(await printed[1], 'no stack').to.equal('')
      } finally {
        reading.kill('SIGKILL')
      }
    })

    it('says what is wrong once', async () => {
      stub.skills = [skill('..'), skill('a')]
      watch()
      await until('three rounds have passed', () => stub.requests.length >= 4)
      expect(watching!.stderr().match(/is not written/g)).to.have.length(1)
    })
  })

  describe('with register', () => {
    const text = "{\n  // ours\n  skills: { load: { extraDirs: ['~/ours'] } },\n}\n"
    const registered = '{\n  // ours\n  skills: { load: { extraDirs: [\'~/ours\', "DIR"] } },\n}\n'
    const target = () => [{ dir, mode: 'owned', register: true }]
    const configText = () => readFile(config, 'utf8')

    it('names the directory in the configuration once, and takes it out with the target', async () => {
      await writeFile(config, text, { mode: 0o640 })
      stub.skills = [skill('a')]
      const dry = await sync(['--dry-run'], target())
      expect(dry.stdout).to.contain(`${dir} would be added to skills.load.extraDirs`)
      expect(await configText()).to.equal(text)
      for (let i = 0; i < 2; i++) expect((await sync([], target())).code).to.equal(0)
      expect(await configText()).to.equal(registered.replace('DIR', dir))
      const { stdout, code } = await sync([], [{ dir, mode: 'owned' }])
      expect([code, stdout]).to.deep.equal([0, `${dir} removed from skills.load.extraDirs\n`])
      expect(await configText()).to.equal(text)
      await sync([], target())
      expect((await sync([], [])).code, 'without any target').to.equal(0)
      expect(await configText()).to.equal(text)
      expect(await readdir(root)).to.deep.equal(['openclaw.json', 'skills'])
    })

    it('never takes out what somebody else has added', async () => {
      await writeFile(config, registered.replace('DIR', dir))
      expect((await sync([], target())).code).to.equal(0)
      expect((await sync([], [])).code).to.equal(0)
      expect(await configText()).to.equal(registered.replace('DIR', dir))
    })

    it('makes a configuration where the harness has none, and replaces the file behind a link', async () => {
      expect((await sync([], target())).code).to.equal(0)
      expect(JSON.parse(await configText())).to.deep.equal({ skills: { load: { extraDirs: [dir] } } })
      await rm(`${config}.cairn-skills.json`)
      await mkdir(join(root, 'dotfiles'))
      await writeFile(join(root, 'dotfiles', 'real.json'), text)
      await rm(config)
      await symlink(join(root, 'dotfiles', 'real.json'), config)
      expect((await sync([], target())).code).to.equal(0)
      expect(await readFile(join(root, 'dotfiles', 'real.json'), 'utf8')).to.equal(registered.replace('DIR', dir))
    })

    for (const [what, broken, reason] of [
      ['that is not JSON5', '{ skills: ', /it is not JSON5/],
      ['whose extraDirs is no list', '{ skills: { load: { extraDirs: "a" } } }', /extraDirs is not a list/],
    ] as const)
      it(`leaves a configuration alone ${what}, and delivers all the same`, async () => {
        await writeFile(config, broken)
        stub.skills = [skill('a')]
        const { code, stderr } = await sync([], target())
        expect(code).to.equal(1)
        expect(stderr).to.match(reason).and.to.contain(config)
        expect(await configText()).to.equal(broken)
        expect(await readdir(dir)).to.deep.equal(['a'])
        expect(await readdir(root)).to.deep.equal(['openclaw.json', 'skills'])
      })

    it('says where it looked when there is no harness', async () => {
      config = join(root, 'nowhere', 'openclaw.json')
      const { code, stderr } = await sync([], target())
      expect(code).to.equal(1)
      expect(stderr).to.match(/there is no .*\/nowhere; set OPENCLAW_CONFIG_PATH/)
    })
  })
})
