/**
 * Fuzzes the whole contract with schemathesis against a service of its own: as the admin credential, as an agent and
 * with a tenant key; and every op of the tools of /mcp as the latter two. Prints how many requests there were, by
 * status, and fails on a 5xx or on an answer that violates the contract. `--quick` is a run of three minutes at most,
 * `--seed N` and `--examples N` change the requests, `--as admin|agent|tenant` runs one caller alone.
 */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { call, startBuiltService } from '../built-service.mjs'
import { pythonTool } from '../python-tools.mjs'
import { setup } from '../setup.mjs'

const HERE = dirname(fileURLToPath(import.meta.url))
const ROOT = dirname(dirname(HERE))
const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
  'every_answer',
]
/** Statuses of refusals, including those that schemathesis does not count as such by default. */
const REFUSALS = ['400', '401', '402', '403', '404', '405', '408', '409', '413', '415', '422', '431']
/** Settings without which most requests would only see a 429. */
const UNLIMITED = Object.fromEntries(
  [
    ...['WRITES', 'RECALLS', 'BULK', 'INBOX', 'MESSAGES'].map((name) => `RATE_LIMIT_${name}`),
    ...['ADDRESS_RATE', 'ADDRESS_BURST', 'TENANT_RATE', 'TENANT_BURST'].map((name) => `GATEWAY_${name}`),
  ].map((name) => [name, '1000000']),
)
const TENANT = 'fuzz'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    seed: { type: 'string', default: '20261122' },
    examples: { type: 'string' },
    as: { type: 'string', multiple: true, default: ['admin', 'agent', 'tenant'] },
  },
})

await setup({ build: true })
process.exitCode = (await main()) ? 0 : 1

async function main() {
  const tools = await pythonTool('schemathesis')
  const folder = fs.mkdtempSync(join(tmpdir(), 'cairn-fuzz-'))
  const service = await startBuiltService(folder, UNLIMITED)
  try {
    const { url } = service
    const keys = await seed(url, service.adminKey)
    fs.writeFileSync(join(folder, 'known.json'), JSON.stringify(await known(url, keys)))
    const results = []
    for (const caller of options.as) results.push(await fuzz(tools, { url, folder, caller, key: keys[caller] }))
    const callers = ['agent', 'tenant'].filter((caller) => options.as.includes(caller))
    if (callers.length > 0)
      results.push(await fuzzTools(tools, { url, folder, keys: callers.map((caller) => keys[caller]) }))
    return report(results, service)
  } finally {
    await service.stop()
    console.log(`fuzz: log of the service and reports: ${folder}`)
  }
}

/** Creates keys for the three callers and rows of every kind, so that requests find what they ask for. */
async function seed(url, admin) {
  const mint = async (body) => (await call(url, admin, '/api/v1/admin/keys', { tenant_id: TENANT, ...body })).api_key
  const agent = await mint({ kind: 'agent', agent_id: 'ana', fleet_id: 'red', trust_level: 2 })
  const tenant = await mint({ kind: 'tenant', trust_level: 3 })
  await mint({ kind: 'agent', agent_id: 'ben', fleet_id: 'blue' })
  await call(url, admin, '/api/v1/admin/keys', { tenant_id: 'other', kind: 'tenant' })
  for (let i = 0; i < 20; i++)
    await call(url, agent, '/api/v1/memories', {
      tenant_id: TENANT,
      content: `Memory ${i}: the staging database of Heron listens on port ${6_000 + i}.`,
      entity_links: [{ name: `Heron ${i % 3}`, entity_type: 'system' }],
      run_id: `run-${i % 4}`,
    })
  for (let i = 0; i < 5; i++) {
    const document = {
      tenant_id: TENANT,
      collection: 'notes',
      doc_id: `a/${i}`,
      data: { title: `Note ${i}`, count: i },
    }
    await call(url, agent, '/api/v1/documents', document)
    const keystone = {
      tenant_id: TENANT,
      doc_id: `rule-${i}`,
      title: 'Rule',
      content: 'Do.',
      scope: 'tenant',
      weight: 'low',
    }
    await call(url, agent, '/api/v1/keystones', keystone)
    await call(url, agent, '/api/v1/recall', { tenant_id: TENANT, query: 'staging database' })
  }
  return { admin, agent, tenant }
}

/** Returns ids of existing rows, which `hooks.py` puts into some of the requests. */
async function known(url, { admin, tenant }) {
  const ids = async (path, pick) => (await call(url, tenant, path)).items.map(pick)
  const { items: builds } = await call(url, admin, '/api/v1/admin/index-builds')
  return {
    tenant: TENANT,
    otherTenant: 'other',
    key_id: (await call(url, admin, '/api/v1/admin/keys')).items.map(({ key_id: id }) => id),
    memory_id: await ids('/api/v1/memories', ({ id }) => id),
    entity_id: await ids('/api/v1/entities', ({ id }) => id),
    recall_id: await ids('/api/v1/recalls', ({ recall_id: id }) => id),
    build_id: builds.map(({ build_id: id }) => id),
    doc_id: ['a/0', 'a/1', 'a/2', 'a/3', 'a/4'],
    keystone: ['rule-0', 'rule-1', 'rule-2', 'rule-3', 'rule-4'],
    agent_id: ['ana', 'ben'],
  }
}

async function fuzz(tools, { url, folder, caller, key }) {
  const config = join(folder, `${caller}.toml`)
  // The key is not a header of each request: some are made without a key, to see them refused.
  const schemes = { apiKey: 'api_key', adminKey: 'api_key', bearerKey: 'bearer', bearerAdminKey: 'bearer' }
  const auth = Object.entries(schemes).map(([scheme, kind]) => `[auth.openapi.${scheme}]\n${kind} = "${key}"\n`)
  const rejection = `[checks.negative_data_rejection]\nexpected-statuses = ${JSON.stringify(REFUSALS)}\n`
  fs.writeFileSync(config, [...auth, rejection].join('\n'))
  const examples = options.examples ?? (options.quick ? '4' : '60')
  const args = [
    ...['--config-file', config, 'run', `${url}/api/openapi.json`, '--seed', options.seed],
    ...['--checks', CHECKS.join(','), '--phases', 'examples,coverage,fuzzing', '--mode', 'all'],
    ...['--max-examples', examples, '--no-shrink', '--continue-on-failure', '--request-timeout', '100'],
    ...['--generation-database', 'none', '--suppress-health-check', 'all', '--warnings', 'off', '--no-color'],
    ...(options.quick ? ['--max-time', '35'] : []),
  ]
  return run(join(tools, 'schemathesis'), args, { folder, caller, env: { SCHEMATHESIS_HOOKS: 'hooks' } })
}

async function fuzzTools(tools, { url, folder, keys }) {
  const examples = options.examples ?? (options.quick ? '3' : '30')
  const env = { FUZZ_URL: url, FUZZ_KEYS: JSON.stringify(keys), FUZZ_CODES: JSON.stringify(await contractCodes()) }
  const args = [join(HERE, 'tools.py'), options.seed, examples]
  return run(join(tools, 'python'), args, { folder, caller: 'tools', env })
}

/** Returns the codes that an answer of the service may have. */
async function contractCodes() {
  const { ERROR_CODES } = await import(join(ROOT, 'dist/http/errors.js'))
  return Object.values(ERROR_CODES).filter((code) => !code.startsWith('INTERNAL'))
}

/** Runs a command that counts its answers, with its output to a report, which is printed when it fails. */
async function run(command, args, { folder, caller, env }) {
  const counts = join(folder, `counts-${caller}.json`)
  const output = join(folder, `report-${caller}.txt`)
  const files = { FUZZ_COUNTS: counts, FUZZ_KNOWN: join(folder, 'known.json') }
  console.log(`fuzz: as ${caller} …`)
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...process.env, PYTHONPATH: HERE, PYTHONDONTWRITEBYTECODE: '1', FUZZ_CALLER: caller, ...files, ...env },
    stdio: ['ignore', fs.openSync(output, 'w'), 'inherit'],
  })
  const code = await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  if (code !== 0) console.log(fs.readFileSync(output, 'utf8'))
  return { caller, code, counts: fs.existsSync(counts) ? JSON.parse(fs.readFileSync(counts, 'utf8')) : {} }
}

/** Prints the table of requests and answers. Returns true when there are no violations. */
function report(results, service) {
  let all = 0
  for (const { caller, code, counts } of results) {
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
    all += total
    const statuses = Object.entries(counts).map(([status, count]) => `${status}: ${count}`)
    console.log(`fuzz: ${caller}: ${total} requests (${statuses.join(', ')}), ${code === 0 ? 'no' : 'SOME'} violations`)
  }
  const faults = results.flatMap(({ counts }) => Object.entries(counts)).filter(([status]) => status >= '500')
  const count = faults.reduce((sum, [, times]) => sum + times, 0)
  const isAlive = service.isAlive()
  const failed = results.filter(({ code }) => code !== 0).length
  console.log(
    `fuzz: ${all} requests with seed ${options.seed}, ${count} answers of 5xx, ${failed} callers with violations`,
  )
  if (!isAlive) console.log('fuzz: the service died: see its log')
  return isAlive && failed === 0 && count === 0 && results.every(({ counts }) => Object.keys(counts).length > 0)
}
