import { Redis } from 'ioredis'
import { performance } from 'node:perf_hooks'
import type { Config } from '../../runtime/config.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Fault } from '../../runtime/outage-reasons.js'
import { askRedis, type RedisState } from '../../runtime/redis-info.js'
import { writeBlock, type BlocksAnswer } from '../../search/opensearch/health.js'
import { describeMigrations, listPendingMigrations } from '../../store/migrate.js'
import { answerSchema } from '../../models/answer-schema.js'
import { ModelCallError } from '../../models/model-call.js'
import { createLanguageModel, createReranker } from '../../app/compose-parts.js'
import { createEmbedder, embedderId } from '../../app/embedders.js'
import { requireDatabase, requireRoles } from '../../store/require-database.js'
import { check, ok, skipped, warning, wrong, type Finding } from './check.js'

export function checkPostgres({ postgres }: Config): Promise<Finding> {
  return check('PostgreSQL', async () => {
    if (postgres.url === null) return skipped('embedded: `cairn serve` starts and migrates it')
    const { url, connectTimeoutMs } = postgres
    const { version, mode } = await requireDatabase(url, connectTimeoutMs)
    if (mode === 'standby')
      return wrong(
        `version ${version} is a standby and takes no writes: name the primary in DATABASE_URL, or promote it`,
      )
    if (mode === 'read-only')
      return wrong(
        `version ${version} takes no writes: set default_transaction_read_only to off for this server, database and login`,
      )
    const missing = await listPendingMigrations(url)
    if (missing.length > 0)
      return wrong(`version ${version}; lacks ${describeMigrations(missing)}: run \`cairn migrate\``)
    await requireRoles(url, connectTimeoutMs)
    return ok(`version ${version}, takes writes, every migration is applied`)
  })
}

export function checkQueue({ queue }: Config): Promise<Finding> {
  return check('queue', async () => {
    if (queue.redisUrl === null) return skipped('stored in PostgreSQL')
    const redis = new Redis(queue.redisUrl, { lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: null })
    redis.on('error', () => undefined)
    try {
      await redis.connect()
      return redisFinding(await askRedis(redis))
    } catch (error) {
      return wrong(
        `REDIS_URL: Redis cannot be reached (${(error as Error).message}); start it, or correct host, port and password`,
      )
    } finally {
      redis.disconnect()
    }
  })
}

/** Share of maxmemory above which an operator is warned. */
const NEARLY_FULL_SHARE = 0.9

function redisFinding({ info, fault }: RedisState): Omit<Finding, 'name'> {
  const redis = `Redis ${info.get('redis_version') ?? 'unknown'}`
  const policy = info.get('maxmemory_policy')
  if (policy !== 'noeviction')
    return wrong(`${redis} has maxmemory-policy ${policy}: set it to noeviction, or jobs get lost`)
  const reason = fault?.reason
  if (reason === 'read_only') return wrong(`${redis} is a replica and takes no jobs: name the primary in REDIS_URL`)
  const [used, most] = [Number(info.get('used_memory')), Number(info.get('maxmemory'))]
  if (reason === 'memory_full')
    return wrong(
      `${redis} is full (${used} of ${most} bytes) and takes no jobs: raise maxmemory, or remove what is not cairn's`,
    )
  if (reason === 'disk_full')
    return wrong(
      `${redis} cannot save and takes no jobs: free space on its disk, or see its log; it then goes on by itself (${fault!.detail})`,
    )
  const facts = `${redis}, maxmemory-policy noeviction`
  return most > 0 && used > NEARLY_FULL_SHARE * most
    ? warning(`${facts}, nearly full: ${used} of ${most} bytes; raise maxmemory`)
    : ok(facts)
}

const OLDEST_OPENSEARCH = 3

export function checkSearch({ search }: Config): Promise<Finding> {
  return check('search', async () => {
    if (search.opensearchUrl === null) return skipped('SQLite in DATA_DIR')
    const ask = createAsker(search.opensearchUrl)
    const { version } = await ask<{ version: { number: string; distribution?: string } }>('/')
    if (version.distribution !== 'opensearch' || Number(version.number.split('.')[0]) < OLDEST_OPENSEARCH)
      return wrong(
        `OPENSEARCH_URL is ${version.distribution ?? 'an engine'} ${version.number}; OpenSearch ${OLDEST_OPENSEARCH} or newer is needed`,
      )
    const plugins = await ask<{ component: string }[]>('/_cat/plugins?format=json')
    if (!plugins.some(({ component }) => component === 'opensearch-knn'))
      return wrong(`OpenSearch ${version.number} lacks the k-NN plugin: opensearch-plugin install opensearch-knn`)
    const { status } = await ask<{ status: string }>('/_cluster/health')
    const facts = `OpenSearch ${version.number} with k-NN, cluster ${status}`
    if (status === 'red') return wrong(`${facts}: an index has lost its primary; see GET /_cluster/allocation/explain`)
    const block = writeBlock(await ask<BlocksAnswer>(`/_cluster/state/blocks/${search.indexPrefix}-*`))
    return block === null ? ok(facts) : wrong(`${facts}; ${adviceOnBlock(block, search.indexPrefix)}`)
  })
}

function adviceOnBlock({ reason, detail }: Fault, prefix: string): string {
  if (reason === 'disk_full')
    return `the disk is beyond its flood stage, so the index takes no writes: free space or add a node; it then recovers by itself (${detail})`
  return `the index takes no writes (${detail}): set index.blocks.write, index.blocks.read_only and index.blocks.read_only_allow_delete of ${prefix}-* and cluster.blocks.* to null`
}

/** Returns a function that sends a GET with the URL's own user and password, which fetch takes in a header only. */
function createAsker(text: string) {
  const url = new URL(text)
  const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const headers: Record<string, string> =
    url.username === '' ? {} : { Authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  ;[url.username, url.password] = ['', '']
  const base = url.href.replace(/\/+$/, '')
  return async <T>(path: string): Promise<T> => {
    const response = await fetch(base + path, { headers, signal: AbortSignal.timeout(5_000) }).catch(
      (error: unknown) => {
        const { code, message } = ((error as { cause?: unknown }).cause ?? error) as { code?: string; message?: string }
        throw new Error(
          `OPENSEARCH_URL: OpenSearch cannot be reached (${code ?? message}); start it, or correct host and port`,
        )
      },
    )
    if (response.status === 401 || response.status === 403)
      throw new Error(`OPENSEARCH_URL: OpenSearch refuses this user (${response.status} for ${path})`)
    if (!response.ok) throw new Error(`OpenSearch answered ${response.status} for ${path}`)
    return (await response.json()) as T
  }
}

export function checkEmbedder(config: Config): Promise<Finding> {
  return check('embedder', async () => {
    const { embeddings } = config
    const embedder = await createEmbedder(embeddings, embedderId(embeddings.model), embeddings.dimensions)
    try {
      const start = performance.now()
      const [vector] = await embedder.embed(['The quick brown fox.'], 'passage')
      const facts = `${embedder.id}, ${vector!.length} dimensions, ${(performance.now() - start).toFixed(0)} ms for a text`
      return vector!.some((value) => value !== 0) ? ok(facts) : warning(`${facts}; it returned a vector of zeros`)
    } finally {
      await embedder.close()
    }
  })
}

/** A little less than a check may take, so that the finding names the model's timeout and not the check's. */
const MODEL_TIMEOUT_MS = 9_000

const ANSWER_SCHEMA = answerSchema<{ answer: string }>('doctor', {
  type: 'object',
  required: ['answer'],
  additionalProperties: false,
  properties: { answer: { type: 'string', description: 'Your answer, one word.' } },
})

export function checkLanguageModel(config: Config): Promise<Finding> {
  return check('language model', async () => {
    const model = createLanguageModel(config)
    if (model === null) return skipped('none: LLM_URL is not set, so the features that need a language model are off')
    const prompt = { instructions: 'Answer the question.', input: 'Which colour has the sky by day?' }
    try {
      const start = performance.now()
      await model.complete(prompt, ANSWER_SCHEMA, {
        maxOutputTokens: 100,
        lane: 'interactive',
        withinMs: MODEL_TIMEOUT_MS,
      })
      return ok(`${model.id}, ${(performance.now() - start).toFixed(0)} ms for a short answer`)
    } catch (error) {
      return wrong(adviceOn(error, 'LLM'))
    } finally {
      await model.close()
    }
  })
}

export function checkReranker(config: Config): Promise<Finding> {
  return check('reranker', async () => {
    if (config.reranker === null) return skipped('none: RERANK_MODEL is not set, and recall has one stage')
    const { deadlineMs } = config.reranker
    const reranker = (await createReranker({
      ...config,
      reranker: { ...config.reranker, deadlineMs: MODEL_TIMEOUT_MS },
    }))!
    const texts = ['The fox lives in the den.', 'Bread needs flour and water.']
    try {
      const start = performance.now()
      const [near, far] = await reranker.rerank('Where does the fox live?', texts)
      const ms = performance.now() - start
      const facts = `${reranker.id}, ${ms.toFixed(0)} ms for two texts`
      if (near! <= far!) return warning(`${facts}; it ranks an unrelated text first`)
      return ms > deadlineMs ? warning(`${facts}, more than RERANK_DEADLINE_MS`) : ok(facts)
    } catch (error) {
      return wrong(adviceOn(error, 'RERANK'))
    } finally {
      await reranker.close()
    }
  })
}

/** Returns which variable to look at after a failure of a model. */
function adviceOn(error: unknown, prefix: 'LLM' | 'RERANK'): string {
  const failure = error instanceof UnavailableError ? error.cause : error
  if (!(failure instanceof ModelCallError)) throw error
  const { message, status } = failure
  if (status === 401 || status === 403) return `${prefix}_KEY: ${message} Set the key that it expects`
  if (failure.fault === 'input') return `${prefix}_MODEL: ${message}`
  return `${prefix}_URL: ${message} Check it and ${prefix}_MODEL`
}
