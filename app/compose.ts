import { createLastSeenTracker } from '../services/agents/last-seen-tracker.js'
import type { ServiceContext } from '../services/context.js'
import { KeystoneSets } from '../services/keystones/keystone-sets.js'
import { TenantLanguages } from '../services/memories/tenant-languages.js'
import { CommonEntityCache } from '../services/retrieval/memories/common-entities.js'
import { createSkillScanner } from '../services/skills/skill-scanner.js'
import { createRecallLog } from '../services/retrieval/memories/recall-log.js'
import { rank } from '../domain/ranking/rank.js'
import type { Embedder } from '../models/embedder.js'
import { createPieceSpace } from '../models/piece-space.js'
import { systemClock, type Clock } from '../runtime/clock.js'
import type { Config } from '../runtime/config.js'
import { claimDataDir } from '../runtime/data-dir.js'
import { diskFullError, freeBytes, isDiskFull } from '../runtime/disk-space.js'
import { ConfigError } from '../runtime/errors.js'
import { startEmbeddedPostgres } from '../runtime/embedded-postgres/embedded-postgres.js'
import { apiAddress, metricsAddress, requireFreePorts, type ListenAddress } from '../runtime/listening.js'
import { createLifecycle, type Lifecycle } from '../runtime/lifecycle.js'
import type { Logger } from '../runtime/logger.js'
import { createMetrics, type Metrics } from '../runtime/metrics.js'
import { releaseOrphanedBuildLeases } from '../store/indexing/index-backfill.js'
import { releaseOrphanedLeases } from '../store/outbox/outbox-upkeep.js'
import { releaseOrphanedRuns } from '../store/forge/runs.js'
import { countRuns } from '../store/forge/turns.js'
import { readCursorSecret } from '../store/service-secrets.js'
import type { Store } from '../store/store.js'
import type { QueueSettings, WorkerContext } from '../workers/context.js'
import { RELAYED_QUEUES, type QueueName } from '../workers/job.js'
import { createJobQueue } from '../workers/queue.js'
import { publishRuns } from '../workers/forge/forge-queue.js'
import { createWorkers } from '../workers/pool.js'
import { packageVersion } from '../runtime/package-version.js'
import { startApi, startMetrics } from './compose-listeners.js'
import { reportOnScrape } from './compose-metrics.js'
import {
  createIndex,
  createLanguageModel,
  createReranker,
  createStore,
  prepareDatabase,
  readTls,
} from './compose-parts.js'
import { createEmbedders } from './embedders.js'
import { findAdminKey, storeAdminKey, findOrCreateAgentKey, type FirstKey, type FirstKeys } from './first-keys.js'
import { OpenIndexes } from './live-indexes.js'
import { contextOfServingIndex } from './serving-context.js'

export type ServiceRole = 'serve' | 'api' | 'worker'

export interface ServiceOptions {
  readonly role: ServiceRole
  readonly logger: Logger
  /** Queues that `serve` and `worker` process. */
  readonly queues: readonly QueueName[]
  readonly clock?: Clock
  /** Replaces the configured embedder; it is closed at the end. */
  readonly embedder?: Embedder
  /** Given when lines were logged before the start. */
  readonly metrics?: Metrics
  /** Aborts a start between two parts. */
  readonly signal?: AbortSignal
}

export interface Service {
  /** URL of the API; null in a worker. */
  readonly url: string | null
  readonly metricsUrl: string | null
  /** The context with the index that serves now. */
  readonly context: ServiceContext
  readonly adminKey: string | null
  /** Absolute path; null when nothing is stored on this machine. */
  readonly dataDir: string | null
  readonly keys: FirstKeys
  /** Resolves with a reason when the service cannot continue. */
  readonly failed: Promise<string>
  /** Accepts no more requests and jobs, waits for those in progress, and stops every part. */
  stop(): Promise<void>
  /** Returns the name of the part that is being stopped; null for none. */
  stopping(): string | null
}

/**
 * Starts the service. This is the composition root, the only place that knows both profiles. Parts start in the order
 * in which they stand here and stop in reverse: the HTTP listener closes first, then what it uses, and PostgreSQL and
 * the claim on DATA_DIR last. Throws ConfigError.
 */
export async function startService(config: Config, options: ServiceOptions): Promise<Service> {
  try {
    return await startParts(config, options)
  } catch (error) {
    if (!isDiskFull(error) || error instanceof ConfigError) throw error
    throw config.postgres.url === null ? diskFullError(config.dataDir, error) : fullDatabaseError(error)
  }
}

function fullDatabaseError(error: unknown): ConfigError {
  return new ConfigError('DATABASE_URL', 'the disk of this PostgreSQL is full: free space on it.', error)
}

async function startParts(config: Config, options: ServiceOptions): Promise<Service> {
  const { role, logger, clock = systemClock, metrics = createMetrics() } = options
  const startedAt = clock.now()
  const lifecycle = createLifecycle(logger, options.signal)
  const tls = await lifecycle.start('TLS files', () => readTls(config))
  const { dataDir, databaseUrl, store, failed } = await startStorage(lifecycle, config, { role, logger, metrics })
  const cursorSecret = await lifecycle.start('cursor secret', () => store.asSystem(readCursorSecret))
  const admin = await lifecycle.start('admin key', () => adminKeyOf(config, dataDir))

  const pieceSpace = await lifecycle.start('word pieces', createPieceSpace)
  const { embedders, indexes } = await startIndexes(lifecycle, config, options, { dataDir, store, metrics })
  const { languageModel, reranker } = await startModels(lifecycle, config, options, metrics)
  const queue: QueueSettings = {
    redisUrl: config.queue.redisUrl,
    postgresUrl: databaseUrl,
    prefix: config.queue.prefix,
    onOutage: (reason) => metrics.outage('queue', reason),
  }
  const enrichment = languageModel && config.enrichment && { languageModel, ...config.enrichment }
  const forge = { languageModel, ...config.forge }
  const skillScanner = await lifecycle.start('skill scanner', createSkillScanner, (part) => part.stop())
  const work = { clock, logger, metrics, store, indexes, queue, enrichment, skillScanner, forge, pieceSpace }
  await startWork(lifecycle, config, options, work)
  const behind = await startBackgroundParts(lifecycle, queue, { store, logger, clock })

  const current = contextOfServingIndex(indexes, config, {
    version: packageVersion(),
    startedAt,
    clock,
    logger,
    metrics,
    store,
    languageModel,
    enrichment: { enabled: enrichment !== null, tokensPerDay: enrichment?.tokensPerDay ?? null },
    summaryDeadlineMs: config.summaryDeadlineMs,
    reranker,
    skillScanner,
    recallLog: behind.recallLog,
    lastSeenTracker: behind.lastSeenTracker,
    tenantLanguages: new TenantLanguages(),
    pieceSpace,
    rank,
    cursorSecret,
    keystoneSets: new KeystoneSets(cursorSecret),
    commonEntities: new CommonEntityCache({ clock }),
    queueHealth: () => behind.queues[0]!.health(),
    publishForgeRuns: (runs) => publishRuns(behind.forgeQueue, runs),
    queuedIds: behind.queues,
    indexBuilds: {
      openModel: (name: string) => embedders.openNamed(name),
      all: () => indexes.targets(),
      fault: () => indexes.fault(),
      refresh: () => indexes.refresh(),
    },
  })
  // A job of this queue is done at once; its runs wait in PostgreSQL.
  const forgeRuns = async () => ({
    ...(await behind.forgeQueue.counts()),
    ...(await store.asSystem(countRuns)),
  })
  const measured = [...behind.queues, { queue: 'forge', counts: forgeRuns }]
  reportOnScrape(metrics, { role, current, store, queues: measured })
  const metricsUrl = await startMetrics(lifecycle, config, metrics)
  const adminKey = config.adminApiKey ?? admin?.key ?? null
  // Runs before the API says that it is ready: whoever waits for that reads the keys.
  const keys = await lifecycle.start('keys', () => storeFirstKeys(config, dataDir, store, admin))
  const url = role === 'worker' ? null : await startApi(lifecycle, config, current, { adminKey, tls })
  return {
    url,
    metricsUrl,
    get context() {
      return current()
    },
    adminKey,
    dataDir,
    keys,
    failed,
    stop: () => lifecycle.stop(),
    stopping: () => lifecycle.stopping(),
  }
}

async function startStorage(
  lifecycle: Lifecycle,
  config: Config,
  { role, logger, metrics }: { role: ServiceRole; logger: Logger; metrics: Metrics },
) {
  const dataDir = await claimDirectory(lifecycle, config, role)
  // Checks the ports before anything is created, so that a taken port is reported at once. A service on this very
  // directory was reported by the claim on it.
  await lifecycle.start('free ports', () => requireFreePorts(addressesOf(config, role)))
  const { url: databaseUrl, failed } = await startPostgres(lifecycle, config, dataDir, logger)
  await lifecycle.start('migrations', () => prepareDatabase(databaseUrl, config, role === 'serve'))
  const store = await lifecycle.start(
    'store',
    () => createStore(config, databaseUrl, logger, metrics),
    (part) => part.stop(),
  )
  // The holder of the data directory is the only worker: every existing lease belongs to a dead process.
  if (dataDir !== null) {
    await lifecycle.start('orphaned leases', () =>
      store.asSystem(async (system) => {
        await releaseOrphanedLeases(system)
        await releaseOrphanedBuildLeases(system)
        await releaseOrphanedRuns(system)
      }),
    )
  }
  return { dataDir, databaseUrl, store, failed }
}

async function startIndexes(
  lifecycle: Lifecycle,
  config: Config,
  { role, logger, embedder: given }: ServiceOptions,
  { dataDir, store, metrics }: { dataDir: string | null; store: Store; metrics: Metrics },
) {
  const embedders = await lifecycle.start(
    'embedders',
    () =>
      createEmbedders(config.embeddings, {
        log: logger,
        given,
        observeCall: (...call) => metrics.modelCall('embedder', ...call),
      }),
    (part) => part.closeAll(),
  )
  const indexes = await lifecycle.start(
    'indexes',
    () =>
      new OpenIndexes({
        store,
        logger,
        embedders,
        createIndex: (build) => createIndex(config, dataDir, build, { logger, metrics }),
        createsFirstIndex: role !== 'api',
      }),
    (part) => part.stop(),
  )
  await lifecycle.start('serving index', () => indexes.start())
  return { embedders, indexes }
}

/** Starts the models. Both may be absent; a worker needs no reranker, since it answers no recall. */
async function startModels(
  lifecycle: Lifecycle,
  config: Config,
  { role, logger: log }: ServiceOptions,
  metrics: Metrics,
) {
  const languageModel = await lifecycle.start(
    'language model',
    () => createLanguageModel(config, { log, metrics }),
    (part) => part?.close(),
  )
  const reranker = await lifecycle.start(
    'reranker',
    () => (role === 'worker' ? null : createReranker(config, { log, metrics })),
    (part) => part?.close(),
  )
  return { languageModel, reranker }
}

/** Starts the parts that operations use and that must outlive them. */
async function startBackgroundParts(
  lifecycle: Lifecycle,
  queue: QueueSettings,
  context: { store: Store; logger: Logger; clock: Clock },
) {
  const queues = await lifecycle.start(
    'queue probes',
    () => RELAYED_QUEUES.map((name) => ({ queue: name, ...createJobQueue(name, queue, context.logger) })),
    async (parts) => void (await Promise.all(parts.map((part) => part.stop()))),
  )
  const forgeQueue = await lifecycle.start(
    'forge queue',
    () => createJobQueue('forge', queue, context.logger),
    (part) => part.stop(),
  )
  const recallLog = await lifecycle.start(
    'recall log',
    () => createRecallLog(context),
    (part) => part.stop(),
  )
  const lastSeenTracker = await lifecycle.start(
    'last-seen tracker',
    () => createLastSeenTracker(context),
    (part) => part.stop(),
  )
  return { queues, forgeQueue, recallLog, lastSeenTracker }
}

function addressesOf({ http, metrics }: Config, role: ServiceRole): ListenAddress[] {
  const ofMetrics = metrics.port === 0 ? [] : [metricsAddress(metrics)]
  return role === 'worker' ? ofMetrics : [apiAddress(http), ...ofMetrics]
}

/** Claims DATA_DIR when something of this process is stored on this machine's disk; null otherwise. */
async function claimDirectory(lifecycle: Lifecycle, config: Config, role: ServiceRole): Promise<string | null> {
  const isShared = config.postgres.url !== null && config.search.opensearchUrl !== null
  if (role !== 'serve' || isShared) return null
  const claim = await lifecycle.start(
    'data directory',
    () => claimDataDir(config.dataDir),
    (part) => part.release(),
  )
  return claim.path
}

async function startPostgres(lifecycle: Lifecycle, config: Config, dataDir: string | null, logger: Logger) {
  if (config.postgres.url !== null || dataDir === null)
    return { url: config.postgres.url!, failed: new Promise<string>(() => undefined) }
  const server = await lifecycle.start(
    'embedded PostgreSQL',
    () => startEmbeddedPostgres({ dataDir, logger }),
    (part) => part.stop(),
  )
  const failed = new Promise<string>((resolve) => {
    server.onExit((reason) => {
      const ended = `the embedded PostgreSQL ended (${reason})`
      void freeBytes(dataDir).then((bytes) =>
        resolve(`${ended}; ${bytes === 0 ? `the disk of ${dataDir} is full` : `see ${dataDir}/postgres.log`}`),
      )
    })
  })
  return { url: server.url, failed }
}

/** Returns null when another admin key is given, or when there is no directory to store one in. */
async function adminKeyOf(config: Config, dataDir: string | null): Promise<FirstKey | null> {
  return dataDir === null || config.adminApiKey !== null ? null : findAdminKey(dataDir)
}

/**
 * Stores the first keys. This is the last step that may fail, except listening, whose ports were free. With an external
 * database the operator creates the agent key.
 */
async function storeFirstKeys(
  config: Config,
  dataDir: string | null,
  store: Store,
  admin: FirstKey | null,
): Promise<FirstKeys> {
  if (dataDir === null) return { admin: null, agent: null }
  if (admin) await storeAdminKey(dataDir, admin)
  return { admin, agent: config.postgres.url === null ? await findOrCreateAgentKey(dataDir, store) : null }
}

async function startWork(
  lifecycle: Lifecycle,
  config: Config,
  { role, queues }: ServiceOptions,
  context: Omit<WorkerContext, 'indexing'>,
): Promise<void> {
  if (role === 'api') return
  const indexing = { concurrency: config.queue.indexingConcurrency }
  const workers = createWorkers({ ...context, indexing }, { queues })
  await lifecycle.start(
    'workers',
    () => workers.start(),
    (_, awaitStop) => workers.stop(config.shutdownTimeoutMs, awaitStop),
  )
}
