import { ACCESS_LOGS, LOG_LEVELS } from './logger.js'
import { ConfigError } from './errors.js'

/** One environment variable, which is read, checked and documented here and nowhere else. */
export interface Setting<T> {
  /** The variable's meaning in short sentences, for docs/configuration.md and `cairn doctor`. */
  readonly doc: string
  /** The default as text for people; empty when there is none. */
  readonly defaultValue: string
  /** True for a value that is never shown, not even to operators. */
  readonly secret: boolean
  /** Parses the variable's text, undefined when it is absent or empty. Throws ConfigError. */
  read(name: string, text: string | undefined): T
}

type Doc = { readonly doc: string; readonly secret?: boolean }

function setting<T>(
  { doc, secret = false }: Doc,
  defaultValue: string,
  fallback: T,
  parse: (name: string, text: string) => T,
) {
  const read = (name: string, text: string | undefined) => (text === undefined ? fallback : parse(name, text))
  return { doc, defaultValue, secret, read } satisfies Setting<T>
}

type Range = { readonly defaultValue: number; readonly min: number; readonly max: number }

function integer(range: Range & Doc): Setting<number>
function integer(range: Omit<Range, 'defaultValue'> & Doc): Setting<number | null>
function integer({
  defaultValue,
  min,
  max,
  ...doc
}: Partial<Range> & Omit<Range, 'defaultValue'> & Doc): Setting<number | null> {
  return setting<number | null>(
    doc,
    defaultValue === undefined ? '' : String(defaultValue),
    defaultValue ?? null,
    (name, text) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
      if (value >= min && value <= max) return value
      throw new ConfigError(name, `must be a whole number from ${min} to ${max}, not "${text}".`)
    },
  )
}

function perMinute(defaultValue: number, what: string): Setting<number> {
  return integer({
    defaultValue,
    min: 1,
    max: 1_000_000_000,
    doc: `${what} a minute by one key. A tenant may have its own.`,
  })
}

function burst(defaultValue: number): Setting<number> {
  const doc = 'Burst above that rate. At least the rate itself, and full again after ten seconds.'
  return integer({ defaultValue, min: 1, max: 1_000_000, doc })
}

function flag(doc: Doc): Setting<boolean> {
  return setting(doc, '0', false, (name, text) => {
    if (text === '1' || text === 'true') return true
    if (text === '0' || text === 'false') return false
    throw new ConfigError(name, `must be 1, 0, true or false, not "${text}".`)
  })
}

function text(
  doc: Doc & { readonly defaultValue: string; readonly pattern?: RegExp; readonly must?: string },
): Setting<string>
function text(doc: Doc & { readonly pattern?: RegExp; readonly must?: string }): Setting<string | null>
function text({
  defaultValue,
  pattern,
  must,
  ...doc
}: Doc & { readonly defaultValue?: string; readonly pattern?: RegExp; readonly must?: string }): Setting<
  string | null
> {
  return setting<string | null>(doc, defaultValue ?? '', defaultValue ?? null, (name, value) => {
    if (pattern && !pattern.test(value)) throw new ConfigError(name, `must be ${must}.`)
    return value
  })
}

/** Returns a setting for a URL. Its error message never repeats the text: a URL may contain a password. */
function url(doc: Doc & { readonly schemes: readonly string[]; readonly example: string }): Setting<string | null> {
  return setting<string | null>(doc, '', null, (name, value) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : ''
    if (doc.schemes.includes(scheme)) return value
    throw new ConfigError(name, `must be a URL of the form ${doc.example}.`)
  })
}

/**
 * Returns a setting for trusted hops or their addresses, as express' "trust proxy" takes them; null when no proxy is
 * trusted.
 */
function proxies(doc: Doc): Setting<number | readonly string[] | null> {
  return setting<number | readonly string[] | null>(doc, '0', null, (name, value) => {
    if (value === 'false' || value === '0') return null
    if (value === 'true') return 1
    if (/^\d{1,2}$/.test(value)) return Number(value)
    const addresses = value.split(',').map((address) => address.trim())
    const known = /^(loopback|linklocal|uniquelocal|[0-9a-fA-F:.]{2,45}(\/\d{1,3})?)$/
    if (addresses.every((address) => known.test(address))) return addresses
    throw new ConfigError(
      name,
      `must be the number of proxies in front of this process, or their addresses or subnets, separated by commas.`,
    )
  })
}

/** Returns a setting for host names, separated by commas. */
function hostNames(doc: Doc): Setting<readonly string[] | null> {
  return setting<readonly string[] | null>(doc, '', null, (name, value) => {
    const names = value.split(',').map((one) => one.trim().toLowerCase())
    if (names.every((one) => /^(\[[0-9a-f:]+\]|[a-z0-9._-]+)$/.test(one))) return names
    throw new ConfigError(name, 'must be host names without a scheme or a port, separated by commas.')
  })
}

/** Returns a setting for origins, as browsers send them, separated by commas. */
function origins(doc: Doc): Setting<readonly string[]> {
  return setting<readonly string[]>(doc, '', [], (name, value) => {
    const all = value.split(',').map((one) => one.trim())
    if (all.every((one) => /^https?:/.test(one) && URL.canParse(one) && new URL(one).origin === one)) return all
    throw new ConfigError(name, 'must be origins such as https://app.example.com, separated by commas.')
  })
}

function choice<T extends string>(choices: readonly T[], { defaultValue, ...doc }: Doc & { defaultValue: T }) {
  return setting<T>(doc, defaultValue, defaultValue, (name, value) => {
    const chosen = choices.find((known) => known === value)
    if (chosen !== undefined) return chosen
    throw new ConfigError(name, `must be one of ${choices.join(', ')}, not "${value}".`)
  })
}

const HTTP_SCHEMES = ['http', 'https']
const PREFIX = { pattern: /^[a-z][a-z0-9_-]{0,39}$/, must: 'up to 40 of a-z, 0-9, _ and -, beginning with a letter' }

/** All variables that a process of the service reads, in the order in which people meet them. */
export const SETTINGS = {
  PORT: integer({ defaultValue: 8080, min: 0, max: 65_535, doc: 'Port of the API; 0 takes any free one.' }),
  HOST: text({
    defaultValue: '127.0.0.1',
    pattern: /^[A-Za-z0-9._:-]+$/,
    must: 'a host name or an address',
    doc: 'Address that the API listens on. One that other machines reach needs TLS_CERT or TRUST_PROXY, or ALLOW_HTTP=1.',
  }),
  METRICS_PORT: integer({
    defaultValue: 9464,
    min: 0,
    max: 65_535,
    doc: 'Port of /metrics for Prometheus; 0 turns it off.',
  }),
  METRICS_HOST: text({
    defaultValue: '127.0.0.1',
    pattern: /^[A-Za-z0-9._:-]+$/,
    must: 'a host name or an address',
    doc: 'Address that /metrics listens on.',
  }),
  DATA_DIR: text({
    defaultValue: './.cairn',
    doc: 'Directory of the embedded parts, and of the keys that the first start creates.',
  }),
  DATABASE_URL: url({
    schemes: ['postgres', 'postgresql'],
    example: 'postgres://user:password@host:5432/database',
    secret: true,
    doc: 'PostgreSQL 15 or newer. Without it the process runs an embedded one in DATA_DIR.',
  }),
  REDIS_URL: url({
    schemes: ['redis', 'rediss'],
    example: 'redis://host:6379',
    secret: true,
    doc: 'Redis of the job queue and the limiters (maxmemory-policy noeviction). Without it the queue is in PostgreSQL.',
  }),
  OPENSEARCH_URL: url({
    schemes: HTTP_SCHEMES,
    example: 'https://user:password@host:9200',
    secret: true,
    doc: 'OpenSearch 3 or newer with the k-NN plugin. Without it the index is a SQLite file in DATA_DIR, for one process.',
  }),
  ADMIN_API_KEY: text({
    pattern: /^[\x21-\x7e]{8,}$/,
    must: 'at least 8 visible ASCII characters without spaces; take 32 random ones',
    secret: true,
    doc: 'The admin credential. `cairn serve` with an embedded PostgreSQL creates one at its first start.',
  }),
  EMBEDDINGS_URL: url({
    schemes: HTTP_SCHEMES,
    example: 'https://host/v1',
    secret: true,
    doc: 'Base URL of an OpenAI-compatible embeddings endpoint. Without it cairn uses the built-in embedder.',
  }),
  EMBEDDINGS_MODEL: text({
    doc: 'Embedding model of a new database: `builtin`, `builtin:en`, `local:NAME` or a model of EMBEDDINGS_URL. `cairn embed migrate` changes it later.',
  }),
  EMBEDDINGS_FOLDER: text({
    doc: 'Folder that contains local:NAME. Without it cairn downloads NAME from the Hugging Face hub into DATA_DIR.',
  }),
  EMBEDDINGS_KEY: text({ secret: true, doc: 'Bearer token for EMBEDDINGS_URL.' }),
  EMBEDDINGS_DIMENSIONS: integer({
    min: 1,
    max: 16_000,
    doc: 'Dimensions of EMBEDDINGS_MODEL. Without it cairn asks the endpoint once, and the endpoint must answer at the start.',
  }),
  EMBEDDINGS_TIMEOUT_MS: integer({
    defaultValue: 10_000,
    min: 100,
    max: 120_000,
    doc: 'Time limit of one embeddings request.',
  }),
  EMBEDDINGS_DEADLINE_MS: integer({
    defaultValue: 3_000,
    min: 50,
    max: 20_000,
    doc: "How long a recall waits for its query's vector, retries included. Then it answers without, and `degraded` says vector.",
  }),
  EMBEDDINGS_BATCH_SIZE: integer({ defaultValue: 64, min: 1, max: 2_048, doc: 'Texts in one embeddings request.' }),
  EMBEDDINGS_CONCURRENCY: integer({
    defaultValue: 8,
    min: 2,
    max: 256,
    doc: 'Embeddings requests at a time. A quarter of them is reserved for queries.',
  }),
  LLM_URL: url({
    schemes: HTTP_SCHEMES,
    example: 'https://host/v1',
    secret: true,
    doc: 'Base URL of an OpenAI-compatible chat completions endpoint. Without it the features that need a language model are off.',
  }),
  LLM_MODEL: text({ doc: 'Model of LLM_URL.' }),
  LLM_KEY: text({ secret: true, doc: 'Bearer token for LLM_URL.' }),
  LLM_TIMEOUT_MS: integer({
    defaultValue: 60_000,
    min: 100,
    max: 600_000,
    doc: 'Time limit of one request to the language model.',
  }),
  LLM_CONCURRENCY: integer({
    defaultValue: 4,
    min: 2,
    max: 256,
    doc: 'Requests of each process to the language model at a time. A quarter of them is reserved for callers who wait.',
  }),
  LLM_MAX_OUTPUT_TOKENS: integer({
    defaultValue: 2_000,
    min: 50,
    max: 100_000,
    doc: 'Largest number of tokens in one answer of the language model. Requests may ask for fewer.',
  }),
  LLM_REASONING_TOKENS: integer({
    defaultValue: 0,
    min: 0,
    max: 100_000,
    doc: 'Tokens to add to LLM_MAX_OUTPUT_TOKENS for a model that reasons before it answers.',
  }),
  ENRICHMENT_CONCURRENCY: integer({
    defaultValue: 2,
    min: 0,
    max: 256,
    doc: 'Memories that one worker process lets the language model read at a time. 0 turns enrichment off.',
  }),
  ENRICHMENT_TOKENS_PER_DAY: integer({
    defaultValue: 5_000_000,
    min: 0,
    max: 1_000_000_000_000,
    doc: 'Tokens, in and out, that enrichment may use for one tenant in a day (UTC). Further memories wait. 0 means no limit.',
  }),
  FORGE_CALLS_PER_RUN: integer({
    defaultValue: 50,
    min: 0,
    max: 10_000,
    doc: 'Skills that one run of the Forge lets the language model word. With 0 all keep the words of memories.',
  }),
  FORGE_TOKENS_PER_RUN: integer({
    defaultValue: 1_000_000,
    min: 0,
    max: 1_000_000_000,
    doc: 'Tokens, in and out, that one run of the Forge may use. The call that goes beyond them is its last.',
  }),
  FORGE_TOKENS_PER_DAY: integer({
    defaultValue: 5_000_000,
    min: 0,
    max: 1_000_000_000_000,
    doc: 'Tokens, in and out, that the Forge may use for one tenant in a day (UTC). Beyond them skills keep the words of memories. 0 means no limit.',
  }),
  FORGE_MINUTES_PER_RUN: integer({
    defaultValue: 10,
    min: 1,
    max: 1_440,
    doc: 'Most minutes of work that one run of the Forge may take. The setting `forge.max_minutes_per_run` of a tenant may say less, not more.',
  }),
  RERANK_URL: url({
    schemes: HTTP_SCHEMES,
    example: 'https://host/v1',
    secret: true,
    doc: "Base URL of a rerank endpoint of Jina's and Cohere's form, for the second stage of recall. Off without it.",
  }),
  RERANK_MODEL: text({
    pattern: /^(?!local:\s*$)/,
    must: 'the name of a model, or local: and the name of one',
    doc: 'Model of RERANK_URL; or `local:` and the folder or hub name of a cross-encoder, for @huggingface/transformers.',
  }),
  RERANK_KEY: text({ secret: true, doc: 'Bearer token for RERANK_URL.' }),
  RERANK_DEADLINE_MS: integer({
    defaultValue: 300,
    min: 10,
    max: 10_000,
    doc: "How long a recall waits for its second stage. Then it keeps the first stage's order, and `degraded` says rerank.",
  }),
  SUMMARY_DEADLINE_MS: integer({
    defaultValue: 10_000,
    min: 100,
    max: 25_000,
    doc: 'How long a recall waits for a requested summary before it answers without one.',
  }),
  TLS_CERT: text({ doc: 'PEM file of the certificate chain. With it the API speaks HTTPS. Needs TLS_KEY.' }),
  TLS_KEY: text({ doc: 'PEM file of the private key of TLS_CERT.' }),
  TRUST_PROXY: proxies({
    doc: 'Number of proxies in front, or their addresses. Their X-Forwarded-For names the caller. The proxy must use HTTPS.',
  }),
  MCP_ALLOWED_HOSTS: hostNames({
    doc: "Host names that callers of /mcp may use, beside this machine's own. Without it they may use any name. Where only this machine reaches HOST and TRUST_PROXY is not set, they may use only its own.",
  }),
  CORS_ORIGINS: origins({
    doc: 'Origins of web pages whose scripts may call the service, such as `https://app.example.com`.',
  }),
  ALLOW_HTTP: flag({ doc: 'Serve plain HTTP on a HOST that other machines reach.' }),
  LOG_LEVEL: choice(LOG_LEVELS, {
    defaultValue: 'info',
    doc: `Least severe level that is logged: ${LOG_LEVELS.join(', ')}.`,
  }),
  ACCESS_LOG: choice(ACCESS_LOGS, {
    defaultValue: 'refusals',
    doc: 'Requests that are logged at level info, beside slow ones and 5xx: refusals (401, 403, 429), all, or off.',
  }),
  DATABASE_POOL_SIZE: integer({
    defaultValue: 10,
    min: 1,
    max: 1000,
    doc: "Connections for callers' requests, each process.",
  }),
  DATABASE_SYSTEM_POOL_SIZE: integer({
    defaultValue: 5,
    min: 2,
    max: 1000,
    doc: 'Connections for key lookups, the outbox and sweeps, each process.',
  }),
  DATABASE_STATEMENT_TIMEOUT_MS: integer({
    defaultValue: 25_000,
    min: 100,
    max: 600_000,
    doc: 'Time limit of one statement. Take less than the 30 s of a request.',
  }),
  DATABASE_CONNECT_TIMEOUT_MS: integer({
    defaultValue: 5_000,
    min: 100,
    max: 60_000,
    doc: 'How long a request waits for a connection. Then it gets 503.',
  }),
  RATE_LIMIT_WRITES: perMinute(6_000, 'Writes'),
  RATE_LIMIT_RECALLS: perMinute(12_000, 'Recalls and searches'),
  RATE_LIMIT_BULK: perMinute(600, 'Bulk writes'),
  RATE_LIMIT_INBOX: perMinute(600, 'Requests of the inbox and of admin routes'),
  RATE_LIMIT_MESSAGES: perMinute(12_000, 'Messages of `/mcp`'),
  GATEWAY_ADDRESS_RATE: integer({
    defaultValue: 500,
    min: 1,
    max: 1_000_000,
    doc: 'Requests a second from one address, or one /64 of IPv6. Behind a proxy TRUST_PROXY tells addresses apart.',
  }),
  GATEWAY_ADDRESS_BURST: burst(1_000),
  GATEWAY_TENANT_RATE: integer({
    defaultValue: 1_000,
    min: 1,
    max: 1_000_000,
    doc: 'Requests a second of one tenant.',
  }),
  GATEWAY_TENANT_BURST: burst(2_000),
  TENANT_CONCURRENCY: integer({
    defaultValue: 1,
    min: 0,
    max: 1_000,
    doc: 'Requests of one tenant that run at once in each process while another tenant calls, and as many bulk writes. Further ones wait. 0 means no limit. When a tenant may have more: docs/operations.md, Limits.',
  }),
  TENANT_QUEUE: integer({
    defaultValue: 500,
    min: 0,
    max: 100_000,
    doc: 'Requests of one tenant that may wait in each process; beyond them the answer is 429. As many of its unread bodies may wait, and as many writers of one of its rows. A request waits 5 s at most, a writer 15 s. Then it gets 429, or 503 where other tenants hold everything.',
  }),
  RECALL_CACHE_MB: integer({
    min: 8,
    max: 65_536,
    doc: 'MiB of memory for analysed texts, in each process that answers requests. Recall keeps the texts that it used last, some 550 memories in each MiB, and reads the others from PostgreSQL. Without it cairn takes an eighth of the heap that node may have. For more than half of the heap, raise --max-old-space-size as well.',
  }),
  QUEUE_PREFIX: text({
    defaultValue: 'cairn',
    ...PREFIX,
    doc: 'Prefix of every name of the queue and the limiters. Installations that share a Redis need different ones.',
  }),
  OPENSEARCH_INDEX_PREFIX: text({
    defaultValue: 'cairn',
    ...PREFIX,
    doc: 'Prefix of every index name. Installations that share an OpenSearch need different ones.',
  }),
  INDEXING_CONCURRENCY: integer({
    defaultValue: 4,
    min: 1,
    max: 64,
    doc: 'Batches that one worker process indexes at a time.',
  }),
  SHUTDOWN_TIMEOUT_MS: integer({
    defaultValue: 20_000,
    min: 1_000,
    max: 600_000,
    doc: 'How long requests and jobs in progress may take to finish when somebody stops the process.',
  }),
}

/** Variables that the commands of a client read besides PORT, DATA_DIR and ADMIN_API_KEY. */
export const CLIENT_SETTINGS = {
  CAIRN_URL: url({
    schemes: HTTP_SCHEMES,
    example: 'http://127.0.0.1:8080',
    doc: 'Address of the running service for the command line. By default PORT of this machine.',
  }),
  CAIRN_API_KEY: text({
    secret: true,
    doc: 'Key of the command line. By default the ones that `cairn serve` stores in DATA_DIR.',
  }),
  SVC_SKILL_TARGETS: text({
    doc: 'Directories that `cairn skills sync` delivers skills to. A JSON array of objects with `dir`, `mode` and `register`.',
  }),
  OPENCLAW_CONFIG_PATH: text({
    doc: 'Configuration file of the harness, which names the targets with `register`. By default `~/.openclaw/openclaw.json`.',
  }),
}

export type SettingName = keyof typeof SETTINGS
/** The values of the environment, each checked on its own. */
export type RawSettings = { readonly [K in SettingName]: ReturnType<(typeof SETTINGS)[K]['read']> }

/** Returns the settings of a service process as the Markdown table of docs/configuration.md. */
export function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(
    ([name, { defaultValue, doc }]) => `| \`${name}\` | ${defaultValue === '' ? '' : `\`${defaultValue}\``} | ${doc} |`,
  )
  return ['| Variable | Default | Meaning |', '|---|---|---|', ...rows].join('\n')
}
