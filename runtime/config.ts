import { parse } from 'dotenv'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { getHeapStatistics } from 'node:v8'
import { ConfigError } from './errors.js'
import type { AccessLogged, LogLevel } from './logger.js'
import { CLIENT_SETTINGS, SETTINGS, type RawSettings, type Setting, type SettingName } from './settings.js'

/**
 * The kind of process: `serve` is everything in one process, `api` and `worker` are parts of many, `tool` only opens
 * stores for a moment.
 */
export type Role = 'serve' | 'api' | 'worker' | 'tool'

export interface Config {
  readonly http: {
    readonly host: string
    readonly port: number
    /** Paths of PEM files. */
    readonly tls: { readonly cert: string; readonly key: string } | null
    /** Origins of pages whose scripts may read answers. */
    readonly corsOrigins: readonly string[]
    /** Hops or addresses of trusted proxies, as express' "trust proxy" takes them. */
    readonly trustProxy: number | readonly string[] | null
    readonly accessLog: AccessLogged
  }
  readonly mcp: {
    /** Host names that a request may name, beside this machine's own; null for all. */
    readonly allowedHosts: readonly string[] | null
    readonly allowedOrigins: readonly string[]
  }
  /** `port` 0 turns the metrics off. */
  readonly metrics: { readonly host: string; readonly port: number }
  readonly dataDir: string
  readonly postgres: {
    /** Null means embedded, in `dataDir`. */
    readonly url: string | null
    readonly poolSize: number
    readonly systemPoolSize: number
    readonly statementTimeoutMs: number
    readonly connectTimeoutMs: number
  }
  /** `redisUrl` null means that the queue is in PostgreSQL. */
  readonly queue: { readonly redisUrl: string | null; readonly prefix: string; readonly indexingConcurrency: number }
  /** `opensearchUrl` null means SQLite, in `dataDir`. */
  readonly search: { readonly opensearchUrl: string | null; readonly indexPrefix: string }
  readonly embeddings: EmbeddingsConfig
  /** Null means none: what needs one abstains. */
  readonly languageModel: LanguageModelConfig | null
  /** Null means that no memory is read by a language model. */
  readonly enrichment: {
    readonly concurrency: number
    /** Limit for each tenant; null means none. */
    readonly tokensPerDay: number | null
    readonly withinMs: number
  } | null
  readonly forge: {
    /** Bounds what the Forge may ask of the language model: calls and tokens a run, tokens a tenant and day; null means no limit. */
    readonly budget: {
      readonly calls: number
      readonly tokens: number
      readonly tokensPerDay: number | null
      readonly withinMs: number
    }
    /** Time of work of one run. */
    readonly runMs: number
  }
  readonly summaryDeadlineMs: number
  /** Estimated size of the analysed memories that a process keeps. */
  readonly recallCacheBytes: number
  /** Null means that recall has no second stage. */
  readonly reranker: RerankerConfig | null
  readonly limits: LimitsConfig
  readonly adminApiKey: string | null
  readonly logLevel: LogLevel
  readonly shutdownTimeoutMs: number
}

interface LimitsConfig {
  /** Limits by key. */
  readonly perMinute: {
    readonly writes: number
    readonly recalls: number
    readonly bulk: number
    readonly inbox: number
    readonly messages: number
  }
  readonly gateway: {
    readonly address: { readonly perSecond: number; readonly burst: number }
    readonly tenant: { readonly perSecond: number; readonly burst: number }
  }
  /** Requests of one tenant that run at the same time while others call; null means no limit. */
  readonly tenantPermits: number | null
  /** Requests of one tenant that wait in its queue. */
  readonly tenantQueue: number
}

export interface EmbeddingsConfig {
  /** The model of a new database: `builtin`, `builtin:NAME`, `local:NAME`, or the name of one of the endpoint's models. */
  readonly model: string
  /** Dimensions of EMBEDDINGS_MODEL; null means that the model is asked at the start. */
  readonly dimensions: number | null
  /** Milliseconds for the vector of a query, retries included. */
  readonly queryDeadlineMs: number
  /** The endpoint of every model that is neither built in nor local; null without EMBEDDINGS_URL. */
  readonly endpoint: {
    readonly url: string
    readonly key: string | null
    readonly timeoutMs: number
    readonly batchSize: number
    readonly concurrency: number
  } | null
  /** Folder of local models; null means that they come from the hub, and are stored in `cacheFolder`. */
  readonly folder: string | null
  readonly cacheFolder: string
}

interface LanguageModelConfig {
  readonly url: string
  readonly model: string
  readonly key: string | null
  readonly timeoutMs: number
  readonly concurrency: number
  readonly maxOutputTokens: number
  readonly reasoningTokens: number
}

type RerankerConfig = { readonly model: string; readonly deadlineMs: number } & (
  | { readonly kind: 'http'; readonly url: string; readonly key: string | null }
  /** `model` is a folder, or a name of the hub. */
  | { readonly kind: 'local' }
)

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Returns the process' environment, which overrides the `.env` file of the working directory. The only reader of
 * `process.env`.
 */
export function processEnvironment(envFile = '.env'): Environment {
  let file = ''
  try {
    file = readFileSync(envFile, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EISDIR') throw new ConfigError(envFile, `cannot be read (${code}).`)
  }
  return { ...parse(file), ...process.env }
}

/** Reads and checks every variable on its own; an empty one counts as absent. Throws ConfigError. */
export function readEnv(env: Environment): RawSettings {
  const names = Object.keys(SETTINGS) as SettingName[]
  return Object.fromEntries(names.map((name) => [name, readSetting(name, env)])) as unknown as RawSettings
}

export function readSetting(name: SettingName, env: Environment): RawSettings[SettingName] {
  return valueOf(name, SETTINGS[name] as Setting<RawSettings[SettingName]>, env)
}

function valueOf<T>(name: string, setting: Setting<T>, env: Environment): T {
  const text = env[name]?.trim()
  return setting.read(name, text === '' ? undefined : text)
}

/** The configuration of a command that calls the running service. */
export interface ClientConfig {
  /** Base URL without a trailing slash. */
  readonly url: string
  readonly apiKey: string | null
  readonly adminApiKey: string | null
  readonly dataDir: string
}

/**
 * Reads only what such commands need: a setting that would prevent the start of the service does not stop them. Throws
 * ConfigError.
 */
export function readClientConfig(env: Environment): ClientConfig {
  const scheme = env.TLS_CERT ? 'https' : 'http'
  const url = valueOf('CAIRN_URL', CLIENT_SETTINGS.CAIRN_URL, env)
  return {
    url: (url ?? `${scheme}://127.0.0.1:${valueOf('PORT', SETTINGS.PORT, env)}`).replace(/\/+$/, ''),
    apiKey: valueOf('CAIRN_API_KEY', CLIENT_SETTINGS.CAIRN_API_KEY, env),
    adminApiKey: valueOf('ADMIN_API_KEY', SETTINGS.ADMIN_API_KEY, env),
    dataDir: valueOf('DATA_DIR', SETTINGS.DATA_DIR, env),
  }
}

/** The configuration of `cairn skills sync`, besides that of a client. */
interface SkillSyncConfig {
  /** The text of SVC_SKILL_TARGETS. */
  readonly targets: string | null
  /** Path of the harness' configuration. */
  readonly harnessConfig: string
}

export function readSkillSyncConfig(env: Environment): SkillSyncConfig {
  const path = valueOf('OPENCLAW_CONFIG_PATH', CLIENT_SETTINGS.OPENCLAW_CONFIG_PATH, env) ?? '~/.openclaw/openclaw.json'
  return {
    targets: valueOf('SVC_SKILL_TARGETS', CLIENT_SETTINGS.SVC_SKILL_TARGETS, env),
    // The harness reads the variable so too.
    harnessConfig: path.replace(/^~(?=\/|$)/, homedir()),
  }
}

/**
 * Checks the variables together and returns the configuration for `role`. Throws ConfigError that names a variable and
 * what to do.
 */
export function createConfig(raw: RawSettings, role: Role = 'serve'): Config {
  if (role === 'api' || role === 'worker') requireShared(raw, role)
  if (role !== 'worker' && role !== 'tool') requireSafeListener(raw)
  return {
    http: {
      host: raw.HOST,
      port: raw.PORT,
      tls: tlsOf(raw),
      trustProxy: raw.TRUST_PROXY,
      corsOrigins: raw.CORS_ORIGINS,
      accessLog: raw.ACCESS_LOG,
    },
    mcp: {
      // A proxy in front passes the name on that callers use for it.
      allowedHosts: raw.MCP_ALLOWED_HOSTS ?? (isLoopback(raw.HOST) && raw.TRUST_PROXY === null ? [] : null),
      allowedOrigins: raw.CORS_ORIGINS.map((origin) => new URL(origin).hostname),
    },
    metrics: { host: raw.METRICS_HOST, port: raw.METRICS_PORT },
    dataDir: raw.DATA_DIR,
    postgres: {
      url: raw.DATABASE_URL,
      poolSize: raw.DATABASE_POOL_SIZE,
      systemPoolSize: raw.DATABASE_SYSTEM_POOL_SIZE,
      statementTimeoutMs: raw.DATABASE_STATEMENT_TIMEOUT_MS,
      connectTimeoutMs: raw.DATABASE_CONNECT_TIMEOUT_MS,
    },
    queue: { redisUrl: raw.REDIS_URL, prefix: raw.QUEUE_PREFIX, indexingConcurrency: raw.INDEXING_CONCURRENCY },
    search: { opensearchUrl: raw.OPENSEARCH_URL, indexPrefix: raw.OPENSEARCH_INDEX_PREFIX },
    embeddings: embeddingsOf(raw),
    languageModel: languageModelOf(raw),
    enrichment: enrichmentOf(raw),
    forge: {
      budget: {
        calls: raw.FORGE_CALLS_PER_RUN,
        tokens: raw.FORGE_TOKENS_PER_RUN,
        tokensPerDay: raw.FORGE_TOKENS_PER_DAY || null,
        withinMs: REQUESTS_PER_COMPLETION * raw.LLM_TIMEOUT_MS,
      },
      runMs: raw.FORGE_MINUTES_PER_RUN * 60_000,
    },
    summaryDeadlineMs: raw.SUMMARY_DEADLINE_MS,
    recallCacheBytes: recallCacheBytesOf(raw),
    reranker: rerankerOf(raw),
    limits: limitsOf(raw),
    adminApiKey: raw.ADMIN_API_KEY,
    logLevel: raw.LOG_LEVEL,
    shutdownTimeoutMs: raw.SHUTDOWN_TIMEOUT_MS,
  }
}

function limitsOf(raw: RawSettings): LimitsConfig {
  return {
    perMinute: {
      writes: raw.RATE_LIMIT_WRITES,
      recalls: raw.RATE_LIMIT_RECALLS,
      bulk: raw.RATE_LIMIT_BULK,
      inbox: raw.RATE_LIMIT_INBOX,
      messages: raw.RATE_LIMIT_MESSAGES,
    },
    gateway: {
      address: rateOf(raw, 'GATEWAY_ADDRESS_RATE', 'GATEWAY_ADDRESS_BURST'),
      tenant: rateOf(raw, 'GATEWAY_TENANT_RATE', 'GATEWAY_TENANT_BURST'),
    },
    tenantPermits: raw.TENANT_CONCURRENCY === 0 ? null : raw.TENANT_CONCURRENCY,
    tenantQueue: raw.TENANT_QUEUE,
  }
}

function rateOf(
  raw: RawSettings,
  rate: 'GATEWAY_ADDRESS_RATE' | 'GATEWAY_TENANT_RATE',
  burst: 'GATEWAY_ADDRESS_BURST' | 'GATEWAY_TENANT_BURST',
) {
  if (raw[burst] < raw[rate]) throw new ConfigError(burst, `is less than ${rate}. Raise it to at least ${raw[rate]}.`)
  return { perSecond: raw[rate], burst: raw[burst] }
}

function requireShared(raw: RawSettings, role: 'api' | 'worker'): void {
  if (raw.DATABASE_URL === null)
    throw new ConfigError(
      'DATABASE_URL',
      `\`cairn ${role}\` is one of several processes, which need one PostgreSQL. Set DATABASE_URL, or run \`cairn serve\`.`,
    )
  if (raw.OPENSEARCH_URL === null)
    throw new ConfigError(
      'OPENSEARCH_URL',
      `\`cairn ${role}\` is one of several processes, which need one search engine. Set OPENSEARCH_URL, or run \`cairn serve\`.`,
    )
}

function requireSafeListener(raw: RawSettings): void {
  if (isLoopback(raw.HOST) || raw.TLS_CERT !== null || raw.TRUST_PROXY !== null || raw.ALLOW_HTTP) return
  throw new ConfigError(
    'HOST',
    `other machines can reach ${raw.HOST}, and keys must not be sent over plain HTTP. Set TLS_CERT and TLS_KEY, or ` +
      'TRUST_PROXY if a proxy in front uses HTTPS, or ALLOW_HTTP=1 to accept the risk.',
  )
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

function tlsOf(raw: RawSettings): Config['http']['tls'] {
  const { TLS_CERT: cert, TLS_KEY: key } = raw
  if (cert !== null && key !== null) return { cert, key }
  if (cert !== null)
    throw new ConfigError('TLS_KEY', 'is missing. TLS_CERT is set: name the PEM file of its private key here.')
  if (key !== null)
    throw new ConfigError('TLS_CERT', 'is missing. TLS_KEY is set: name the PEM file of its certificate here.')
  return null
}

function embeddingsOf(raw: RawSettings): EmbeddingsConfig {
  const { EMBEDDINGS_URL: url, EMBEDDINGS_MODEL: model, EMBEDDINGS_KEY: key, EMBEDDINGS_DIMENSIONS: dimensions } = raw
  const { EMBEDDINGS_DEADLINE_MS: queryDeadlineMs, EMBEDDINGS_FOLDER: folder } = raw
  const common = { dimensions, queryDeadlineMs, folder, cacheFolder: `${raw.DATA_DIR}/models` }
  if (url === null) {
    const isOwn = model !== null && (builtInName(model) !== null || model.startsWith(LOCAL))
    const stray = ['EMBEDDINGS_KEY', 'EMBEDDINGS_DIMENSIONS', ...(isOwn ? [] : ['EMBEDDINGS_MODEL'])] as SettingName[]
    refuseUnusedSettings(raw, 'EMBEDDINGS_URL', stray)
    return { ...common, model: model ?? BUILT_IN, endpoint: null }
  }
  if (model === null)
    throw new ConfigError('EMBEDDINGS_MODEL', 'is missing. EMBEDDINGS_URL is set: name its model here.')
  const {
    EMBEDDINGS_TIMEOUT_MS: timeoutMs,
    EMBEDDINGS_BATCH_SIZE: batchSize,
    EMBEDDINGS_CONCURRENCY: concurrency,
  } = raw
  return { ...common, model, endpoint: { url, key, timeoutMs, batchSize, concurrency } }
}

const BUILT_IN = 'builtin'
const LOCAL = 'local:'

/** Returns `builtin` or `builtin:NAME` for the name of a built-in model, which may begin with `built-in`; null for others. */
export function builtInName(model: string): string | null {
  const found = /^(?:builtin|built-in)(:.*|$)/.exec(model)
  return found && `${BUILT_IN}${found[1]}`
}

function languageModelOf(raw: RawSettings): LanguageModelConfig | null {
  const { LLM_URL: url, LLM_MODEL: model, LLM_KEY: key } = raw
  if (url === null) {
    refuseUnusedSettings(raw, 'LLM_URL', ['LLM_MODEL', 'LLM_KEY'])
    return null
  }
  if (model === null) throw new ConfigError('LLM_MODEL', 'is missing. LLM_URL is set: name its model here.')
  return {
    url,
    model,
    key,
    timeoutMs: raw.LLM_TIMEOUT_MS,
    concurrency: raw.LLM_CONCURRENCY,
    maxOutputTokens: raw.LLM_MAX_OUTPUT_TOKENS,
    reasoningTokens: raw.LLM_REASONING_TOKENS,
  }
}

/** Requests for one completion: the request, or its retry, and its repair. */
const REQUESTS_PER_COMPLETION = 2

function enrichmentOf(raw: RawSettings): Config['enrichment'] {
  if (raw.LLM_URL === null || raw.ENRICHMENT_CONCURRENCY === 0) return null
  return {
    concurrency: raw.ENRICHMENT_CONCURRENCY,
    tokensPerDay: raw.ENRICHMENT_TOKENS_PER_DAY || null,
    withinMs: REQUESTS_PER_COMPLETION * raw.LLM_TIMEOUT_MS,
  }
}

/** Returns what is set, else an eighth of the heap that node may have. */
function recallCacheBytesOf({ RECALL_CACHE_MB }: RawSettings): number {
  return RECALL_CACHE_MB === null ? Math.floor(getHeapStatistics().heap_size_limit / 8) : RECALL_CACHE_MB * 2 ** 20
}

function rerankerOf(raw: RawSettings): RerankerConfig | null {
  const { RERANK_URL: url, RERANK_MODEL: model, RERANK_KEY: key, RERANK_DEADLINE_MS: deadlineMs } = raw
  if (model?.startsWith(LOCAL)) {
    const stray = url !== null ? 'RERANK_URL' : key !== null ? 'RERANK_KEY' : null
    if (stray) throw new ConfigError(stray, 'a local RERANK_MODEL does not use it. Remove one of the two.')
    return { kind: 'local', model: model.slice(LOCAL.length), deadlineMs }
  }
  if (url === null) {
    refuseUnusedSettings(raw, 'RERANK_URL', ['RERANK_MODEL', 'RERANK_KEY'])
    return null
  }
  if (model === null) throw new ConfigError('RERANK_MODEL', 'is missing. RERANK_URL is set: name its model here.')
  return { kind: 'http', url, model, key, deadlineMs }
}

/** Throws ConfigError when settings of an endpoint are given without its URL. */
function refuseUnusedSettings(raw: RawSettings, urlName: SettingName, names: readonly SettingName[]): void {
  const stray = names.find((name) => raw[name] !== null)
  if (stray)
    throw new ConfigError(
      urlName,
      `is missing. ${stray} is set: give the URL of its endpoint here, or remove ${stray}.`,
    )
}
