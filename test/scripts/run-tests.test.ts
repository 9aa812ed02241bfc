import { expect } from 'chai'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { identify } from '../../runtime/process-lock.js'
import { inTime, until } from '../support/states.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PATIENCE = 'test/support/patience.ts'
const PASSES = "it('passes', () => {})\n"

const SERVICES = { CAIRN_TEST_DATABASE_URL: 'postgres://nowhere' }

/** Runs on a folder that contains nothing but tests of its own. */
describe('the run of the tests in parts', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-parts-'))
    await mkdir(join(folder, 'test/support'), { recursive: true })
    for (const path of [
      'scripts/run-tests.mjs',
      'scripts/mocha-reporter.mjs',
      '.mocharc.json',
      'package.json',
      PATIENCE,
    ])
      await cp(join(ROOT, path), join(folder, path))
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir')
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const path = join(folder, 'test', name)
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, text)
    }
  }

  /** Starts a run of a machine that has the services of the scaled profile, or of one that has none. */
  function start(services: Readonly<Record<string, string>> = SERVICES): {
    readonly child: ChildProcess
    said(): string
  } {
    const { CAIRN_TEST_PROFILE: _, CAIRN_TEST_SERVICES: __, ...rest } = process.env
    const env = {
      ...Object.fromEntries(Object.entries(rest).filter(([name]) => !/^CAIRN_TEST_.*_URL$/.test(name))),
      ...services,
    }
    const child = spawn(process.execPath, [join(folder, 'scripts/run-tests.mjs')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    return { child, said: () => text }
  }

  async function run(files: Readonly<Record<string, string>>, services?: Readonly<Record<string, string>>) {
    await write(files)
    const { child, said } = start(services)
    const [status] = (await inTime('the run ends', once(child, 'close'), { within: 50_000 })) as [number]
    const [heading, summary] = said().split('\n--- all parts')[1]!.split('\n\n')
    return { status, heading, summary: summary!.replace(/\(\d+s\)/, '(in time)'), said: said() }
  }

  it('counts passing and pending tests in every folder, and beside them', async () => {
    const answer = await run({
      'beside.test.ts': PASSES,
      'one/two/deep.test.ts': `${PASSES}it('is left out')\n`,
      'one/other.test.ts': PASSES,
      'three/more.test.ts': PASSES,
      'three/none.ts': 'throw new Error()\n',
    })
    expect([answer.status, answer.heading, answer.summary]).to.deep.equal([
      0,
      '',
      '  4 passing (in time)\n  1 pending\n',
    ])
    for (const part of ['test', 'one', 'three']) expect(answer.said).to.contain(`--- ${part}\n`)
  })

  it('fails when a part fails, names it and the files that failed, and runs the other parts', async () => {
    const answer = await run({
      'one/a.test.ts': `${PASSES}it('fails', () => { throw new Error('no good') })\n`,
      'one/deep/c.test.ts':
        "describe('c', () => { before(() => { throw new Error('no start') }); it('is not run') })\n",
      'one/d.test.ts': PASSES,
      'two/b.test.ts': PASSES,
    })
    expect([answer.status, answer.heading, answer.summary]).to.deep.equal([
      1,
      '; failed: one\n  failed in test/one/a.test.ts\n  failed in test/one/deep/c.test.ts',
      '  3 passing (in time)\n  2 failing\n',
    ])
    expect(answer.said).to.contain('no good')
  })

  it('runs behaviours once for each profile', async () => {
    const answer = await run({
      'behaviours/a.test.ts': "describe('a', () => it('is ' + process.env.CAIRN_TEST_PROFILE, () => {}))\n",
    })
    expect([answer.status, answer.summary]).to.deep.equal([0, '  2 passing (in time)\n'])
    for (const profile of ['embedded', 'scaled']) {
      expect(answer.said).to.match(new RegExp(`--- behaviours on ${profile}\n[^]*is ${profile}`))
      expect(answer.said).to.match(
        new RegExp(
          `--- times of the parts\n[^-]* s  behaviours on ${profile}\n[^]* s  test/behaviours/a.test.ts on ${profile}\n`,
        ),
      )
    }
  })

  for (const [what, text] of [
    ['cannot be loaded', "import './nowhere.js'\n"],
    ['ends with 0 before its tests do', "it('ends', () => process.exit(0))\n"],
    ['is narrowed to one test', "it.only('passes', () => {})\n"],
  ] as const)
    it(`fails with a part that ${what}`, async () => {
      const answer = await run({ 'one/a.test.ts': text, 'two/b.test.ts': PASSES })
      expect([answer.status, answer.heading, answer.summary]).to.deep.equal([
        1,
        '; failed: one',
        '  1 passing (in time)\n',
      ])
      expect(answer.said).to.match(/one: ended with \d and no tests passed/)
    })

  it('says once what it does not run without services, and runs the rest', async () => {
    const files = { 'behaviours/a.test.ts': PASSES, 'scaled/b.test.ts': PASSES, 'one/c.test.ts': PASSES }
    const without = await run(files, {})
    expect([without.status, without.summary]).to.deep.equal([0, '  2 passing (in time)\n'])
    expect(without.said.match(/Not run: the tests that need/g)).to.have.length(1)
    const required = await run(files, { CAIRN_TEST_SERVICES: 'require' })
    expect(required.summary).to.equal('  4 passing (in time)\n')
    expect(required.said).to.not.contain('Not run')
  })

  it('ends the tests that run when it is stopped, with their hooks, and shows what has failed until then', async () => {
    const [noted, ended] = [join(folder, 'noted'), join(folder, 'ended')]
    const text = `import { writeFileSync } from 'node:fs'
      after(() => writeFileSync('${ended}', ''))
      it('fails', () => { throw new Error('no good') })
      it('waits', () => {
        writeFileSync('${noted}', String(process.pid))
        return new Promise((resolve) => setTimeout(resolve, 30_000))
      })
      it('does not begin', () => { throw new Error('it began') })\n`
    await write({ 'one/a.test.ts': text })
    const { child, said } = start()
    const closed = once(child, 'close')
    await until('the test notes its process', () => existsSync(noted))
    child.kill('SIGINT')
    expect(await inTime('the run ends', closed)).to.deep.equal([130, null])
    expect(said()).to.contain('no good').and.to.contain('one: was stopped and 0 tests passed')
    expect(said()).to.contain('Stopped at: waits').and.to.not.contain('it began')
    expect(said()).to.match(/\n {2}0 passing \(.*\)\n {2}1 failing\n$/)
    expect(existsSync(ended)).to.equal(true)
    const pid = Number(await readFile(noted, 'utf8'))
    await until('the process is gone', () => expect(identify(pid)).to.equal(undefined))
  })

  it('kills what does not end when it is stopped again', async () => {
    const noted = join(folder, 'noted')
    const text = `import { writeFileSync } from 'node:fs'
      after(() => new Promise((resolve) => setTimeout(resolve, 40_000)))
      it('waits', () => {
        writeFileSync('${noted}', String(process.pid))
        return new Promise((resolve) => setTimeout(resolve, 40_000))
      })\n`
    await write({ 'one/a.test.ts': text })
    const { child, said } = start()
    const closed = once(child, 'close')
    await until('the test notes its process', () => existsSync(noted))
    child.kill('SIGTERM')
    await until('it says that it ends the tests', () => said().includes('are being ended'))
    // Until then a second one is that of the same Ctrl-C.
    const again = setInterval(() => child.kill('SIGTERM'), 600)
    expect(await inTime('the run ends', closed)).to.deep.equal([143, null])
    clearInterval(again)
    const pid = Number(await readFile(noted, 'utf8'))
    await until('the process is gone', () => expect(identify(pid)).to.equal(undefined))
  })
})
