import { OpenAPIBackend } from 'openapi-backend'
import { Contract } from '../http/validation/contract.js'
import { openapiDocument } from '../contract/openapi-document.js'
import type { OpenapiDocument } from '../contract/openapi-types.js'

interface ContractFigures {
  readonly operations: number
  /** Milliseconds per request for routing, parameters and body, of the contract and of openapi-backend unmodified. */
  readonly contractMs: number
  readonly openapiBackendMs: number
  readonly ratio: number
}

const OPERATIONS = 60
const BUDGET_MS = 0.15

const BODY = {
  tenant_id: 'bench',
  content: 'The staging database is migrated on Tuesdays by the platform team, never by the agents themselves.',
  memory_type: 'fact',
  title: 'Migrations of staging',
  weight: 0.7,
  run_id: 'run-1',
  metadata: { source: 'runbook', page: 12, tags: ['database', 'staging'] },
  entity_links: [{ name: 'platform team', entity_type: 'team' }, { name: 'staging' }],
}

interface Sample {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

const HEADERS = { 'x-api-key': 'none', 'x-agent-id': 'agent-1', 'content-type': 'application/json', host: 'localhost' }
const ID = '0192f3a4-0000-7000-8000-000000000000'
const QUERY = 'memory_type=fact&status=active&created_after=2026-01-01T00%3A00%3A00Z&limit=100'

const SAMPLES: readonly Sample[] = [
  { method: 'POST', path: '/api/v1/memories', query: '', headers: HEADERS, body: BODY },
  { method: 'GET', path: `/api/v1/memories/${ID}`, query: 'tenant_id=bench', headers: HEADERS },
  { method: 'GET', path: '/api/v1/memories', query: QUERY, headers: HEADERS },
  {
    method: 'POST',
    path: '/api/v1/recall',
    query: '',
    headers: HEADERS,
    body: { tenant_id: 'bench', query: 'staging' },
  },
]

/** Returns the contract with copies of its paths, up to the number of operations that the whole service will have. */
function enlargeContract(document: OpenapiDocument): OpenapiDocument {
  const paths: Record<string, unknown> = { ...document.paths }
  const count = () => Object.values(paths).flatMap((item) => methodsOf(item)).length
  for (let copy = 1; count() < OPERATIONS; copy++) {
    for (const [path, item] of Object.entries(document.paths)) {
      if (count() >= OPERATIONS) break
      paths[path.replace('/api', `/copy${copy}`)] = renameOperations(item as Record<string, unknown>, copy)
    }
  }
  return { ...document, paths }
}

function methodsOf(item: unknown): string[] {
  return Object.keys(item as object).filter((key) => ['get', 'put', 'post', 'patch', 'delete'].includes(key))
}

function renameOperations(item: Record<string, unknown>, copy: number): Record<string, unknown> {
  const operations = methodsOf(item).map((method) => {
    const operation = item[method] as { operationId: string }
    return [method, { ...operation, operationId: `${operation.operationId}${copy}` }] as const
  })
  return { ...item, ...Object.fromEntries(operations) }
}

/** Returns the milliseconds per call, the least of five rounds. */
async function timed(calls: number, call: (turn: number) => unknown): Promise<number> {
  for (let turn = 0; turn < Math.min(calls, 400); turn++) await call(turn)
  const rounds: number[] = []
  for (let round = 0; round < 5; round++) {
    const started = performance.now()
    for (let turn = 0; turn < calls; turn++) await call(turn)
    rounds.push((performance.now() - started) / calls)
  }
  return Math.min(...rounds)
}

async function throughContract(contract: Contract, sample: Sample, text: string): Promise<void> {
  const { method, path, query, headers, body } = sample
  const match = contract.match(method, path)
  if (match.kind !== 'route') throw new Error(`no route for ${path}`)
  contract.checkParameters(match.route, { params: match.rawParams, query, headers })
  // The text is parsed each time, as openapi-backend does, because defaults are inserted.
  if (body !== undefined) await contract.readBody(match.route, Buffer.from(text))
}

/** Measures routing and validation of a request at 60 operations, beside openapi-backend unmodified, in one run. */
export async function benchContract(): Promise<ContractFigures> {
  const document = enlargeContract(openapiDocument())
  const contract = new Contract(document)
  const backend = new OpenAPIBackend({
    definition: structuredClone(document) as never,
    quick: true,
    ajvOpts: { logger: false },
  })
  await backend.init()
  const texts = SAMPLES.map(({ body }) => JSON.stringify(body ?? null))
  const contractMs = await timed(5_000, (turn) => {
    const at = turn % SAMPLES.length
    return throughContract(contract, SAMPLES[at]!, texts[at]!)
  })
  const openapiBackendMs = await timed(400, (turn) => {
    const { body, ...sample } = SAMPLES[turn % SAMPLES.length]!
    const request = {
      ...sample,
      headers: { ...sample.headers },
      body: body === undefined ? undefined : JSON.parse(texts[turn % SAMPLES.length]!),
    }
    const operation = backend.matchOperation(request)
    return backend.validateRequest(request, operation)
  })
  return { operations: contract.routes.length, contractMs, openapiBackendMs, ratio: contractMs / openapiBackendMs }
}

/** Prints one line for people. */
export function printContract({ operations, contractMs, openapiBackendMs, ratio }: ContractFigures): void {
  const verdict = contractMs < BUDGET_MS ? 'met' : 'missed'
  console.log(
    `contract: ${contractMs.toFixed(4)} ms a request at ${operations} operations (budget ${BUDGET_MS} ms: ${verdict}); ` +
      `openapi-backend unmodified ${openapiBackendMs.toFixed(4)} ms, ratio ${ratio.toFixed(3)}`,
  )
}
