import { pino } from 'pino'
import { Writable } from 'node:stream'
import { parse } from 'yaml'
import { Contract } from '../../http/validation/contract.js'
import type { AnyOperation, TransportContext } from '../../http/operation.js'
import type { Identities } from '../../http/identities.js'
import { openapiDocument } from '../../contract/openapi-document.js'
import type { OpenapiDocument } from '../../contract/openapi-types.js'
import { createServer, type ApiServer, type ServerOptions } from '../../http/server.js'
import { createMemoryCounters } from '../../http/limits/counters.js'
import { RateLimiter, type RateLimiterOptions } from '../../http/limits/rate-limiter.js'
import type { Clock } from '../../runtime/clock.js'
import { createConfig, readEnv } from '../../runtime/config.js'
import { formatApiKey, hashSecret, makeApiKey } from '../../domain/api-key.js'
import type { Trust } from '../../domain/trust.js'
import type { AgentIdentity, Credential } from '../../store/tenants/credentials.js'
import { createClient, type Client } from '../support/client.js'

/** A small contract with one operation for each feature of the transport. */
const THINGS = parse(`
openapi: 3.1.0
info: { title: things, version: 0.0.0 }
security: [{ apiKey: [] }]
paths:
  /api/ping:
    get: { operationId: ping, x-rate-limit: none, security: [], responses: &responses { '200': { content: { application/json: { schema: {} } } } } }
  /api/probe:
    get: { operationId: probe, x-rate-limit: exempt, security: [], responses: *responses }
  /api/things:
    get:
      operationId: listThings
      x-rate-limit: none
      parameters:
        - { $ref: '#/components/parameters/TenantId' }
        - { $ref: '#/components/parameters/ActingAgent' }
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 200, default: 50 } }
        - { name: whole, in: query, schema: { type: boolean, default: false } }
        - { name: word, in: query, schema: { type: string } }
      responses: *responses
    post:
      operationId: createThing
      x-rate-limit: writes
      x-required-trust: 1
      x-body-limit-bytes: 1000
      parameters: [{ $ref: '#/components/parameters/ActingAgent' }]
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [tenant_id, content]
              additionalProperties: false
              properties:
                tenant_id: { $ref: '#/components/schemas/TenantId' }
                content: { type: string, x-trimmed-length: { min: 1, max: 20 } }
                weight: { type: number, default: 0.5 }
                extra: {}
      responses: *responses
  /api/large:
    post:
      operationId: createLarge
      x-rate-limit: bulk
      x-body-limit-bytes: 200000
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [tenant_id, content]
              properties: { tenant_id: { $ref: '#/components/schemas/TenantId' }, content: { type: string } }
      responses: *responses
  /api/things/{thing_id}:
    get:
      operationId: getThing
      x-rate-limit: none
      parameters:
        - { name: thing_id, in: path, required: true, schema: { type: string } }
        - { $ref: '#/components/parameters/TenantId' }
      responses: *responses
    put:
      operationId: putThing
      x-writes-row: { row: thing, by: [thing_id] }
      x-rate-limit: none
      parameters:
        - { name: thing_id, in: path, required: true, schema: { type: string } }
        - { $ref: '#/components/parameters/TenantId' }
      requestBody:
        content:
          application/json:
            schema: { type: object, additionalProperties: false, properties: { tenant_id: { $ref: '#/components/schemas/TenantId' } } }
      responses: *responses
  /api/slow:
    get: { operationId: slow, x-rate-limit: none, security: [], x-deadline-ms: 50, responses: *responses }
  /api/late:
    get: { operationId: late, x-rate-limit: recalls, x-deadline-ms: 50, responses: *responses }
  /api/bulk:
    post: { operationId: bulkThings, x-rate-limit: bulk, responses: *responses }
  /api/admin/things:
    post: { operationId: adminThings, x-rate-limit: inbox, security: [{ adminKey: [] }], responses: *responses }
  /api/admin/keys:
    post: { operationId: changeKeys, x-rate-limit: inbox, security: [{ adminKey: [] }], x-changes-identities: true, responses: { '204': {} } }
`) as OpenapiDocument

export function thingsDocument(): OpenapiDocument {
  const { components } = openapiDocument()
  const paths = structuredClone(THINGS.paths) as Record<string, Record<string, { responses: Record<string, unknown> }>>
  for (const item of Object.values(paths)) {
    for (const operation of Object.values(item)) {
      operation.responses = { ...failures(), ...operation.responses }
    }
  }
  return { ...THINGS, paths, components }
}

/** Returns the failures that any operation may answer. */
function failures(): Record<string, unknown> {
  const named = (name: string) => ({
    content: { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } },
  })
  const statuses = [400, 401, 403, 404, 408, 409, 413, 415, 429, 500, 503, 504]
  return { ...Object.fromEntries(statuses.map((status) => [status, named('Error')])), '422': named('ValidationError') }
}

type LogLine = Record<string, unknown> & { readonly level: number; readonly msg: string }

interface RecordedRequest {
  readonly operationId: string
  readonly status: number
}

export interface FakeService {
  readonly server: ApiServer
  readonly port: number
  readonly client: Client
  readonly contract: Contract
  readonly lines: LogLine[]
  readonly requests: RecordedRequest[]
  readonly clock: { time: number }
}

export const ADMIN_KEY = 'an-admin-key-that-nobody-else-has'

/** Answers with its input. */
export const echo: AnyOperation = (_context, caller, { params, query, headers, body }) =>
  Promise.resolve({ status: 200, body: { caller, params, query, headers, body } })

const thingOperations: Record<string, AnyOperation> = {
  ping: echo,
  probe: echo,
  listThings: echo,
  createThing: echo,
  createLarge: echo,
  getThing: echo,
  putThing: echo,
  slow: echo,
  late: echo,
  bulkThings: echo,
  adminThings: echo,
  changeKeys: () => Promise.resolve({ status: 204 }),
}

type FakeOptions = Partial<Omit<ServerOptions<TransportContext>, 'currentContext'>> & { readonly key?: string }

/** Starts the real transport over the small contract, unless another one is given, on a port of its own. */
export async function startFakeService({ key, operations, ...options }: FakeOptions = {}): Promise<FakeService> {
  const lines: LogLine[] = []
  const requests: RecordedRequest[] = []
  const clock = { time: 1_800_000_000_000 }
  const contract = options.contract ?? new Contract(thingsDocument())
  const context = {
    clock: { now: () => clock.time },
    logger: pino({ level: 'trace' }, memory(lines)),
    lastSeenTracker: { touch: () => undefined },
    tenantLanguages: { of: () => Promise.resolve(new Map()) },
    metrics: { request: (operationId: string, status: number) => void requests.push({ operationId, status }) },
  } as unknown as TransportContext
  const rateLimiter = fakeRateLimiter(context.clock)
  const server = createServer({
    currentContext: () => context,
    host: '127.0.0.1',
    port: 0,
    adminKey: ADMIN_KEY,
    identities: new FakeIdentities(),
    rateLimiter,
    ...options,
    contract,
    operations: { ...thingOperations, ...operations },
  })
  const { port } = await server.start()
  const baseUrl = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`
  return { server, port, client: createClient(baseUrl, key ?? null, { contract }), contract, lines, requests, clock }
}

/** Creates a rate limiter with the service's default limits, except for the options given. */
export function fakeRateLimiter(clock: Clock, given: Partial<RateLimiterOptions> = {}): RateLimiter {
  const { perMinute: limits, gateway } = createConfig(readEnv({})).limits
  return new RateLimiter({
    counters: createMemoryCounters(gateway),
    clock,
    metrics: { limited: () => undefined, passedUnlimited: () => undefined },
    limits,
    ...given,
  })
}

function memory(lines: LogLine[]): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as LogLine)
      done()
    },
  })
}

/** Keys, agents and tenants in memory; lookups are recorded, and can be delayed or made to fail. */
export class FakeIdentities implements Identities {
  readonly credentials = new Map<string, Credential>()
  readonly agents = new Map<string, AgentIdentity>()
  readonly tenants = new Set<string>()
  readonly lookups: string[] = []
  /** Runs before each lookup is answered. */
  before: () => Promise<void> = () => Promise.resolve()

  /** Adds a key and returns its text. */
  mint(credential: Partial<Credential> & { readonly trust?: Trust } = {}): string {
    const key = makeApiKey()
    const tenantId = credential.tenantId ?? 'acme'
    this.tenants.add(tenantId)
    this.credentials.set(key.keyId, {
      keyId: key.keyId,
      tenantId,
      kind: 'tenant',
      agentId: null,
      fleetId: null,
      trust: 2,
      secretHash: hashSecret(key.secret),
      expiresAt: null,
      revokedAt: null,
      rateLimits: {},
      ...credential,
    })
    return formatApiKey(key)
  }

  register(agentId: string, { fleetId = null, trust = 1 }: { fleetId?: string | null; trust?: Trust } = {}): void {
    this.agents.set(agentId, { agentId, fleetId, trust })
  }

  revokeAll(): void {
    for (const [keyId, credential] of this.credentials) {
      this.credentials.set(keyId, { ...credential, revokedAt: new Date() })
    }
  }

  findCredential(keyId: string): Promise<Credential | null> {
    return this.#look(`key ${keyId}`, () => this.credentials.get(keyId) ?? null)
  }

  findAgentIdentity(tenantId: string, agentId: string): Promise<AgentIdentity | null> {
    return this.#look(`agent ${agentId}`, () => (tenantId === 'acme' ? (this.agents.get(agentId) ?? null) : null))
  }

  tenantExists(tenantId: string): Promise<boolean> {
    return this.#look(`tenant ${tenantId}`, () => this.tenants.has(tenantId))
  }

  async #look<T>(what: string, find: () => T): Promise<T> {
    this.lookups.push(what)
    await this.before()
    return find()
  }
}
