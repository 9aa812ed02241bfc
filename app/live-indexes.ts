import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { v7 as uuidv7 } from 'uuid'
import { BUILT_IN, FORMER_BUILT_IN } from '../models/static-embedder.js'
import { createUnavailableEmbedder } from '../models/unavailable-embedder.js'
import type { Embedder } from '../models/embedder.js'
import { ConfigError, UnavailableError } from '../runtime/errors.js'
import type { Logger } from '../runtime/logger.js'
import type { Fault } from '../runtime/outage-reasons.js'
import type { SearchIndex } from '../search/search-index.js'
import { listLiveBuilds, recordFirstBuild, type IndexBuild, takesChanges } from '../store/indexing/index-builds.js'
import { type SuccessorModel, takesPlaceOf } from '../store/indexing/successor-builds.js'
import type { Store } from '../store/store.js'
import type { IndexTarget, LiveIndexes } from '../workers/context.js'
import { makeIndex } from '../workers/indexing/write-index.js'
import type { Embedders } from './embedders.js'

interface LiveIndexesOptions {
  readonly store: Store
  readonly logger: Logger
  readonly embedders: Embedders
  readonly createIndex: (build: IndexBuild) => SearchIndex
  /** True when this process creates the first index of a database at its start; an API leaves that to a worker. */
  readonly createsFirstIndex: boolean
}

/** Interval at which PostgreSQL is asked which index serves. */
const POLL_MS = 500
/**
 * Time for which an index that is not live any more stays open here, for requests that began before. It is shorter than
 * the wait before the index is deleted.
 */
const LINGER_MS = 2_000

interface OpenTarget extends IndexTarget {
  readonly build: IndexBuild
}

/**
 * The indices that this process has open, and which one serves, as PostgreSQL said at most half a second ago
 * (store/indexing/index-builds.md). A target contains its embedder, so that callers never mix two models.
 */
export class OpenIndexes implements LiveIndexes {
  readonly #opened = new Map<string, Promise<OpenTarget>>()
  readonly #closingSince = new Map<string, number>()
  readonly #stopping = new AbortController()
  readonly #listeners: ((serving: IndexTarget) => void)[] = []
  #serving: OpenTarget | undefined
  #refreshing: Promise<void> = Promise.resolve()
  #isAway = false
  #fault: Fault | null = null
  #loop: Promise<void> | undefined
  #successor: SuccessorModel | null = null

  constructor(private readonly options: LiveIndexesOptions) {}

  /** Throws ConfigError when the serving index uses the configured model and that model cannot be opened. */
  async start(): Promise<void> {
    const { store, embedders } = this.options
    const builds = await store.asSystem(listLiveBuilds)
    if (builds.length === 0) {
      const { id: model, dimensions } = await embedders.open(embedders.configured)
      const generation = randomBytes(4).toString('hex')
      await store.asSystem((system) => recordFirstBuild(system, { id: uuidv7(), model, dimensions, generation }))
    } else if (builds[0]!.model === embedders.configured) {
      await embedders.open(builds[0]!.model, builds[0]!.dimensions)
    } else {
      await this.#noteOtherModel(builds)
    }
    await this.refresh()
    if (this.options.createsFirstIndex) await this.#createFirstIndex()
    this.#loop = this.#poll()
  }

  /**
   * Notes that the built-in model takes the place of a former one: workers then build its index. Logs when the configured
   * model neither serves nor is about to.
   */
  async #noteOtherModel(builds: readonly IndexBuild[]): Promise<void> {
    const { store, embedders, logger } = this.options
    const [configured, serving] = [embedders.configured, builds[0]!.model]
    if (configured === BUILT_IN) {
      const { id: model, dimensions } = await embedders.open(configured)
      const successor = { model, dimensions, after: FORMER_BUILT_IN }
      if (await store.asSystem((system) => takesPlaceOf(system, successor, serving))) this.#successor = successor
    }
    const isBuilding = builds.some(({ model, state }) => model === configured && state !== 'kept')
    if (this.#successor !== null || isBuilding) return
    logger.warn(
      { configured, serving },
      'EMBEDDINGS_MODEL is not the serving model; `cairn embed migrate --to` changes the model while recall continues',
    )
  }

  /**
   * Creates the first index. An unavailable engine does not delay the start: writes are accepted without it, and a
   * worker tries again.
   */
  async #createFirstIndex(): Promise<void> {
    const { store, logger } = this.options
    const { build, ...serving } = this.#serving!
    if (build.madeAt !== null || build.lostAt !== null) return
    try {
      await makeIndex(store, serving)
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error
      logger.warn({ engine: serving.index.engine }, 'search engine is unavailable, trying again')
    }
  }

  get successor(): SuccessorModel | null {
    return this.#successor
  }

  serving(): IndexTarget {
    return this.#serving!
  }

  /** Calls `listener` with each index that takes over from now on. */
  onServing(listener: (serving: IndexTarget) => void): void {
    this.#listeners.push(listener)
  }

  async targets(): Promise<readonly IndexTarget[]> {
    const builds = await this.options.store.asSystem(listLiveBuilds)
    return Promise.all(builds.filter(takesChanges).map((build) => this.open(build)))
  }

  /**
   * Returns why the serving index is incomplete, as PostgreSQL said at most half a second ago; null when it is
   * complete.
   */
  fault(): Fault | null {
    return this.#fault
  }

  open(build: IndexBuild): Promise<IndexTarget> {
    const known = this.#opened.get(build.id)
    if (known) return known
    const opening = this.#open(build)
    this.#opened.set(build.id, opening)
    opening.catch(() => this.#opened.delete(build.id))
    return opening
  }

  async remove(build: IndexBuild): Promise<void> {
    await this.#close(build.id)
    await this.options.createIndex(build).remove()
  }

  /** Reads the state at once; its changes have taken effect when this resolves. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.catch(() => undefined).then(() => this.#readState())
    return this.#refreshing
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#loop
    await Promise.all([...this.#opened.keys()].map((id) => this.#close(id)))
  }

  async #poll(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      await sleep(POLL_MS, undefined, { signal }).catch(() => undefined)
      if (signal.aborted) return
      try {
        await this.refresh()
        this.#isAway = false
      } catch (error) {
        if (!this.#isAway) this.options.logger.warn({ err: error }, 'cannot read which index serves')
        this.#isAway = true
      }
    }
  }

  async #readState(): Promise<void> {
    const builds = await this.options.store.asSystem(listLiveBuilds)
    // Opens all of them, so that the next one to serve is open already.
    const targets = await Promise.all(builds.map((build) => this.open(build) as Promise<OpenTarget>))
    const serving = targets.find((_, i) => builds[i]!.state === 'serving')
    if (serving && serving.buildId !== this.#serving?.buildId) this.#switch(serving)
    const state = builds.find((build) => build.state === 'serving')
    const detail = state?.error ?? 'the index is not created yet'
    this.#fault = !state || takesChanges(state) ? null : { reason: 'incomplete', detail }
    const now = Date.now()
    for (const id of this.#opened.keys()) {
      if (builds.some((build) => build.id === id)) this.#closingSince.delete(id)
      else if (!this.#closingSince.has(id)) this.#closingSince.set(id, now)
      else if (now - this.#closingSince.get(id)! > LINGER_MS) await this.#close(id)
    }
  }

  #switch(serving: OpenTarget): void {
    const { logger } = this.options
    if (this.#serving) logger.info({ build: serving.buildId, model: serving.embedder.id }, 'another index serves')
    this.#serving = serving
    for (const listener of this.#listeners) listener(serving)
  }

  async #open(build: IndexBuild): Promise<OpenTarget> {
    const embedder = await this.#embedderOf(build)
    return { buildId: build.id, build, index: this.options.createIndex(build), embedder }
  }

  async #embedderOf({ model, dimensions }: IndexBuild): Promise<Embedder> {
    try {
      return await this.options.embedders.open(model, dimensions)
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      this.options.logger.error({ model, failure: error.message }, 'a model cannot be opened: no vectors for its index')
      return createUnavailableEmbedder(model, dimensions, error.message)
    }
  }

  async #close(id: string): Promise<void> {
    const opened = await this.#opened.get(id)?.catch(() => undefined)
    this.#opened.delete(id)
    this.#closingSince.delete(id)
    if (!opened) return
    await opened.index.stop()
    const others = await Promise.all(this.#opened.values())
    if (!others.some(({ build }) => build.model === opened.build.model))
      await this.options.embedders.close(opened.build.model)
  }
}
