import { parentPort, workerData } from 'node:worker_threads'
import type { Space } from '../../domain/space.js'
import { connect, type Connection } from './connection.js'
import type { TaskMessage, TaskName, TaskReply, Tasks, ThreadSettings } from './protocol.js'
import { isDamage, isSeeded, markSeeded, openFile } from './schema.js'
import { countDocuments, search } from './search.js'
import { purgeTombstones, write } from './write.js'

const settings = workerData as ThreadSettings
const opened = new Map<Space, Connection>()

function connectionOf(space: Space): Connection {
  const known = opened.get(space)
  if (known) return known
  const file = settings.files[space]
  const made = settings.role === 'write' ? openFile(file, Date.now()) : connect(file.path, 'read')
  opened.set(space, made)
  return made
}

type Task<Name extends TaskName> = (space: Space, argument: Tasks[Name][0]) => Tasks[Name][1]

const tasks: { [Name in TaskName]: Task<Name> } = {
  open: (space) => ({ seeded: isSeeded(connectionOf(space)) }),
  search: (space, { tenantId, request }) => search(connectionOf(space), tenantId, request),
  write: (space, { tenantId, changes }) => {
    const { dimensions } = settings.files[space]
    return write(connectionOf(space), tenantId, changes, { dimensions, now: Date.now() })
  },
  purge: (space, before) => purgeTombstones(connectionOf(space), before),
  seeded: (space) => {
    markSeeded(connectionOf(space))
    return null
  },
  countOf: (space, { tenantId, ids }) => countDocuments(connectionOf(space), tenantId, ids),
  count: (space, one) => {
    const ofOne = one === null ? '' : ' where tenant = ?'
    const binds = one === null ? [] : [one.tenantId]
    return connectionOf(space).all<[number | null]>(`select sum(documents) from tenants${ofOne}`, binds)[0]?.[0] ?? 0
  },
  expunge: (space) => {
    // The log keeps pages as they were before until it is emptied into the file.
    connectionOf(space).exec('pragma wal_checkpoint(truncate)')
    return null
  },
  close: () => {
    for (const connection of opened.values()) {
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
