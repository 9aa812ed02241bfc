import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { until } from '../support/states.js'
import { startService, type TestService } from '../support/service.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

describe('docs/skills-example.md', function () {
  this.timeout(300_000)
  let service: TestService
  let directory: string
  before(async () => {
    service = await startService()
    directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-example-'))
    await cp(`${ROOT}docs/skills-example`, path.join(directory, 'docs/skills-example'), { recursive: true })
  })
  after(async () => {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  })

  /** Runs a block as a reader does, who is in the repository; `cairn` is the build of the present sources. */
  async function run(block: string): Promise<string> {
    const script = `set -euo pipefail\ncairn() { "${process.execPath}" "${ROOT}dist/cli/main.js" "$@"; }\n${block}`
    const env = { PATH: process.env.PATH, HOME: directory, CAIRN_URL: service.url, ADMIN_API_KEY: service.adminKey }
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: directory, env })
    return stdout
  }

  it('can be followed line by line, and is what comes of it', async () => {
    const page = await readFile(`${ROOT}docs/skills-example.md`, 'utf8')
    const blocksOf = (language: string) =>
      [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(([, block]) => block!)
    const [write, forge, read, approve, deliver] = blocksOf('sh')
    const [notes, review] = blocksOf('text')
    const skill = blocksOf('markdown')[0]!

    expect((await run(write!)).match(/^\d memories written/gm)).to.deep.equal(
      ['ana', 'ben', 'cleo', 'dan', 'eve'].map(
        (agent) => `${notes!.split('\n').filter((line) => line.startsWith(`${agent}: `)).length} memories written`,
      ),
    )
    expect(await run(forge!)).to.match(/^true\n[^]*forge\/pg-promote-fail-orders-database-replica/)
    let shown = ''
    await until(
      'the candidate is scanned and waits',
      async () => expect((shown = await run(read!))).to.contain('1 of 1 staged'),
      { within: 120_000 },
    )
    for (const line of review!.trim().split('\n'))
      expect(shown.split('\n').map((shownLine) => shownLine.trim())).to.include(line)
    expect(await run(approve!)).to.contain('active')
    const today = new Date().toISOString().slice(0, 10)
    expect(await run(deliver!)).to.contain(skill.trim().replaceAll('2026-11-23', today))
  })
})
