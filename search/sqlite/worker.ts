import { parentPort, workerData } from 'node:worker_threads'
import { connect, type Connection } from './connection.js'
import type { TaskMessage, TaskName, TaskReply, Tasks, ThreadSettings } from './protocol.js'
import { isDamage, isSeeded, markSeeded, openFile } from './schema.js'
import { countDocuments, search } from './search.js'
import { purgeTombstones, write } from './write.js'

const settings = workerData as ThreadSettings
let opened: Connection | undefined

function connection(): Connection {
  opened ??= settings.role === 'write' ? openFile(settings, Date.now()) : connect(settings.path, 'read')
  return opened
}

const tasks: { [Name in TaskName]: (argument: Tasks[Name][0]) => Tasks[Name][1] } = {
  open: () => ({ seeded: isSeeded(connection()) }),
  search: ({ tenantId, request }) => search(connection(), tenantId, request),
  write: ({ tenantId, changes }) =>
    write(connection(), tenantId, changes, { dimensions: settings.dimensions, now: Date.now() }),
  purge: (before) => purgeTombstones(connection(), before),
  seeded: () => {
    markSeeded(connection())
    return null
  },
  countOf: ({ tenantId, ids }) => countDocuments(connection(), tenantId, ids),
  count: (one) => {
    const ofOne = one === null ? '' : ' where tenant = ?'
    const binds = one === null ? [] : [one.tenantId]
    return connection().all<[number | null]>(`select sum(documents) from tenants${ofOne}`, binds)[0]?.[0] ?? 0
  },
  expunge: () => {
    // The log keeps pages as they were before until it is emptied into the file.
    connection().exec('pragma wal_checkpoint(truncate)')
    return null
  },
  close: () => {
    if (settings.role === 'write') opened?.exec('pragma wal_checkpoint(truncate)')
    opened?.close()
    opened = undefined
    return null
  },
}

function reply<Name extends TaskName>({ name, argument }: TaskMessage<Name>): TaskReply {
  try {
    return { ok: true, answer: tasks[name](argument) }
  } catch (error) {
    const { code, name: kind } = error as { code?: string; name?: string }
    return { ok: false, code: code ?? kind ?? 'unknown', damaged: isDamage(error) }
  }
}

parentPort!.on('message', (message: TaskMessage) => {
  parentPort!.postMessage(reply(message))
  if (message.name === 'close') parentPort!.close()
})
