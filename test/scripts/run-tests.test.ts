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
const PASSES = "it('passes', () => {})\n"

/** Runs on a folder that contains nothing but tests of its own. */
describe('the run of the tests in parts', function () {
  this.timeout(60_000)
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cairn-parts-'))
    for (const path of ['scripts/run-tests.mjs', 'scripts/mocha-reporter.mjs', '.mocharc.json', 'package.json'])
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

  function start(): { readonly child: ChildProcess; said(): string } {
    const { CAIRN_TEST_PROFILE: _, ...env } = process.env
    const child = spawn(process.execPath, [join(folder, 'scripts/run-tests.mjs')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout!, child.stderr!])
      stream.setEncoding('utf8').on('data', (part: string) => (text += part))
    return { child, said: () => text }
  }

  async function run(files: Readonly<Record<string, string>>) {
    await write(files)
    const { child, said } = start()
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

  it('ends running parts when it is stopped, and shows their output', async () => {
    const noted = join(folder, 'noted')
    const text = `import { renameSync, writeFileSync } from 'node:fs'
      it('waits', () => {
        console.log('I wait')
        writeFileSync('${noted}.new', String(process.pid))
        renameSync('${noted}.new', '${noted}')
        return new Promise((resolve) => setTimeout(resolve, 30_000))
      })\n`
    await write({ 'one/a.test.ts': text })
    const { child, said } = start()
    const ended = once(child, 'close')
    await until('the test notes its process', () => existsSync(noted))
    child.kill('SIGTERM')
    expect(await inTime('the run ends', ended)).to.deep.equal([143, null])
    expect(said()).to.contain('I wait').and.to.contain('one: stopped by SIGTERM')
    const pid = Number(await readFile(noted, 'utf8'))
    await until('the process is gone', () => expect(identify(pid)).to.equal(undefined))
  })
})
