import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const ROOMS = [
  'api',
  'app',
  'cli',
  'client',
  'contract',
  'docs-site',
  'domain',
  'http',
  'mcp',
  'migrations',
  'models',
  'runtime',
  'search',
  'services',
]
const COPIED = [
  ...ROOMS,
  'store',
  'workers',
  'scripts',
  'test/support',
  'openapi.yaml',
  'package.json',
  'tsconfig.json',
]

const MIGRATION = `import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table memories add place text\`.execute(db)
}

export async function down(db: Kysely<unknown>): Promise<void> {
  await sql\`alter table memories drop place\`.execute(db)
}
`

/** The edits of CONTRIBUTING's "How to add a field to a memory", for a field `place`. */
describe('a new field of a memory', function () {
  this.timeout(180_000)
  let copy: string
  before(async () => {
    copy = await mkdtemp(join(tmpdir(), 'cairn-field-'))
    for (const path of COPIED) await cp(join(ROOT, path), join(copy, path), { recursive: true })
    await symlink(join(ROOT, 'node_modules'), join(copy, 'node_modules'), 'dir')
    await editContract()
    await editMigrations()
    await edit('domain/memory-fields.ts', /(?=\n} as const satisfies)/, ROW)
  })
  after(() => rm(copy, { recursive: true, force: true }))

  const ROW = "\n  place: { column: 'place', value: 'text', nullable: true, given: true, screened: 'value' },"

  async function editContract(): Promise<void> {
    const given = "\n        place: { type: [string, 'null'], description: Where it was learnt., maxLength: 200 }"
    for (const schema of ['MemoryFields', 'MemoryPatch', 'MemoryRecordFields'])
      await edit('openapi.yaml', new RegExp(`(?<=\\n    ${schema}:\\n(?:      .*\\n)*      properties:)`), given)
    const finding = "\n                place: { $ref: '#/components/schemas/PersonalDataFinding' }"
    await edit(
      'openapi.yaml',
      /(?<=\n    SystemMetadata:\n(?: {6}.*\n)*? {12}fields:\n.*object\n.*\n *properties:)/,
      finding,
    )
    await edit('openapi.yaml', /(?<=\n    MemoryRecordFields:\n.*\n *required:\n *\[)/, 'place, ')
    await run('scripts/generate-contract.mjs')
  }

  async function editMigrations(): Promise<void> {
    await writeFile(join(copy, 'migrations/9999-place.ts'), MIGRATION)
    await edit('store/migrate.ts', /^/, "import * as place from '../migrations/9999-place.js'\n")
    await edit(
      'store/schema.gen.ts',
      /(?<=interface Memories {(?:\n {2}.*)*)(?=\n {2}predicate:)/,
      '\n  place: string | null;',
    )
    await edit('store/migrate.ts', /(?<=const MIGRATIONS = {(?:\n {2}.*)*)(?=\n}\n)/, "\n  '9999-place': place,")
  }

  async function edit(path: string, at: RegExp, text: string): Promise<void> {
    const before = await readFile(join(copy, path), 'utf8')
    expect(before, path).to.match(at)
    await writeFile(
      join(copy, path),
      before.replace(at, () => text),
    )
  }

  async function run(...args: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, args, { cwd: copy }).catch((error: Error & { stdout: string }) => {
      throw new Error(`${error.stdout}\n${error.message}`)
    })
  }

  it('is written, read, listed, changed and cleared by three edits', () =>
    run('node_modules/mocha/bin/mocha.js', '--exit', '--import=tsx', '--timeout=60000', 'test/support/new-field.mjs'))

  describe('compiles', () => {
    it('with all three edits', () => expect(faultyFiles([])).to.deep.equal([]))

    for (const [left, paths, faulty] of [
      ['the contract', ['client/contract.gen.ts'], ['api/memories/present-memory.ts', 'api/memories/read-draft.ts']],
      ['the migration', ['store/schema.gen.ts'], ['store/schema.ts']],
      [
        'the row of the table',
        ['domain/memory-fields.ts'],
        ['api/memories/present-memory.ts', 'api/memories/read-draft.ts', 'store/schema.ts'],
      ],
    ] as const)
      it(`not without ${left}`, () => expect(faultyFiles(paths)).to.deep.equal(faulty))
  })

  /** Files of every room that writes, reads or shows the fields. */
  const CHECKED = [
    ...['api/memories/present-memory.ts', 'api/memories/read-draft.ts', 'domain/memory-draft.ts'],
    ...['domain/personal-data/screen.ts', 'search/sqlite/write.ts', 'services/memories/apply-change.ts'],
    ...['services/memories/store-drafts.ts', 'store/memories/change-memory.ts', 'store/memories/insert-memories.ts'],
    ...['store/schema.ts', 'test/support/memories.ts', 'workers/indexing/sources.ts'],
  ]
  const parsed = new Map<string, ts.SourceFile | undefined>()

  /** Returns the files that do not compile while these are as they were. */
  function faultyFiles(unedited: readonly string[]): string[] {
    const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), ts.sys.readFile) as { config: unknown }
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, copy)
    const host = ts.createCompilerHost(options)
    const { readFile, getSourceFile } = host
    const sourceOf = (path: string) => (unedited.includes(relative(copy, path)) ? path.replace(copy, ROOT) : path)
    host.readFile = (path) => readFile(sourceOf(path))
    host.getSourceFile = (path, ...rest) => {
      const source = sourceOf(path)
      if (!parsed.has(source)) parsed.set(source, getSourceFile(path, ...rest))
      return parsed.get(source)
    }
    const program = ts.createProgram(
      CHECKED.map((path) => join(copy, path)),
      options,
      host,
    )
    return CHECKED.filter((path) => program.getSemanticDiagnostics(program.getSourceFile(join(copy, path))).length > 0)
  }
})
