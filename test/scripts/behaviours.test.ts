import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const MOCHA = `${ROOT}node_modules/mocha/bin/mocha.js`

interface Listed {
  readonly file: string
  readonly fullTitle: string
}

/** Lists the tests of test/behaviours without running them. */
describe('the behaviours', function () {
  this.timeout(120_000)

  async function list(files: string, env: NodeJS.ProcessEnv = {}): Promise<Listed[]> {
    const { CAIRN_TEST_PROFILE: _, CAIRN_TEST_SERVICES: __, ...inherited } = process.env
    const args = [MOCHA, '--dry-run', '--reporter', 'json', `test/behaviours/${files}`]
    const options = { cwd: ROOT, env: { ...inherited, ...env }, maxBuffer: 100_000_000 }
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    return (JSON.parse(stdout.slice(stdout.indexOf('{\n'))) as { tests: Listed[] }).tests
  }

  it('have titles that begin with their file and profile', async () => {
    const listed = await list('*.test.ts')
    expect(listed).to.not.have.length(0)
    for (const { file, fullTitle } of listed) {
      const name = relative(`${ROOT}test`, file)
      expect(fullTitle).to.match(new RegExp(`^${name} on the (embedded|scaled) profile `))
    }
    expect(new Set(listed.map(({ fullTitle }) => fullTitle.split(' ')[3]))).to.have.keys('embedded', 'scaled')
  })

  it('run on one profile alone with CAIRN_TEST_PROFILE', async () => {
    const listed = await list('fleets.test.ts', { CAIRN_TEST_PROFILE: 'embedded' })
    expect(new Set(listed.map(({ fullTitle }) => fullTitle.split(' ')[3]))).to.have.keys('embedded')
  })
})
