import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Space } from '../../domain/space.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { Logger } from '../../runtime/logger.js'
import { indexSlug } from '../index-name.js'
import type { ObserveEngine } from '../observed.js'
import type { IndexChange, SearchIndex, SearchRequest, SpaceIndex, TenantIndex } from '../search-index.js'
import { ofSpaces } from '../spaces.js'
import type { ThreadSettings } from './protocol.js'
import { type FileShape, SCHEMA_VERSION } from './schema.js'
import { createThread, type SpaceThread, type Thread } from './thread.js'

export interface SqliteOptions {
  /** Directory of the files, one for each corpus, embedder and schema. Used by one process at a time. */
  readonly directory: string
  readonly embedderId: string
  readonly dimensions: number
  /** Distinguishes files of one embedder (`indexSlug`). */
  readonly generation?: string
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
  const writer = createThread({ files, role: 'write' }, (space) => faults.note(space))
  const reader = createThread({ files, role: 'read' }, (space) => faults.note(space))
  async function stop(): Promise<void> {
    // The reader stops first, so that the writer's connection is the last to close and checkpoints the WAL into the
    // file.
    await reader.stop()
    await writer.stop()
  }
  return ofSpaces((space) => createSpace(space, options, { faults, writer, reader, stop }), options.observe)
}

interface Shared {
  readonly faults: Faults
  readonly writer: Thread
  readonly reader: Thread
  stop(): Promise<void>
}

function createSpace(space: Space, options: SqliteOptions, { faults, stop, ...threads }: Shared): SpaceIndex {
  const { directory, logger } = options
  const { path } = fileOf(space, options)
  const [reader, writer] = [threads.reader, threads.writer].map((thread) =>
    guarded(thread.of(space), space, faults),
  ) as [SpaceThread, SpaceThread]

  return {
    engine: 'sqlite',
    async make(mark) {
      mkdirSync(directory, { recursive: true })
      await writer.run('make', mark)
      logger?.debug({ file: basename(path) }, 'search file created')
    },
    async marks() {
      if (!existsSync(path)) return null
      if (faults.has(space)) return ['']
      return [(await reader.run('mark', null)) ?? '']
    },
    remark: (known, next) => writer.run('remark', { known, next }),
    for: (tenantId) => tenantIndex(reader, { run: (...task) => faults.watch(space, writer.run(...task)) }, tenantId),
    purgeTombstones: (before) => writer.run('purge', before),
    expunge: async () => void (await writer.run('expunge', null)),
    async health() {
      if (faults.has(space)) return { reason: 'damaged', detail: 'sqlite: the search file is damaged' }
      if (faults.isFull(space)) return { reason: 'disk_full', detail: 'sqlite: SQLITE_FULL' }
      return reader.run('mark', null).then(
        () => null,
        (error: Error) => ({
          reason: error instanceof UnavailableError ? error.reason : 'unreachable',
          detail: error.cause instanceof Error ? error.cause.message : error.message,
        }),
      )
    },
    describe: async () => ({ name: basename(path), documents: await reader.run('count', null) }),
    async remove() {
      await stop()
      for (let version = 1; version <= SCHEMA_VERSION; version++) removeFile(fileOf(space, options, version).path)
    },
    stop,
  }
}

function fileOf(
  space: Space,
  { directory, embedderId, dimensions, generation }: SqliteOptions,
  version = SCHEMA_VERSION,
): FileShape {
  const name = `${space}-${indexSlug(embedderId, dimensions, generation)}-v${version}.sqlite`
  return { path: join(directory, name), embedderId, dimensions }
}

/** Tracks which files SQLite found damaged (logged once), and for which the disk is full. */
interface Faults {
  note(space: Space): void
  has(space: Space): boolean
  /** Records whether the disk was full for the write; refused rows are written again until there is space. */
  watch<T>(space: Space, write: Promise<T>): Promise<T>
  isFull(space: Space): boolean
}

function createFaults(files: ThreadSettings['files'], logger: Logger | undefined): Faults {
  const damaged = new Set<Space>()
  const full = new Set<Space>()
  return {
    note(space) {
      if (damaged.has(space)) return
      damaged.add(space)
      const { path } = files[space]
      logger?.error({ file: basename(path) }, 'the search file is damaged')
    },
    has: (space) => damaged.has(space),
    async watch(space, write) {
      try {
        const answer = await write
        full.delete(space)
        return answer
      } catch (error) {
        if (error instanceof UnavailableError && error.reason === 'disk_full') full.add(space)
        throw error
      }
    },
    isFull: (space) => full.has(space),
  }
}

function removeFile(path: string): void {
  for (const part of ['', '-wal', '-shm']) rmSync(path + part, { force: true })
}

function tenantIndex(reader: SpaceThread, writer: SpaceThread, tenantId: string): TenantIndex {
  return {
    search: (request, signal) => reader.run('search', { tenantId, request: withOwnVector(request) }, signal),
    write: (changes, signal) => writer.run('write', { tenantId, changes: changes.map(withOwnVectors) }, signal),
    countOf: (ids) => reader.run('countOf', { tenantId, ids }),
    count: () => reader.run('count', { tenantId }),
  }
}

/** Fails at once for a file that another thread found damaged or missing, with the same error. */
function guarded(thread: SpaceThread, space: Space, faults: Faults): SpaceThread {
  return {
    run: (name, argument, signal) =>
      faults.has(space)
        ? Promise.reject(new UnavailableError('search', new Error('sqlite: the search file is damaged')))
        : thread.run(name, argument, signal),
  }
}

function withOwnVector(request: SearchRequest): SearchRequest {
  return request.vector ? { ...request, vector: { vector: own(request.vector.vector) } } : request
}

function withOwnVectors(change: IndexChange): IndexChange {
  const vector = change.document?.vector
  return vector ? { ...change, document: { ...change.document!, vector: own(vector) } } : change
}

/**
 * Returns a vector with a buffer of its own: posting a view to a thread copies the whole underlying buffer, which may
 * be a whole batch's vectors.
 */
function own(vector: Float32Array): Float32Array {
  return vector.byteLength === vector.buffer.byteLength ? vector : vector.slice()
}
