import { statSync } from 'node:fs'
import { workerData } from 'node:worker_threads'
import type { Corpus } from '../../domain/corpus.js'
import { serveTasks } from '../../runtime/threads/serve-tasks.js'
import type { ExpectedDocument, IdSelection, IndexChange, SearchRequest } from '../search-index.js'
import { blockShape } from './code-blocks.js'
import { createCodeCache } from './code-cache.js'
import { compareDocuments, listIds } from './compare.js'
import { connect, type Connection } from './connection.js'
import { type FileShape, ForeignFileError, isDamage } from './file-shape.js'
import { readMark, replaceMark } from './mark.js'
import { FILTER_MS } from './passing.js'
import { makeFile, openFile } from './schema.js'
import { clearUnusedSpace } from './unused-space.js'
import { countAllDocuments, countDocuments, countTenantDocuments, search } from './search.js'
import { createVectorCodec } from './vector-codec.js'
import { purgeTombstones, write } from './write.js'

/** The `workerData` of a thread. */
export interface ThreadSettings {
  readonly role: 'read' | 'write'
  readonly files: { readonly [K in Corpus]: FileShape }
  readonly filterMs?: number | undefined
}

const settings = workerData as ThreadSettings
interface OpenedFile {
  readonly connection: Connection
  readonly inode: number
  /** Largest size seen; a file never shrinks by itself. */
  size: number
}
const opened = new Map<Corpus, OpenedFile>()
const { filterMs = FILTER_MS } = settings
const codes = createCodeCache()
const shape = blockShape(createVectorCodec(settings.files.memories.dimensions))

/**
 * Returns the file's connection, opening it if necessary, and verifies that the open file is still there: SQLite would
 * continue with a removed file, and with its in-memory part of a truncated one. A file that was removed or replaced
 * stays lost for as long as the thread lives, since the old file's WAL may lie beside the new one. Throws when there is
 * no file, and never creates one.
 */
function connectionOf(corpus: Corpus): Connection {
  const file = settings.files[corpus]
  const stats = statSync(file.path, { throwIfNoEntry: false })
  const known = opened.get(corpus)
  if (known) {
    if (stats?.ino !== known.inode || stats.size < known.size)
      throw new ForeignFileError('the file was removed or replaced')
    known.size = stats.size
    return known.connection
  }
  if (!stats) throw Object.assign(new Error('the file is missing'), { code: 'SQLITE_CANTOPEN' })
  const connection = settings.role === 'write' ? openFile(file) : connect(file.path, 'read')
  opened.set(corpus, { connection, inode: stats.ino, size: stats.size })
  return connection
}

/** Returns null when the file has no mark or is of another origin. */
function markOf(corpus: Corpus): string | null {
  try {
    return readMark(connectionOf(corpus))
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_ERROR' || isDamage(error)) return null
    throw error
  }
}

interface TenantChanges {
  readonly tenantId: string
  readonly changes: readonly IndexChange[]
}

interface TenantDocuments {
  readonly tenantId: string
  readonly expected: readonly ExpectedDocument[]
}

/** The tasks, with the corpus whose file is used. */
const tasks = {
  make: (corpus: Corpus, mark: string) => {
    makeFile(settings.files[corpus], mark)
  },
  mark: markOf,
  remark: (corpus: Corpus, { known, next }: { readonly known: readonly string[]; readonly next: string }) =>
    replaceMark(connectionOf(corpus), known, next),
  search: (corpus: Corpus, { tenantId, request }: { readonly tenantId: string; readonly request: SearchRequest }) =>
    search({ connection: connectionOf(corpus), corpus, codes, shape, filterMs }, tenantId, request),
  write: (corpus: Corpus, { tenantId, changes }: TenantChanges) =>
    write(connectionOf(corpus), tenantId, changes, { shape, now: Date.now() }),
  purge: (corpus: Corpus, before: number) => purgeTombstones(connectionOf(corpus), before),
  countOf: (corpus: Corpus, { tenantId, ids }: { readonly tenantId: string; readonly ids: readonly string[] }) =>
    countDocuments(connectionOf(corpus), tenantId, ids),
  /** Counts the documents of one tenant, or of all by the kept counters. */
  count: (corpus: Corpus, one: { readonly tenantId: string } | null) => {
    const connection = connectionOf(corpus)
    return one === null ? countAllDocuments(connection) : countTenantDocuments(connection, one.tenantId)
  },
  compare: (corpus: Corpus, { tenantId, expected }: TenantDocuments) =>
    compareDocuments(connectionOf(corpus), tenantId, expected, shape),
  listIds: (corpus: Corpus, { tenantId, selection }: { readonly tenantId: string; readonly selection: IdSelection }) =>
    listIds(connectionOf(corpus), tenantId, selection),
  clearUnusedSpace: (corpus: Corpus, from: number) => clearUnusedSpace(connectionOf(corpus), from),
  checkpoint: (corpus: Corpus) => {
    // The WAL keeps old pages until it is checkpointed into the file.
    connectionOf(corpus).exec('pragma wal_checkpoint(truncate)')
  },
  /** Closes both files. */
  close: () => {
    for (const { connection } of opened.values()) {
      if (settings.role === 'write') connection.exec('pragma wal_checkpoint(truncate)')
      connection.close()
    }
    opened.clear()
  },
}

export type IndexTasks = typeof tasks

serveTasks(tasks)
