import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { indexSlug } from '../index-name.js'
import type { ObserveEngine } from '../observe-index.js'
import type { Comparison, CorpusIndex, IndexChange, SearchIndex, SearchRequest, TenantIndex } from '../search-index.js'
import { combineCorpora } from '../corpora.js'
import { type FileShape, SCHEMA_VERSION } from './file-shape.js'
import { createThread, type CorpusThread, type Thread } from './thread.js'
import type { ThreadSettings } from './worker.js'

interface SqliteOptions {
  /** Directory of the files, one for each corpus, embedder and schema. Used by one process at a time. */
  readonly directory: string
  readonly embedderId: string
  readonly dimensions: number
  /** Distinguishes files of one embedder (`indexSlug`). */
  readonly generation: string
  /** Milliseconds that a search evaluates a caller's condition for a whole tenant; 2,000 by default. */
  readonly filterMs?: number | undefined
  readonly logger?: Logger
  readonly observe?: ObserveEngine | undefined
}

/**
 * Creates the embedded engine: a file for each corpus, a thread that writes and a thread that reads. In WAL mode
 * neither waits for the other, and the event loop waits for neither (a scan of 20,000 vectors takes some 20 ms).
 */
export function createSqliteIndex(options: SqliteOptions): SearchIndex {
  const files = { memories: fileOf('memories', options), documents: fileOf('documents', options) }
  const faults = createFaults(files, options.logger)
  const writer = createThread({ files, role: 'write' }, (corpus) => faults.note(corpus))
  const reader = createThread({ files, role: 'read', filterMs: options.filterMs }, (corpus) => faults.note(corpus))
  async function stop(): Promise<void> {
    // The reader stops first, so that the writer's connection is the last to close and checkpoints the WAL into the
    // file.
    await reader.stop()
    await writer.stop()
  }
  return combineCorpora(
    (corpus) => createCorpusIndex(corpus, options, { faults, writer, reader, stop }),
    options.observe,
  )
}

interface SharedThreads {
  readonly faults: Faults
  readonly writer: Thread
  readonly reader: Thread
  stop(): Promise<void>
}

function createCorpusIndex(
  corpus: Corpus,
  options: SqliteOptions,
  { faults, stop, ...threads }: SharedThreads,
): CorpusIndex {
  const { directory, logger } = options
  const { path } = fileOf(corpus, options)
  const [reader, writer] = [threads.reader, threads.writer].map((thread) =>
    failFastWhenDamaged(thread.of(corpus), corpus, faults),
  ) as [CorpusThread, CorpusThread]

  return {
    engine: 'sqlite',
    async make(mark) {
      mkdirSync(directory, { recursive: true })
      await writer.run('make', [mark])
      logger?.debug({ file: basename(path) }, 'search file created')
    },
    async marks() {
      if (!existsSync(path)) return null
      if (faults.has(corpus)) return ['']
      return [(await reader.run('mark', [])) ?? '']
    },
    remark: (known, next) => writer.run('remark', [{ known, next }]),
    for: (tenantId) => tenantIndex(reader, { run: (...task) => faults.watch(corpus, writer.run(...task)) }, tenantId),
    purgeTombstones: (before) => writer.run('purge', [before]),
    async expunge() {
      for (let page: number | null = 1; page !== null;) page = await writer.run('clearUnusedSpace', [page])
      await writer.run('checkpoint', [])
    },
    async health() {
      if (faults.has(corpus)) return { reason: 'damaged', detail: 'sqlite: the search file is damaged' }
      if (faults.isFull(corpus)) return { reason: 'disk_full', detail: 'sqlite: SQLITE_FULL' }
      return reader.run('mark', []).then(
        () => null,
        (error: Error) => ({
          reason: error instanceof UnavailableError ? error.reason : 'unreachable',
          detail: error.cause instanceof Error ? error.cause.message : error.message,
        }),
      )
    },
    describe: async () => ({ name: basename(path), documents: await reader.run('count', [null]) }),
    async remove() {
      await stop()
      for (let version = 1; version <= SCHEMA_VERSION; version++) removeFile(fileOf(corpus, options, version).path)
    },
    stop,
  }
}

function fileOf(
  corpus: Corpus,
  { directory, embedderId, dimensions, generation }: SqliteOptions,
  version = SCHEMA_VERSION,
): FileShape {
  const name = `${corpus}-${indexSlug(embedderId, dimensions, generation)}-v${version}.sqlite`
  return { path: join(directory, name), embedderId, dimensions }
}

/** Tracks which files SQLite found damaged (logged once), and for which the disk is full. */
interface Faults {
  note(corpus: Corpus): void
  has(corpus: Corpus): boolean
  /** Records whether the disk was full for the write; refused rows are written again until there is space. */
  watch<T>(corpus: Corpus, write: Promise<T>): Promise<T>
  isFull(corpus: Corpus): boolean
}

function createFaults(files: ThreadSettings['files'], logger: Logger | undefined): Faults {
  const damaged = new Set<Corpus>()
  const full = new Set<Corpus>()
  return {
    note(corpus) {
      if (damaged.has(corpus)) return
      damaged.add(corpus)
      const { path } = files[corpus]
      logger?.error({ file: basename(path) }, 'the search file is damaged')
    },
    has: (corpus) => damaged.has(corpus),
    async watch(corpus, write) {
      try {
        const answer = await write
        full.delete(corpus)
        return answer
      } catch (error) {
        if (error instanceof UnavailableError && error.reason === 'disk_full') full.add(corpus)
        throw error
      }
    },
    isFull: (corpus) => full.has(corpus),
  }
}

function removeFile(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true })
}

/** Documents of one task: a search that waits runs between two. */
const COMPARED_AT_ONCE = 50

function tenantIndex(reader: CorpusThread, writer: CorpusThread, tenantId: string): TenantIndex {
  return {
    search: (request, signal) => reader.run('search', [{ tenantId, request: withOwnVector(request) }], signal),
    write: (changes, signal) => writer.run('write', [{ tenantId, changes: changes.map(withOwnVectors) }], signal),
    countOf: (ids) => reader.run('countOf', [{ tenantId, ids }]),
    count: () => reader.run('count', [{ tenantId }]),
    async compare(expected, signal) {
      const results: Comparison[] = []
      for (let at = 0; at < expected.length; at += COMPARED_AT_ONCE) {
        const part = expected.slice(at, at + COMPARED_AT_ONCE)
        results.push(...(await reader.run('compare', [{ tenantId, expected: part }], signal)))
      }
      return results
    },
    listIds: (selection, signal) => reader.run('listIds', [{ tenantId, selection }], signal),
  }
}

/** Fails at once for a file that another thread found damaged or missing, with the same error. */
function failFastWhenDamaged(thread: CorpusThread, corpus: Corpus, faults: Faults): CorpusThread {
  return {
    run: (name, args, signal) =>
      faults.has(corpus)
        ? Promise.reject(new UnavailableError('search', new Error('sqlite: the search file is damaged')))
        : thread.run(name, args, signal),
  }
}

function withOwnVector(request: SearchRequest): SearchRequest {
  return request.vector ? { ...request, vector: { vector: withOwnBuffer(request.vector.vector) } } : request
}

function withOwnVectors(change: IndexChange): IndexChange {
  const vector = change.document?.vector
  return vector ? { ...change, document: { ...change.document!, vector: withOwnBuffer(vector) } } : change
}

/**
 * Returns a vector with a buffer of its own: posting a view to a thread copies the whole underlying buffer, which may
 * be a whole batch's vectors.
 */
function withOwnBuffer(vector: Float32Array): Float32Array {
  return vector.byteLength === vector.buffer.byteLength ? vector : vector.slice()
}
