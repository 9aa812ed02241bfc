import { expect } from 'chai'
import { ESLint } from 'eslint'
import tseslint from 'typescript-eslint'

/**
 * A rule that is seen to fail: what is refused, where, and a permitted counterpart. Files are real ones with another
 * text.
 */
interface Rule {
  readonly fact: string
  readonly rule: string
  readonly file: string
  readonly refused: string
  readonly permitted: { readonly file?: string; readonly text: string }
}

/** Rules that ask for types: for each text TypeScript makes the whole program anew, which the others do without. */
const TYPED = [
  'cairn/plain-statements',
  '@typescript-eslint/await-thenable',
  '@typescript-eslint/return-await',
  '@typescript-eslint/no-floating-promises',
  '@typescript-eslint/no-misused-promises',
  '@typescript-eslint/switch-exhaustiveness-check',
]

const ARROW = 'import-x/no-restricted-paths'

function arrow(from: string, to: string, forbidden: string, allowed: string): Rule {
  const importing = (path: string) => `import * as other from '../${path}'\nexport const it: unknown = other\n`
  return {
    fact: `${from} may not import ${to}`,
    rule: ARROW,
    file: from,
    refused: importing(forbidden),
    permitted: { text: importing(allowed) },
  }
}

const ASYNC = 'async function work(): Promise<boolean> {\n  return Promise.resolve(true)\n}\n'
const LATE_ERROR = 'export class LateError extends Error {\n  readonly status = 504\n}\n'
const UNION = "type Color = 'red' | 'green'\nexport function nameOf(color: Color): string {\n  switch (color) {\n"

/** A fact, a statement that the builder says plainly, and one like it that it does not. */
const PLAIN_STATEMENTS: readonly (readonly [string, string, string])[] = [
  [
    'the columns of a table are read with the builder',
    'sql`select m.id, m.title as "name" from memories m where m.tenant_id = ${text} and (m.weight > 0.5 or m.title is null)\n order by m.id desc limit 1 for update of m skip locked`.execute(db)',
    'sql`select m.id from memories m where m.tenant_id = ${text} and exists (select from entities)`.execute(db)',
  ],
  [
    'rows are counted with the builder',
    'sql`select count(*)::int as count from memories where ${condition}`.execute(db)',
    'sql`select status, count(*)::int as count from memories where ${condition} group by status`.execute(db)',
  ],
  [
    'a row is inserted with the builder',
    'sql`insert into tenants (tenant_id) values (${text}) on conflict (tenant_id) do update set created_at = now() returning stored`.execute(db)',
    'sql`insert into tenants (tenant_id) select unnest(${[text]}::text[]) on conflict do nothing`.execute(db)',
  ],
  [
    'columns are set to values with the builder',
    'sql`update agents set display_name = null, fleet_id = ${text}::text where agent_id = any(${[text]}::text[])`.execute(db)',
    'sql`update agents a set fleet_id = m.fleet_id from memories m where m.agent_id = a.agent_id`.execute(db)',
  ],
  [
    'rows are deleted with the builder',
    'sql`delete from agents where ${condition} and deleted_at is not null returning 1`.execute(db)',
    'sql`delete from agents a using tenants t where a.tenant_id = t.tenant_id and ${condition}`.execute(db)',
  ],
  [
    'the columns that are read are named',
    "db.selectFrom('agents').selectAll().execute()",
    "db.selectFrom('agents').select('agent_id').execute()",
  ],
  [
    'a list of values is one parameter',
    "db.selectFrom('agents').select('agent_id').where('agent_id', 'in', [text].sort()).execute()",
    "db.selectFrom('agents').select('agent_id').where('agent_id', 'in', [text, 'ana']).execute()",
  ],
]

function statement(work: string): string {
  return `import { type Kysely, sql } from 'kysely'
import type { Database } from './schema.js'
export const it = (db: Kysely<Database>, text: string, condition = sql<boolean>\`true\`) => [${work}, text, condition]
`
}

const RULES: readonly Rule[] = [
  arrow('domain/trust.ts', 'runtime/', 'runtime/clock.js', 'domain/principal.js'),
  arrow('services/context.ts', 'api/', 'api/operation.js', 'store/store.js'),
  arrow('services/context.ts', 'http/', 'http/pages.js', 'contract/openapi-document.js'),
  arrow('api/operation.ts', 'app/', 'app/compose.js', 'http/pages.js'),
  arrow('api/operation.ts', 'workers/', 'workers/relay.js', 'services/context.js'),
  arrow('app/compose.ts', 'cli/', 'cli/main.js', 'workers/relay.js'),
  arrow('app/compose.ts', 'http/errors.ts', 'http/errors.js', 'http/server.js'),
  arrow('http/server.ts', 'api/', 'api/operation.js', 'contract/openapi-document.js'),
  arrow('http/server.ts', 'services/', 'services/context.js', 'store/store.js'),
  arrow('contract/openapi-document.ts', 'http/', 'http/server.js', 'contract/change-schema.js'),
  arrow('workers/relay.ts', 'api/', 'api/operation.js', 'services/context.js'),
  arrow('store/outages.ts', 'search/', 'search/search-index.js', 'runtime/errors.js'),
  arrow('search/search-index.ts', 'store/', 'store/store.js', 'domain/visibility.js'),
  arrow('models/embedder.ts', 'api/', 'api/operation.js', 'runtime/errors.js'),
  arrow('runtime/clock.ts', 'store/', 'store/store.js', 'domain/trust.js'),
  {
    fact: 'migrations/2026-11-23-03-memories.ts may not import domain/',
    rule: ARROW,
    file: 'migrations/2026-11-23-03-memories.ts',
    refused: "import * as other from '../domain/trust.js'\nexport const it: unknown = other\n",
    permitted: { text: "import { sql } from 'kysely'\nexport const it: unknown = sql\n" },
  },
  {
    fact: 'a pattern of the scan may not backtrack super-linearly',
    rule: 'regexp/no-super-linear-backtracking',
    file: 'domain/scan/rules/harm.ts',
    refused: 'export const PATTERN = /a*a*b/\n',
    permitted: { text: 'export const PATTERN = /a{0,9}b/\n' },
  },
  {
    fact: 'a pattern of the scan may not be super-linear when it is moved along a text',
    rule: 'regexp/no-super-linear-move',
    file: 'domain/scan/rules/harm.ts',
    refused: 'export const PATTERN = /a+$/\n',
    permitted: { text: 'export const PATTERN = /a{1,9}$/\n' },
  },
  {
    fact: 'two alternatives of a repetition may not match the same character',
    rule: 'regexp/no-dupe-disjunctions',
    file: 'domain/text/words.ts',
    refused: 'export const PATTERN = /^(?:\\p{ASCII}|\\P{L})*$/u\n',
    permitted: { text: 'export const PATTERN = /^[\\p{ASCII}\\P{L}]*$/u\n' },
  },
  {
    fact: 'only the thread of the scan imports its rules',
    rule: 'import-x/no-restricted-paths',
    file: 'services/skills/skill-scanner.ts',
    refused: "export { scanSkill } from '../../domain/scan/scan-skill.js'\n",
    permitted: {
      file: 'services/skills/scan-thread.ts',
      text: "export { scanSkill } from '../../domain/scan/scan-skill.js'\n",
    },
  },
  {
    fact: 'everybody may import the report of the scan',
    rule: 'import-x/no-restricted-paths',
    file: 'services/skills/skill-scanner.ts',
    refused: "export { Reading } from '../../domain/scan/text/reading.js'\n",
    permitted: { text: "export { SCAN_VERSION } from '../../domain/scan/report.js'\n" },
  },
  {
    fact: 'only runtime/config.ts reads the environment',
    rule: 'no-restricted-properties',
    file: 'services/context.ts',
    refused: 'export const port = process.env.PORT\n',
    permitted: { file: 'runtime/config.ts', text: 'export const port = process.env.PORT\n' },
  },
  {
    fact: 'only the command line prints',
    rule: 'no-console',
    file: 'services/context.ts',
    refused: "console.log('here')\nexport {}\n",
    permitted: { file: 'cli/main.ts', text: "console.log('here')\nexport {}\n" },
  },
  {
    fact: 'only store/ uses PostgreSQL',
    rule: 'no-restricted-imports',
    file: 'services/context.ts',
    refused: "import pg from 'pg'\nexport const pool: unknown = pg.Pool\n",
    permitted: { file: 'store/store.ts', text: "import pg from 'pg'\nexport const pool: unknown = pg.Pool\n" },
  },
  {
    fact: 'only store/ builds statements',
    rule: 'no-restricted-imports',
    file: 'services/context.ts',
    refused: "import { sql } from 'kysely'\nexport const it: unknown = sql\n",
    permitted: { file: 'store/store.ts', text: "import { sql } from 'kysely'\nexport const it: unknown = sql\n" },
  },
  ...PLAIN_STATEMENTS.map(([fact, refused, permitted]) => ({
    fact,
    rule: 'cairn/plain-statements',
    file: 'store/locks.ts',
    refused: statement(refused),
    permitted: { text: statement(permitted) },
  })),
  {
    fact: 'a name is a word of the field',
    rule: 'cairn/plain-words',
    file: 'services/context.ts',
    refused: 'export interface MemorySightings {\n  readonly size: number\n}\n',
    permitted: { text: 'export interface LastSeenTracker {\n  readonly size: number\n}\n' },
  },
  {
    fact: 'a comment is in words of the field',
    rule: 'cairn/plain-words',
    file: 'services/context.ts',
    refused: '/** Reads the place file of an import. */\nexport const size = 1\n',
    permitted: { text: '/** Reads the checkpoint of an import. */\nexport const size = 1\n' },
  },
  {
    fact: 'a doc comment begins with a verb or its subject',
    rule: 'cairn/plain-words',
    file: 'services/context.ts',
    refused: '/** Whether anybody may read it. */\nexport const size = 1\n',
    permitted: { text: '/** True when anybody may read it. */\nexport const size = 1\n' },
  },
  {
    fact: 'exports have names',
    rule: 'import-x/no-default-export',
    file: 'services/context.ts',
    refused: 'export default 1\n',
    permitted: { text: 'export const one = 1\n' },
  },
  {
    fact: 'types are imported as types',
    rule: '@typescript-eslint/consistent-type-imports',
    file: 'services/context.ts',
    refused: "import { Clock } from '../runtime/clock.js'\nexport type It = Clock\n",
    permitted: { text: "import type { Clock } from '../runtime/clock.js'\nexport type It = Clock\n" },
  },
  {
    fact: 'an import of types alone is erased',
    rule: '@typescript-eslint/no-import-type-side-effects',
    file: 'services/context.ts',
    refused: "import { type Clock } from '../runtime/clock.js'\nexport type It = Clock\n",
    permitted: { text: "import type { Clock } from '../runtime/clock.js'\nexport type It = Clock\n" },
  },
  {
    fact: 'the type any is not used',
    rule: '@typescript-eslint/no-explicit-any',
    file: 'services/context.ts',
    refused: 'export const it: any = 1\n',
    permitted: { text: 'export const it: unknown = 1\n' },
  },
  {
    fact: 'only promises are awaited',
    rule: '@typescript-eslint/await-thenable',
    file: 'services/context.ts',
    refused: 'export const it = async () => await 1\n',
    permitted: { text: `${ASYNC}export const it = async () => await work()\n` },
  },
  {
    fact: 'a promise is awaited inside the try that catches its failure',
    rule: '@typescript-eslint/return-await',
    file: 'services/context.ts',
    refused: `${ASYNC}${caught('return work()')}`,
    permitted: { text: `${ASYNC}${caught('return await work()')}` },
  },
  {
    fact: 'no promise is left unhandled',
    rule: '@typescript-eslint/no-floating-promises',
    file: 'services/context.ts',
    refused: `${ASYNC}export function start(): void {\n  work()\n}\n`,
    permitted: { text: `${ASYNC}export function start(): void {\n  void work()\n}\n` },
  },
  {
    fact: 'no promise is used as a condition',
    rule: '@typescript-eslint/no-misused-promises',
    file: 'services/context.ts',
    refused: `${ASYNC}export const it = () => (work() ? 1 : 2)\n`,
    permitted: { text: `${ASYNC}export const it = async () => ((await work()) ? 1 : 2)\n` },
  },
  {
    fact: 'a switch handles every case',
    rule: '@typescript-eslint/switch-exhaustiveness-check',
    file: 'services/context.ts',
    refused: `${UNION}    case 'red':\n      return 'r'\n  }\n  return ''\n}\n`,
    permitted: { text: `${UNION}    case 'red':\n      return 'r'\n    case 'green':\n      return 'g'\n  }\n}\n` },
  },
  {
    fact: 'there are no enums',
    rule: 'no-restricted-syntax',
    file: 'services/context.ts',
    refused: 'export enum Color {\n  Red,\n}\n',
    permitted: { text: "export type Color = 'red'\n" },
  },
  {
    fact: 'an error has no status',
    rule: 'no-restricted-syntax',
    file: 'store/outages.ts',
    refused: LATE_ERROR,
    permitted: { file: 'http/errors.ts', text: LATE_ERROR },
  },
  {
    fact: 'an error takes no status',
    rule: 'no-restricted-syntax',
    file: 'workers/failures.ts',
    refused: 'export class LateError extends Error {\n  constructor(readonly status: number) {\n    super()\n  }\n}\n',
    permitted: {
      text: 'export class LateError extends Error {\n  constructor(readonly seconds: number) {\n    super()\n  }\n}\n',
    },
  },
  {
    fact: 'only transports know names of headers',
    rule: 'no-restricted-syntax',
    file: 'runtime/errors.ts',
    refused: "export const headers = { 'Retry-After': '1' }\n",
    permitted: { file: 'client/client.ts', text: "export const headers = { 'X-Agent-ID': 'a' }\n" },
  },
  {
    fact: "a fault has its path in the operation's input",
    rule: 'no-restricted-syntax',
    file: 'models/embedder.ts',
    refused: "export const loc = ['body', 'model']\n",
    permitted: { text: "export const path = ['model', 'body']\n" },
  },
  {
    fact: 'there is no var',
    rule: 'no-var',
    file: 'services/context.ts',
    refused: 'var count = 0\ncount++\nexport const it = count\n',
    permitted: { text: 'let count = 0\ncount++\nexport const it = count\n' },
  },
  {
    fact: 'what does not change is a constant',
    rule: 'prefer-const',
    file: 'services/context.ts',
    refused: 'let count = 0\nexport const it = () => count\n',
    permitted: { text: 'const count = 0\nexport const it = () => count\n' },
  },
  {
    fact: 'values are equal without conversion, but for null and undefined',
    rule: 'eqeqeq',
    file: 'services/context.ts',
    refused: "export const it = (text: string | null) => text == ''\n",
    permitted: { text: "export const it = (text: string | null) => text == null || text === ''\n" },
  },
]

function caught(statement: string): string {
  return `export async function it(): Promise<boolean> {\n  try {\n    ${statement}\n  } catch {\n    return false\n  }\n}\n`
}

describe('the lint rules', function () {
  this.timeout(180_000)
  // With CI=true the parser would read the files from the disk, and not these texts.
  const parserOptions = { disallowAutomaticSingleRunInference: true }
  const eslint = new ESLint({ overrideConfig: [{ languageOptions: { parserOptions } }] })
  const untyped = new ESLint({ overrideConfig: [tseslint.configs.disableTypeChecked] })

  async function brokenRules(rule: string, filePath: string, text: string): Promise<(string | null)[]> {
    const [result] = await (TYPED.includes(rule) ? eslint : untyped).lintText(text, { filePath })
    return result!.messages.map(({ ruleId }) => ruleId)
  }

  it('all fail here', async () => {
    const configs = ['domain/scan/scan-skill.ts', 'store/store.ts'].map((file) => eslint.calculateConfigForFile(file))
    const rules = ((await Promise.all(configs)) as { rules: Record<string, unknown[]> }[]).flatMap((config) =>
      Object.entries(config.rules),
    )
    const switchedOn = new Set(rules.filter(([, [level]]) => level !== 0).map(([name]) => name))
    expect([...switchedOn]).to.have.members([...new Set(RULES.map(({ rule }) => rule))])
  })

  for (const { fact, rule, file, refused, permitted } of RULES) {
    it(fact, async () => {
      expect(await brokenRules(rule, file, refused)).to.include(rule)
      expect(await brokenRules(rule, permitted.file ?? file, permitted.text)).to.deep.equal([])
    })
  }
})
