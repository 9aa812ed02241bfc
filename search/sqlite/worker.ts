import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Corpus } from '../../domain/corpus.js'
import { connect, type Connection } from './connection.js'
import { readMark, replaceMark } from './mark.js'
import type { TaskMessage, TaskName, TaskReply, Tasks, ThreadSettings } from './protocol.js'
import { ForeignFileError, isDamage, makeFile, openFile } from './schema.js'
import { countAllDocuments, countDocuments, countTenantDocuments, search } from './search.js'
import { purgeTombstones, write } from './write.js'

const settings = workerData as ThreadSettings
interface OpenedFile {
  readonly connection: Connection
  readonly inode: number
  /** Largest size seen; a file never shrinks by itself. */
  size: number
}
const opened = new Map<Corpus, OpenedFile>()

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

type Task<Name extends TaskName> = (corpus: Corpus, argument: Tasks[Name][0]) => Tasks[Name][1]

const tasks: { [Name in TaskName]: Task<Name> } = {
  make: (corpus, mark) => {
    makeFile(settings.files[corpus], mark)
    return null
  },
  mark: markOf,
  remark: (corpus, { known, next }) => replaceMark(connectionOf(corpus), known, next),
  search: (corpus, { tenantId, request }) => search(connectionOf(corpus), tenantId, request),
  write: (corpus, { tenantId, changes }) => {
    const { dimensions } = settings.files[corpus]
    return write(connectionOf(corpus), tenantId, changes, { dimensions, now: Date.now() })
  },
  purge: (corpus, before) => purgeTombstones(connectionOf(corpus), before),
  countOf: (corpus, { tenantId, ids }) => countDocuments(connectionOf(corpus), tenantId, ids),
  count: (corpus, one) => {
    const connection = connectionOf(corpus)
    return one === null ? countAllDocuments(connection) : countTenantDocuments(connection, one.tenantId)
  },
  expunge: (corpus) => {
    // The WAL keeps old pages until it is checkpointed into the file.
    connectionOf(corpus).exec('pragma wal_checkpoint(truncate)')
    return null
  },
  close: () => {
    for (const { connection } of opened.values()) {
      if (settings.role === 'write') connection.exec('pragma wal_checkpoint(truncate)')
      connection.close()
    }
    opened.clear()
    return null
  },
}

function reply<Name extends TaskName>({ corpus, name, argument }: TaskMessage<Name>): TaskReply {
  try {
    return { ok: true, answer: tasks[name](corpus, argument) }
  } catch (error) {
    const { code, name: kind } = error as { code?: string; name?: string }
    return { ok: false, code: code ?? kind ?? 'unknown', damaged: isDamage(error) }
  }
}

parentPort!.on('message', (message: TaskMessage) => {
  parentPort!.postMessage(reply(message))
  if (message.name === 'close') parentPort!.close()
})
