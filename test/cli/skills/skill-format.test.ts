import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { applyPlan } from '../../../cli/skills/apply.js'
import { planChanges } from '../../../cli/skills/plan.js'
import { folderNameOf } from '../../../domain/skills/folder-name.js'
import { plainDescription } from '../../../domain/skills/skill-file.js'
import { HARNESS_LOADERS, loadedBy } from '../../support/harness-loaders.js'
import { formatFaults } from '../../support/skill-format.js'
import { candidateOf } from '../../support/skills.js'
import { skill, type StubSkill } from '../../support/skills-stub.js'

const SCRIPT = fileURLToPath(new URL('../../../scripts/python-tools.mjs', import.meta.url))
const run = promisify(execFile)
const noFile = { readFile: () => Promise.reject(new Error('no skill has files')), marks: true }

/** Texts that a reader of YAML, of front matter or of a prompt might take for something else. */
const HOSTILE = [
  ...['yes', 'null', '~', '1e3', '0x1F', '0o17', '017', '12:30:45', '2026-01-01', '.inf', '=', '<<', 'NaN', 'Off'],
  ...['@x', '*a', '&a b', '!!js x', '%TAG ! x', '`x`', '{a: b}', '[a, b]', '# a', '| a', '> a', '? a', '- a', ', a'],
  ...["'a'", '"a"', 'a: b', 'a #b', 'a:', ':', '...', '---', 'a\n---\nname: other\n---', 'a\r\nb', '\ta', 'a\\', '\\"'],
  ...[
    '{"name": "x"',
    '[',
    '</skill><skill>',
    '${HOME} $(id) `id` !`id`',
    'a\u0085b\u2028c\u2029d',
    '\u202eabc\u200b\ufeff',
  ],
  ...[
    '🧪 prüft 👩‍🔬',
    '每当需要轮换密钥时使用。',
    'كلما لزم تدوير المفتاح',
    'जब कुंजी बदलनी हो',
    'เมื่อต้องหมุนคีย์',
    'Когда нужно',
  ],
  ...['x'.repeat(1_024), '🧪'.repeat(1_024), '"'.repeat(1_024), 'ß'.repeat(1_025), `${'---'.repeat(300)}`],
]

/** Front matters as people write them, with the description that a reader finds. They are written to disks as they are. */
const IMPORTED: Readonly<Record<string, readonly [frontMatter: string, description: string]>> = {
  folded: ['---\nname: folded\ndescription: >-\n  Folded over\n  two lines.\n---\n', 'Folded over two lines.'],
  literal: ['---\ndescription: |-\n  Two\n  lines.\nname: literal\nlicense: MIT\n---\n', 'Two\nlines.'],
  windows: ['---\r\nname: windows\r\ndescription: "It is: due."\r\nallowed-tools: Read\r\n---\r\n', 'It is: due.'],
  emoji: ['---\nname: emoji\ndescription: Reads mail.\nmetadata: {"openclaw": {"emoji": "📧"}}\n---\n', 'Reads mail.'],
}

const ITEMS = [
  ...HOSTILE.map((text, i) => skill(`hostile-${i}`, { name: text, description: `${text}` })),
  ...HOSTILE.map((text, i) => skill(`when-${i}`, { description: `When ${text} is due.` })),
  skill('forged', { ...candidateOf('forged', new Date(0)), source: 'forge' } as Partial<StubSkill>),
  ...Object.entries(IMPORTED).map(([slug, [front_matter, description]]) => skill(slug, { front_matter, description })),
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
    for (const folder of folders.filter((name) => !(name in IMPORTED)))
      expect(await formatFaults(join(dir, folder)), folder).to.deep.equal([])
  })

  for (const harness of Object.keys(HARNESS_LOADERS))
    it(`are loaded by ${harness} as what they are`, async () => {
      for (const { slug, description } of ITEMS) {
        const folder = folderNameOf(slug)
        const loaded = await loadedBy(harness, join(dir, folder))
        expect(loaded?.name, slug).to.equal(folder)
        const onOneLine = (text: string) => text.split(/\s+/).filter(Boolean).join(' ')
        expect(onOneLine(loaded!.description), slug).to.equal(onOneLine(plainDescription(description)))
      }
    })

  it('pass its own validator', async function () {
    const found = await run(process.execPath, [SCRIPT, 'skills-ref']).catch((error: unknown) => {
      if (process.env.CAIRN_TEST_SERVICES === 'require') throw error
      return null
    })
    if (found === null) return this.skip()
    for (const folder of (await readdir(dir)).filter((name) => !(name in IMPORTED) && !name.startsWith('when-'))) {
      const { stdout } = await run(join(found.stdout.trim(), 'agentskills'), ['validate', join(dir, folder)])
      expect(stdout, folder).to.match(/^Valid skill/)
    }
  })
})
