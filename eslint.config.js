import importX from 'eslint-plugin-import-x'
import * as regexp from 'eslint-plugin-regexp'
import tseslint from 'typescript-eslint'
import { plainStatementsPlugin } from './eslint-plain-statements.js'
import { plainWordsPlugin } from './eslint-plain-words.js'

const SOURCE = [
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
  'store',
  'workers',
]

/** Who may import whom: a folder on the left knows only those on its right. `app` puts the service together; `cli` knows all. */
const ARROWS = {
  domain: [],
  runtime: ['domain'],
  store: ['domain', 'runtime', 'migrations'],
  search: ['domain', 'runtime'],
  models: ['domain', 'runtime'],
  migrations: [],
  contract: ['client'],
  client: [],
  http: ['contract', 'domain', 'store', 'runtime'],
  services: ['contract', 'domain', 'store', 'search', 'models', 'runtime'],
  api: ['contract', 'domain', 'http', 'services', 'store', 'search', 'models', 'runtime'],
  mcp: ['contract', 'domain', 'http', 'runtime'],
  'docs-site': ['http'],
  workers: ['domain', 'services', 'store', 'search', 'models', 'runtime'],
  app: [
    'api',
    'contract',
    'docs-site',
    'domain',
    'http',
    'mcp',
    'services',
    'store',
    'search',
    'models',
    'runtime',
    'workers',
  ],
}

const zones = Object.entries(ARROWS).map(([target, known]) => ({
  target: `./${target}`,
  from: [...SOURCE, 'bench', 'test', 'scripts']
    .filter((from) => from !== target && !known.includes(from))
    .map((from) => `./${from}`),
  message: `${target}/ may import only from ${known.length > 0 ? known.map((from) => `${from}/`).join(', ') : 'itself'}.`,
}))

/** Only operations and the transport itself know the errors of HTTP; the others throw those of `runtime/errors.ts`. */
const HTTP_ERRORS = {
  target: ['./app', './cli'],
  from: './http/errors.ts',
  message: 'Only http/ and api/ throw errors of HTTP: throw one of runtime/errors.ts.',
}

/** The rules of the scan take half a second to load and may hang: they run in a thread of their own. */
const SCAN_RULES = {
  target: SOURCE.filter((folder) => folder !== 'domain').map((folder) => `./${folder}`),
  from: './domain/scan',
  except: ['./report.ts', './skill.ts'],
  message: 'Only services/skills/scan-thread.ts imports the rules of the scan: use a SkillScanner.',
}

/** The image of the scaled profile is without SQLite's library, which only the thread of the index may load. */
const SQLITE = {
  target: ['./search/sqlite/sqlite-index.ts', './search/sqlite/thread.ts', './search/sqlite/file-shape.ts'],
  from: ['connection', 'mark', 'schema', 'search', 'write'].map((name) => `./search/sqlite/${name}.ts`),
  message: 'Only search/sqlite/worker.ts imports what loads the library of SQLite.',
}

const NO_ENUMS = { selector: 'TSEnumDeclaration', message: 'A union of literals instead of an enum.' }
const ERROR_CLASS = 'ClassDeclaration[superClass.name=/Error$/]'
/** What only transports know of an answer. */
const NO_STATUSES = {
  selector: [
    `${ERROR_CLASS} > ClassBody > :matches(PropertyDefinition, MethodDefinition)[key.name='status']`,
    `${ERROR_CLASS} TSParameterProperty:matches([parameter.name='status'], [parameter.left.name='status'])`,
  ].join(', '),
  message: 'An error has no status: http/errors.ts maps its class to one.',
}
const NO_HEADERS = {
  selector: 'Literal[value=/^(Retry-After$|X-)/]',
  message: 'Only http/, api/ and client/ know names of headers.',
}
const NO_LOCATIONS = {
  selector: "ArrayExpression > Literal[value='body']:first-child",
  message: "Give the path in the operation's input: http/errors.ts puts its location before it.",
}

const DRIVERS = ['pg', 'kysely']

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'contract/facts.gen.ts',
      'client/*.gen.ts',
      'client/dist/',
      'domain/settings/settings.gen.ts',
      'store/schema.gen.ts',
      'models/static/',
    ],
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.base],
    languageOptions: {
      parserOptions: {
        project: './tsconfig.json',
        tsconfigRootDir: import.meta.dirname,
      },
    },
    linterOptions: { reportUnusedDisableDirectives: 'off' },
    plugins: { 'import-x': importX, cairn: { rules: { ...plainWordsPlugin.rules, ...plainStatementsPlugin.rules } } },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver': { typescript: { project: './tsconfig.json' } },
    },
    rules: {
      'cairn/plain-words': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-import-type-side-effects': 'error',
      'import-x/no-restricted-paths': ['error', { zones: [...zones, HTTP_ERRORS, SCAN_RULES, SQLITE] }],
      'import-x/no-default-export': 'error',
      'no-console': 'error',
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Only runtime/config.ts reads the environment.' },
      ],
      'no-restricted-imports': [
        'error',
        { paths: DRIVERS.map((name) => ({ name, message: 'Only store/ speaks to Postgres.' })) },
      ],
      'no-restricted-syntax': ['error', NO_ENUMS, NO_STATUSES, NO_HEADERS, NO_LOCATIONS],
      'no-var': 'error',
      'prefer-const': 'error',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  // The scan reads hostile texts: no pattern may backtrack super-linearly, alone or when it is moved along the text.
  {
    files: ['domain/scan/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    // The rule gives up with an error on the large patterns of the scan.
    files: SOURCE.map((folder) => `${folder}/**`),
    ignores: ['domain/scan/**'],
    plugins: { regexp },
    rules: {
      'regexp/no-dupe-disjunctions': ['error', { report: 'trivial', reportExponentialBacktracking: 'potential' }],
    },
  },
  {
    files: ['services/skills/scan-thread.ts'],
    rules: { 'import-x/no-restricted-paths': ['error', { zones: [...zones, HTTP_ERRORS] }] },
  },
  { files: ['runtime/config.ts', 'test/**', 'bench/**', 'scripts/**'], rules: { 'no-restricted-properties': 'off' } },
  { files: ['cli/**', 'test/**', 'bench/**', 'scripts/**'], rules: { 'no-console': 'off' } },
  {
    files: ['store/**', 'migrations/**', 'test/**', 'bench/**', 'scripts/**'],
    rules: { 'no-restricted-imports': 'off' },
  },
  { files: ['store/**'], rules: { 'cairn/plain-statements': 'error' } },
  // Clients of other services read the statuses and headers of their answers.
  {
    files: ['models/**', 'search/opensearch/**'],
    rules: { 'no-restricted-syntax': ['error', NO_ENUMS, NO_LOCATIONS] },
  },
  {
    files: ['http/**', 'api/**', 'mcp/**', 'docs-site/**', 'client/**', 'test/**', 'bench/**', 'scripts/**'],
    rules: { 'no-restricted-syntax': ['error', NO_ENUMS] },
  },
  // chai's assertions are property reads.
  { files: ['test/**'], rules: { '@typescript-eslint/no-unused-expressions': 'off' } },
)
