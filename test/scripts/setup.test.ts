import { expect } from 'chai'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inTime, until } from '../support/states.js'

const SCRIPTS = fileURLToPath(new URL('../../scripts', import.meta.url))

describe('setting a clone up', function () {
  this.timeout(60_000)
  let clone: string
  let npm: string
  beforeEach(async () => {
    clone = await mkdtemp(path.join(os.tmpdir(), 'cairn-clone-'))
    npm = path.join(clone, 'npm-cli.js')
    await cp(SCRIPTS, path.join(clone, 'scripts'), { recursive: true })
    await mkdir(path.join(clone, 'node_modules'))
    await writeFile(path.join(clone, 'package.json'), '{"type": "commonjs"}')
    const packages = { '': {}, 'node_modules/a': {}, 'node_modules/b': { os: ['beos'] }, 'node_modules/c': {} }
    await writeFile(path.join(clone, 'package-lock.json'), JSON.stringify({ packages }))
  })
  afterEach(() => rm(clone, { recursive: true, force: true }))

  const env = () => ({ PATH: process.env.PATH, npm_execpath: npm })
  const setup = () =>
    promisify(execFile)(process.execPath, ['scripts/setup.mjs'], { cwd: clone, env: env() }).then(
      ({ stderr }) => ({ code: 0, stderr }),
      (error: { code: number; stderr: string }) => error,
    )

  it('prints what it does and how long it took, and none of the output of npm when it succeeds', async () => {
    await writeFile(
      npm,
      `require('fs').writeFileSync('args', process.argv.join(' ')); console.error('npm warn scripts')`,
    )
    const { code, stderr } = await setup()
    expect(code).to.equal(0)
    expect(stderr).to.match(
      /^setup: installs first; .*\nsetup: installing packages …\nsetup: installing packages: done in \d+ s\n$/,
    )
    expect(await readFile(path.join(clone, 'args'), 'utf8'))
      .to.contain(' ci ')
      .and.to.contain(' --ignore-scripts')
    expect((await setup()).stderr).to.equal('')
  })

  it('prints the output of npm when it fails', async () => {
    await writeFile(npm, `console.error('npm error network'); process.exitCode = 3`)
    const { code, stderr } = await setup()
    expect(code).to.equal(1)
    expect(stderr).to.match(/npm error network\nsetup: failed: npm-cli.js ended with 3\.\n$/)
    expect(existsSync(path.join(clone, 'node_modules', '.cairn-stamp'))).to.equal(false)
  })

  it('makes the command line a program that npx can run, at each build', async () => {
    const main = path.join(clone, 'dist/cli/main.js')
    const compiler = path.join(clone, 'node_modules/typescript/bin/tsc')
    await rm(path.join(clone, 'scripts/generate-contract.mjs'))
    await mkdir(path.dirname(compiler), { recursive: true })
    await writeFile(
      compiler,
      `const fs = require('fs'); fs.mkdirSync('dist/cli', { recursive: true }); fs.writeFileSync('${main}', '')`,
    )
    for (let build = 0; build < 2; build++) {
      await promisify(execFile)(process.execPath, ['scripts/setup.mjs', '--build-only'], { cwd: clone, env: env() })
      expect((await stat(main)).mode & 0o777).to.equal(0o755)
      await rm(path.join(clone, 'dist'), { recursive: true })
    }
  })

  it('shows the progress on a terminal, in a line that fits', async () => {
    const step = (name: string) =>
      `fs.mkdirSync('node_modules/${name}'); fs.writeFileSync('node_modules/${name}/package.json', '')`
    await writeFile(npm, `const fs = require('fs'); ${step('a')}; setTimeout(() => { ${step('c')} }, 1500)`)
    const shown = spawn('script', ['-qec', `${process.execPath} scripts/setup.mjs`, '/dev/null'], {
      cwd: clone,
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    shown.stdout.on('data', (chunk) => (text += String(chunk)))
    const [code] = (await inTime('the installation ends', once(shown, 'close'), { within: 45_000 })) as [number]
    expect(code).to.equal(0)
    expect(text).to.contain('installing packages [##########..........] 1 of 2, 1 s')
    for (const line of text.split('\r')) expect(line.length).to.be.lessThan(84)
  })

  it('estimates from what is done how long the rest takes', async () => {
    const { describe: describeProgress } = (await import(path.join(SCRIPTS, 'progress.mjs'))) as {
      describe(progress: { share: number; words: string; ms: number }, now: number): string
    }
    const shown = (share: number, ms: number, now = ms) => describeProgress({ share, words: 'so far', ms }, now)
    expect(shown(0, 0, 60_000)).to.equal('[....................] so far, 60 s')
    expect(shown(0.25, 60_000)).to.equal('[#####...............] so far, 60 s, some 180 s left')
    // On a machine that is ten times as fast.
    expect(shown(0.25, 6_000)).to.equal('[#####...............] so far, 6 s, some 18 s left')
    // A step that takes long, and longer than expected.
    expect(shown(0.25, 6_000, 20_000)).to.equal('[#####...............] so far, 20 s, some 4 s left')
    expect(shown(0.25, 6_000, 30_000)).to.equal('[#####...............] so far, 30 s')
    expect(shown(0.25, 1_000)).to.equal('[#####...............] so far, 1 s')
    expect(shown(1, 60_000)).to.equal('[####################] so far, 60 s')
  })

  it('ends npm, and itself, when nobody reads its output', async () => {
    await writeFile(npm, `require('fs').writeFileSync('pid', String(process.pid)); setInterval(() => {}, 1000)`)
    const waiting = spawn('script', ['-qec', `${process.execPath} scripts/setup.mjs`, '/dev/null'], {
      cwd: clone,
      env: env(),
      detached: true,
    })
    await until('the installation notes its process', () => existsSync(path.join(clone, 'pid')))
    waiting.kill('SIGKILL')
    const pid = await readFile(path.join(clone, 'pid'), 'utf8')
    await until(
      'the installation and its lock are gone',
      () => !existsSync(`/proc/${pid}`) && !existsSync(path.join(clone, '.setup.lock')),
    )
  })
})
