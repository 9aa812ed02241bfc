import { expect } from 'chai'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { getHeapStatistics } from 'node:v8'
import { createConfig, processEnvironment, readEnv, type Environment, type Role } from '../../runtime/config.js'
import { ConfigError } from '../../runtime/errors.js'
import { SETTINGS, type SettingName } from '../../runtime/settings.js'

const SHARED = { DATABASE_URL: 'postgres://u:p4ss@db/cairn', OPENSEARCH_URL: 'http://search:9200' }
const EMBEDDINGS = { EMBEDDINGS_URL: 'http://m/v1', EMBEDDINGS_MODEL: 'm', EMBEDDINGS_DIMENSIONS: '8' }
const RERANK = { RERANK_URL: 'http://r/v1', RERANK_MODEL: 'r' }
const LLM = { LLM_URL: 'http://m/v1', LLM_MODEL: 'm' }

function configure(env: Environment, role: Role = 'serve') {
  return createConfig(readEnv(env), role)
}

describe('config', () => {
  it('needs nothing: the embedded profile on loopback', () => {
    const config = configure({})
    expect(config.http).to.deep.equal({
      host: '127.0.0.1',
      port: 8080,
      tls: null,
      trustProxy: null,
      corsOrigins: [],
      accessLog: 'refusals',
    })
    expect(config.metrics.port).to.equal(9464)
    expect([config.postgres.url, config.queue.redisUrl, config.search.opensearchUrl]).to.deep.equal([null, null, null])
    expect(config.embeddings).to.deep.equal({
      model: 'builtin',
      dimensions: null,
      queryDeadlineMs: 3_000,
      endpoint: null,
      folder: null,
      cacheFolder: './.cairn/models',
    })
    expect([config.languageModel, config.reranker]).to.deep.equal([null, null])
    expect(config.dataDir).to.equal('./.cairn')
  })

  it('caches texts in an eighth of the heap that node may have', () => {
    expect(configure({}).recallCacheBytes).to.be.closeTo(getHeapStatistics().heap_size_limit / 8, 1)
  })

  it('treats an empty variable as absent', () => {
    expect(configure({ PORT: '', DATABASE_URL: ' ' })).to.deep.equal(configure({}))
  })

  const accepted: [string, Environment, Role, (config: ReturnType<typeof configure>) => unknown, unknown][] = [
    ['a port', { PORT: '0' }, 'serve', (c) => c.http.port, 0],
    ['a metrics port of 0', { METRICS_PORT: '0' }, 'serve', (c) => c.metrics.port, 0],
    ['the shared three', { ...SHARED, REDIS_URL: 'rediss://r' }, 'worker', (c) => c.queue.redisUrl, 'rediss://r'],
    ['several processes without Redis', SHARED, 'api', (c) => c.queue.redisUrl, null],
    [
      'a database of its own alone',
      { DATABASE_URL: SHARED.DATABASE_URL },
      'serve',
      (c) => c.search.opensearchUrl,
      null,
    ],
    ['a Redis of its own alone', { REDIS_URL: 'redis://r' }, 'serve', (c) => c.postgres.url, null],
    [
      'a search engine of its own alone',
      { OPENSEARCH_URL: 'https://o' },
      'serve',
      (c) => c.search.opensearchUrl,
      'https://o',
    ],
    [
      'any host with TLS',
      { HOST: '0.0.0.0', TLS_CERT: 'c', TLS_KEY: 'k' },
      'serve',
      (c) => c.http.tls,
      { cert: 'c', key: 'k' },
    ],
    ['any host behind a proxy', { HOST: '::', TRUST_PROXY: 'true' }, 'serve', (c) => c.http.trustProxy, 1],
    [
      'addresses of proxies',
      { TRUST_PROXY: '10.0.0.0/8, ::1' },
      'serve',
      (c) => c.http.trustProxy,
      ['10.0.0.0/8', '::1'],
    ],
    ['any host when told so', { HOST: '0.0.0.0', ALLOW_HTTP: '1' }, 'serve', (c) => c.http.host, '0.0.0.0'],
    [
      'any host for a worker, which does not listen',
      { ...SHARED, HOST: '0.0.0.0' },
      'worker',
      (c) => c.http.host,
      '0.0.0.0',
    ],
    ['localhost', { HOST: 'localhost' }, 'serve', (c) => c.http.host, 'localhost'],
    ['an embeddings endpoint', EMBEDDINGS, 'serve', (c) => c.embeddings.dimensions, 8],
    ['a built-in model', { EMBEDDINGS_MODEL: 'builtin:en' }, 'serve', (c) => c.embeddings.model, 'builtin:en'],
    ['a local model', { EMBEDDINGS_MODEL: 'local:m' }, 'serve', (c) => c.embeddings.model, 'local:m'],
    [
      'a language model',
      { ...LLM, LLM_REASONING_TOKENS: '900' },
      'serve',
      (c) => c.languageModel?.reasoningTokens,
      900,
    ],
    [
      'a rerank endpoint',
      { ...RERANK, RERANK_KEY: 'k' },
      'serve',
      (c) => c.reranker,
      { kind: 'http', url: 'http://r/v1', model: 'r', key: 'k', deadlineMs: 300 },
    ],
    [
      'a local reranker',
      { RERANK_MODEL: 'local:some/model', RERANK_DEADLINE_MS: '900' },
      'serve',
      (c) => c.reranker,
      { kind: 'local', model: 'some/model', deadlineMs: 900 },
    ],
    ['a log level', { LOG_LEVEL: 'debug' }, 'serve', (c) => c.logLevel, 'debug'],
    ['no access log by name', {}, 'serve', (c) => c.http.accessLog, 'refusals'],
    ['an access log of all', { ACCESS_LOG: 'all' }, 'serve', (c) => c.http.accessLog, 'all'],
    ['a size for the cache of texts', { RECALL_CACHE_MB: '9' }, 'serve', (c) => c.recallCacheBytes, 9_437_184],
  ]
  for (const [what, env, role, read, expected] of accepted)
    it(`accepts ${what}`, () => expect(read(configure(env, role))).to.deep.equal(expected))

  const refused: [string, Environment, Role, string, RegExp][] = [
    ['a port out of range', { PORT: '65536' }, 'serve', 'PORT', /0 to 65535/],
    ['a port that is no number', { PORT: '8e3' }, 'serve', 'PORT', /whole number/],
    ['a negative metrics port', { METRICS_PORT: '-1' }, 'serve', 'METRICS_PORT', /0 to 65535/],
    ['a host for others on plain HTTP', { HOST: '0.0.0.0' }, 'serve', 'HOST', /TLS_CERT.*TRUST_PROXY.*ALLOW_HTTP/],
    ['such a host of an api', { ...SHARED, HOST: '10.0.0.1' }, 'api', 'HOST', /TLS_CERT/],
    ['ALLOW_HTTP=0 for such a host', { HOST: '0.0.0.0', ALLOW_HTTP: '0' }, 'serve', 'HOST', /ALLOW_HTTP/],
    ['no proxy for such a host', { HOST: '0.0.0.0', TRUST_PROXY: '0' }, 'serve', 'HOST', /TRUST_PROXY/],
    ['a certificate without its key', { TLS_CERT: 'c' }, 'serve', 'TLS_KEY', /private key/],
    ['a key without its certificate', { TLS_KEY: 'k' }, 'serve', 'TLS_CERT', /certificate/],
    ['a proxy that is no address', { TRUST_PROXY: 'nginx!' }, 'serve', 'TRUST_PROXY', /number of proxies/],
    ['a boolean in words', { ALLOW_HTTP: 'yes' }, 'serve', 'ALLOW_HTTP', /1, 0, true or false/],
    ['an unknown log level', { LOG_LEVEL: 'loud' }, 'serve', 'LOG_LEVEL', /one of fatal/],
    ['an unknown access log', { ACCESS_LOG: '1' }, 'serve', 'ACCESS_LOG', /one of refusals, all, off/],
    ['an api without a database', { OPENSEARCH_URL: 'http://o' }, 'api', 'DATABASE_URL', /PostgreSQL.*cairn serve/],
    ['a worker without a database', { OPENSEARCH_URL: 'http://o' }, 'worker', 'DATABASE_URL', /several processes/],
    [
      'an api without a shared engine',
      { DATABASE_URL: SHARED.DATABASE_URL },
      'api',
      'OPENSEARCH_URL',
      /several processes.*one search engine/,
    ],
    [
      'a worker without a shared engine',
      { DATABASE_URL: SHARED.DATABASE_URL },
      'worker',
      'OPENSEARCH_URL',
      /one search engine/,
    ],
    ['a database of another kind', { DATABASE_URL: 'mysql://x' }, 'serve', 'DATABASE_URL', /postgres:\/\//],
    ['a Redis that is no URL', { REDIS_URL: 'localhost' }, 'serve', 'REDIS_URL', /redis:\/\//],
    ['an engine without scheme', { OPENSEARCH_URL: 'search:9200' }, 'serve', 'OPENSEARCH_URL', /https:\/\//],
    ['a burst below its rate', { GATEWAY_TENANT_RATE: '2001' }, 'serve', 'GATEWAY_TENANT_BURST', /at least 2001/],
    ['a weak admin key', { ADMIN_API_KEY: 'short' }, 'serve', 'ADMIN_API_KEY', /at least 8/],
    ['an endpoint without model', { EMBEDDINGS_URL: 'http://m' }, 'serve', 'EMBEDDINGS_MODEL', /model/],
    ['a model without endpoint', { EMBEDDINGS_MODEL: 'm' }, 'serve', 'EMBEDDINGS_URL', /EMBEDDINGS_MODEL is set/],
    ['a model that begins like a built-in one', { EMBEDDINGS_MODEL: 'builtin2' }, 'serve', 'EMBEDDINGS_URL', /is set/],
    ['a language model without name', { LLM_URL: 'http://m' }, 'serve', 'LLM_MODEL', /model/],
    ['a language model without endpoint', { LLM_MODEL: 'm' }, 'serve', 'LLM_URL', /LLM_MODEL is set/],
    ['a key of no language model', { LLM_KEY: 'k' }, 'serve', 'LLM_URL', /LLM_KEY is set/],
    ['a language model of another kind', { ...LLM, LLM_URL: 'ws://m' }, 'serve', 'LLM_URL', /https:\/\//],
    ['too few calls of the language model', { ...LLM, LLM_CONCURRENCY: '1' }, 'serve', 'LLM_CONCURRENCY', /2 to/],
    ['a reranker without name', { RERANK_URL: 'http://r' }, 'serve', 'RERANK_MODEL', /model/],
    ['a reranker without endpoint', { RERANK_MODEL: 'r' }, 'serve', 'RERANK_URL', /RERANK_MODEL is set/],
    ['a key of no reranker', { RERANK_KEY: 'k' }, 'serve', 'RERANK_URL', /RERANK_KEY is set/],
    ['a local reranker without name', { RERANK_MODEL: 'local:' }, 'serve', 'RERANK_MODEL', /local: and the name/],
    ['an endpoint of a local reranker', { ...RERANK, RERANK_MODEL: 'local:r' }, 'serve', 'RERANK_URL', /Remove one/],
    [
      'a key of a local reranker',
      { RERANK_KEY: 'k', RERANK_MODEL: 'local:r' },
      'serve',
      'RERANK_KEY',
      /a local RERANK_MODEL does not use it/,
    ],
    ['a deadline of nothing', { ...RERANK, RERANK_DEADLINE_MS: '0' }, 'serve', 'RERANK_DEADLINE_MS', /10 to/],
    [
      'too few embedding calls',
      { ...EMBEDDINGS, EMBEDDINGS_CONCURRENCY: '1' },
      'serve',
      'EMBEDDINGS_CONCURRENCY',
      /2 to/,
    ],
    ['an index prefix in capitals', { OPENSEARCH_INDEX_PREFIX: 'Cairn' }, 'serve', 'OPENSEARCH_INDEX_PREFIX', /a-z/],
  ]
  for (const [what, env, role, variable, advice] of refused)
    it(`refuses ${what}, naming ${variable}`, () => {
      const error = failure(() => configure(env, role))
      expect(error.variable).to.equal(variable)
      expect(error.message.startsWith(`${variable}: `)).to.equal(true)
      expect(error.message).to.match(advice)
    })

  it('never repeats a secret in an error', () => {
    for (const name of Object.keys(SETTINGS) as SettingName[]) {
      if (!SETTINGS[name].secret) continue
      try {
        configure({ [name]: 'ftp://s3cr3t word' })
      } catch (error) {
        expect((error as Error).message).not.to.contain('s3cr3t')
      }
    }
  })

  it('documents every setting', () => {
    for (const setting of Object.values(SETTINGS)) expect(setting.doc).to.match(/^[A-Z`].*\.$/)
  })

  describe('of a .env file', () => {
    let directory: string
    before(async () => (directory = await mkdtemp(path.join(os.tmpdir(), 'cairn-env-'))))
    after(() => rm(directory, { recursive: true }))

    it('is read, and overridden by the process environment', async () => {
      const file = path.join(directory, '.env')
      await writeFile(file, 'QUEUE_PREFIX=from-file\nPATH=nowhere\n')
      const env = processEnvironment(file)
      expect(env.QUEUE_PREFIX).to.equal('from-file')
      expect(env.PATH).to.equal(process.env.PATH)
    })

    it('may be missing', () => {
      expect(processEnvironment(path.join(directory, 'missing')).PATH).to.equal(process.env.PATH)
    })
  })
})

function failure(work: () => unknown): ConfigError {
  try {
    work()
  } catch (error) {
    expect(error).to.be.instanceOf(ConfigError)
    return error as ConfigError
  }
  throw new Error('nothing was refused')
}
