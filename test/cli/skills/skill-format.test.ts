import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { applyPlan } from '../../../cli/skills/apply.js'
import { planChanges } from '../../../cli/skills/plan.js'
import { formatFaults } from '../../support/skill-format.js'
import { skill } from '../../support/skills-stub.js'

const SCRIPT = fileURLToPath(new URL('../../../scripts/python-tools.mjs', import.meta.url))
const run = promisify(execFile)
const noFile = { readFile: () => Promise.reject(new Error('no skill has files')), marks: true }

const ITEMS = [
  skill('plain'),
  skill('dotted.name_of--a-skill-'),
  skill('a'.repeat(100)),
  skill('0'),
  skill('hyphens', { name: 'a --- b', description: 'x\n---\nname: other\n--- <b>bold</b>' }),
  skill('hidden', { name: '\u202e\u{e0041}\ufeff', description: 'tab\tand\r\nlines, \u2028, "quotes" and \\' }),
  skill('long', { description: `When ${'日本語 '.repeat(500)}` }),
  skill('pasted', {
    content: '---\nname: Other\ndescription: x\nlicense: MIT\nversion: 1.0\nmetadata: {v: 1}\n---\nDo it.\n',
  }),
  skill('list', { content: '---\nname: x\nallowed-tools: [Read, Bash]\nmetadata: none\n---\nDo it.\n' }),
  skill('rule', { content: '---\n\nA rule, and no front matter.\n' }),
  skill('typed', { name: 'yes', description: '0x1F' }),
]

/** The second test needs Python and PyPI: pending where they are missing, unless the run requires everything. */
describe('the folders of skills on disk', function () {
  this.timeout(600_000)
  let dir: string
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'cairn-format-'))
    await applyPlan(
      dir,
      planChanges({ items: ITEMS, isComplete: true }, new Map(), { mode: 'owned', force: false }),
      noFile,
    )
  })
  after(() => rm(dir, { recursive: true }))

  it('keep every published rule of the Agent Skills format', async () => {
    const folders = await readdir(dir)
    expect(folders).to.have.length(ITEMS.length)
    for (const folder of folders) expect(await formatFaults(join(dir, folder)), folder).to.deep.equal([])
  })

  it('pass its own validator', async function () {
    const found = await run(process.execPath, [SCRIPT, 'skills-ref']).catch((error: unknown) => {
      if (process.env.CAIRN_TEST_SERVICES === 'require') throw error
      return null
    })
    if (found === null) return this.skip()
    for (const folder of await readdir(dir)) {
      const { stdout } = await run(join(found.stdout.trim(), 'agentskills'), ['validate', join(dir, folder)])
      expect(stdout, folder).to.match(/^Valid skill/)
    }
  })
})
