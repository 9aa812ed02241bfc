import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ObserveCall } from '../models/call-lanes.js'
import { createHttpLanguageModel } from '../models/http-language-model.js'
import { createHttpReranker } from '../models/http-reranker.js'
import type { LanguageModel } from '../models/language-model.js'
import { createLocalReranker } from '../models/local-reranker/local-reranker.js'
import type { Reranker } from '../models/reranker.js'
import type { Config } from '../runtime/config.js'
import { ConfigError } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import type { Metrics } from '../runtime/metrics.js'
import type { ObserveEngine } from '../search/observe-index.js'
import { createOpenSearchIndex } from '../search/opensearch/opensearch-index.js'
import type { SearchIndex } from '../search/search-index.js'
import { createSqliteIndex } from '../search/sqlite/sqlite-index.js'
import type { IndexBuild } from '../store/indexing/index-builds.js'
import { describeMigrations, listPendingMigrations, migrateUp, UnknownMigrationError } from '../store/migrate.js'
import { Store } from '../store/store.js'
import { requireDatabase, requireRoles } from '../store/require-database.js'

/**
 * Prepares the database for this process. `serve` migrates it by itself (kysely's lock makes that safe beside others).
 * Processes of which there are many refuse instead, so that a new version does not change the database under an old
 * one. Throws ConfigError.
 */
export async function prepareDatabase(url: string, config: Config, mayMigrate: boolean): Promise<void> {
  const { url: given, connectTimeoutMs } = config.postgres
  if (given !== null) await requireDatabase(url, connectTimeoutMs)
  await (mayMigrate ? migrateUp(url) : requireMigrations(url)).catch((error: unknown) => {
    if (!(error instanceof UnknownMigrationError)) throw error
    throw given === null
      ? new ConfigError('DATA_DIR', `${config.dataDir}: ${error.message}`)
      : new ConfigError('DATABASE_URL', error.message)
  })
  if (given !== null) await requireRoles(url, connectTimeoutMs)
}

async function requireMigrations(url: string): Promise<void> {
  const missing = await listPendingMigrations(url)
  if (missing.length > 0)
    throw new ConfigError(
      'DATABASE_URL',
      `the database lacks ${describeMigrations(missing)}; run \`cairn migrate\` first.`,
    )
}

export function createStore({ postgres }: Config, url: string, logger: Logger, metrics?: Metrics): Store {
  return new Store({
    url,
    poolSize: postgres.poolSize,
    systemPoolSize: postgres.systemPoolSize,
    statementTimeoutMs: postgres.statementTimeoutMs,
    connectTimeoutMs: postgres.connectTimeoutMs,
    logger,
    ...(metrics && { onOutage: (reason) => metrics.outage('postgres', reason) }),
  })
}

/** Returns null without LLM_URL, which is a supported state. */
export function createLanguageModel(
  { languageModel }: Config,
  watch: { readonly log?: Logger; readonly metrics?: Metrics } = {},
): LanguageModel | null {
  if (languageModel === null) return null
  const { log, metrics } = watch
  return createHttpLanguageModel(languageModel, {
    ...(log && { log }),
    ...(metrics && {
      observe: (outcome, seconds, tokens) => metrics.completion(outcome, seconds, tokens),
      observeCall: (...call) => metrics.modelCall('language_model', ...call),
    }),
  })
}

/** Returns null when recall has no second stage. */
export async function createReranker(
  { reranker, dataDir }: Config,
  { log, metrics }: { readonly log?: Logger; readonly metrics?: Metrics } = {},
): Promise<Reranker | null> {
  const observeCall: ObserveCall | undefined = metrics && ((...call) => metrics.modelCall('reranker', ...call))
  const options = { observeCall, ...(log && { log }) }
  switch (reranker?.kind) {
    case undefined:
      return null
    case 'http':
      return createHttpReranker(reranker, options)
    case 'local':
      return createLocalReranker({ ...reranker, cacheFolder: join(dataDir, 'models') }, options)
  }
}

/** Creates the index of a build. `dataDir` must be given when there is no OpenSearch. */
export function createIndex(
  config: Config,
  dataDir: string | null,
  { model: embedderId, dimensions, generation }: Pick<IndexBuild, 'model' | 'dimensions' | 'generation'>,
  { logger, metrics }: { readonly logger: Logger; readonly metrics?: Metrics },
): SearchIndex {
  const { opensearchUrl: url, indexPrefix: prefix } = config.search
  const engine = url === null ? 'sqlite' : 'opensearch'
  const observe: ObserveEngine | undefined = metrics?.engineCalls(engine)
  const model = { embedderId, dimensions, generation, logger, observe }
  if (url !== null) return createOpenSearchIndex({ url, prefix, ...model })
  return createSqliteIndex({ directory: join(dataDir!, 'index'), ...model })
}

/** Returns the PEM texts, null without TLS. Throws ConfigError for a file that cannot be read. */
export async function readTls({ http }: Config): Promise<{ cert: Buffer; key: Buffer } | null> {
  if (http.tls === null) return null
  const [cert, key] = await Promise.all([readPem('TLS_CERT', http.tls.cert), readPem('TLS_KEY', http.tls.key)])
  return { cert, key }
}

async function readPem(variable: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new ConfigError(variable, `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}
