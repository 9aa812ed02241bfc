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
  /** A file never shrinks by itself. */
  size: number
}
const opened = new Map<Space, Opened>()

/**
 * Opens the file, or looks whether the one that is open is still there: SQLite would go on with a removed one, and with what it has of
 * a truncated one in memory. One that was taken away or replaced stays lost for as long as the thread lives, since the log of the old
 * one may lie beside the new. Throws when there is no file, and never makes one.
 */
function connectionOf(space: Space): Connection {
  const file = settings.files[space]
  const there = statSync(file.path, { throwIfNoEntry: false })
  const known = opened.get(space)
  if (known) {
    if (there?.ino !== known.inode || there.size < known.size) throw new ForeignFileError('the file was taken away')
    known.size = there.size
    return known.connection
  }
  if (!there) throw Object.assign(new Error('the file is missing'), { code: 'SQLITE_CANTOPEN' })
  const connection = settings.role === 'write' ? openFile(file) : connect(file.path, 'read')
  opened.set(space, { connection, inode: there.ino, size: there.size })
  return connection
}

/** Null when the file has no mark or is none of ours. */
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
    // The log keeps pages as they were before until it is emptied into the file.
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
