import { statSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import type { Space } from '../../domain/space.js'
import { connect, type Connection } from './connection.js'
import { readMark, replaceMark } from './mark.js'
import type { TaskMessage, TaskName, TaskReply, Tasks, ThreadSettings } from './protocol.js'
import { ForeignFileError, isDamage, makeFile, openFile } from './schema.js'
import { countAllDocuments, countDocuments, countTenantDocuments, search } from './search.js'
import { purgeTombstones, write } from './write.js'

const settings = workerData as ThreadSettings
interface Opened {
  readonly connection: Connection
  readonly inode: number
  /** Largest size seen; a file never shrinks by itself. */
  size: number
}
const opened = new Map<Space, Opened>()

/**
 * Returns the file's connection, opening it if necessary, and verifies that the open file is still there: SQLite would
 * continue with a removed file, and with its in-memory part of a truncated one. A file that was removed or replaced
 * stays lost for as long as the thread lives, since the old file's WAL may lie beside the new one. Throws when there is
 * no file, and never creates one.
 */
function connectionOf(space: Space): Connection {
  const file = settings.files[space]
  const there = statSync(file.path, { throwIfNoEntry: false })
  const known = opened.get(space)
  if (known) {
    if (there?.ino !== known.inode || there.size < known.size)
      throw new ForeignFileError('the file was removed or replaced')
    known.size = there.size
    return known.connection
  }
  if (!there) throw Object.assign(new Error('the file is missing'), { code: 'SQLITE_CANTOPEN' })
  const connection = settings.role === 'write' ? openFile(file) : connect(file.path, 'read')
  opened.set(space, { connection, inode: there.ino, size: there.size })
  return connection
}

/** Returns null when the file has no mark or is of another origin. */
function markOf(space: Space): string | null {
  try {
    return readMark(connectionOf(space))
  } catch (error) {
    if ((error as { code?: string }).code === 'SQLITE_ERROR' || isDamage(error)) return null
    throw error
  }
}

type Task<Name extends TaskName> = (space: Space, argument: Tasks[Name][0]) => Tasks[Name][1]

const tasks: { [Name in TaskName]: Task<Name> } = {
  make: (space, mark) => {
    makeFile(settings.files[space], mark)
    return null
  },
  mark: markOf,
  remark: (space, { known, next }) => replaceMark(connectionOf(space), known, next),
  search: (space, { tenantId, request }) => search(connectionOf(space), tenantId, request),
  write: (space, { tenantId, changes }) => {
    const { dimensions } = settings.files[space]
    return write(connectionOf(space), tenantId, changes, { dimensions, now: Date.now() })
  },
  purge: (space, before) => purgeTombstones(connectionOf(space), before),
  countOf: (space, { tenantId, ids }) => countDocuments(connectionOf(space), tenantId, ids),
  count: (space, one) => {
    const connection = connectionOf(space)
    return one === null ? countAllDocuments(connection) : countTenantDocuments(connection, one.tenantId)
  },
  expunge: (space) => {
    // The WAL keeps old pages until it is checkpointed into the file.
    connectionOf(space).exec('pragma wal_checkpoint(truncate)')
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

function reply<Name extends TaskName>({ space, name, argument }: TaskMessage<Name>): TaskReply {
  try {
    return { ok: true, answer: tasks[name](space, argument) }
  } catch (error) {
    const { code, name: kind } = error as { code?: string; name?: string }
    return { ok: false, code: code ?? kind ?? 'unknown', damaged: isDamage(error) }
  }
}

parentPort!.on('message', (message: TaskMessage) => {
  parentPort!.postMessage(reply(message))
  if (message.name === 'close') parentPort!.close()
})
