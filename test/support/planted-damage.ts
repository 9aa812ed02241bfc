import { runToEnd } from '../../domain/yielding.js'
import { join } from 'node:path'
import type { Corpus } from '../../domain/corpus.js'
import { bulkLines } from '../../search/opensearch/bulk.js'
import { documentKey, tenantToken } from '../../search/opensearch/keywords.js'
import type { IndexDocument } from '../../search/search-index.js'
import { connect, type Connection } from '../../search/sqlite/connection.js'
import { documentEntry, memoryEntry } from '../../services/indexing/index-entries.js'
import { readLiveDocuments } from '../../store/indexing/indexed-documents.js'
import { readLiveRows } from '../../store/indexing/index-rows.js'
import type { TestService } from './service.js'
import { serviceUrl } from './services.js'

/** An entry of the serving index. */
export interface Entry {
  readonly tenantId: string
  readonly corpus: Corpus
  readonly id: string
}

/** Returns the document that the entry of a live row must hold, with its vector. */
export async function documentOf(service: TestService, { tenantId, corpus, id }: Entry): Promise<IndexDocument> {
  const { store, embedder } = service.context
  const range = { after: '00000000-0000-0000-0000-000000000000', among: [id], limit: 1 }
  const { document, text } = await store.read({ tenantId }, async (reader) =>
    corpus === 'memories'
      ? runToEnd(memoryEntry((await readLiveRows(reader, range))[0]!))
      : runToEnd(documentEntry((await readLiveDocuments(reader, range))[0]!)),
  )
  const [vector] = await embedder.embed([text!.text], 'passage')
  return { ...document!, vector: vector! }
}

/** Deletes an entry from the engine, past the service. */
export async function removeEntry(service: TestService, entry: Entry): Promise<void> {
  const { index } = service.context
  if (index.engine === 'sqlite')
    return inFile(service, entry, (file) => file.run('delete from documents where id = ?', [entry.id]))
  const { path, version } = await findInOpenSearch(service, entry)
  await request('DELETE', `${path}&version=${version}&version_type=external_gte&refresh=true`)
}

/** Replaces an entry's document in the engine, past the service, under the version that it has. */
export async function replaceEntry(service: TestService, entry: Entry, document: IndexDocument): Promise<void> {
  const { index, embedder } = service.context
  const { tenantId, corpus, id } = entry
  if (index.engine === 'sqlite') {
    let seq = 0
    await inFile(service, entry, (file) => {
      seq = file.all<[number]>('select seq from documents where id = ?', [id])[0]![0]
      file.run('update documents set seq = -1 where id = ?', [id])
    })
    await index.for(tenantId, corpus).write([{ id, seq, document }])
  } else {
    const { path, version } = await findInOpenSearch(service, entry)
    const [, stored] = bulkLines(tenantId, [{ id, seq: version, document }], {
      now: 0,
      dimensions: embedder.dimensions,
    })
    await request('PUT', `${path}&version=${version}&version_type=external_gte&refresh=true`, stored)
  }
}

async function inFile(
  { dataDir, context }: TestService,
  { corpus }: Entry,
  work: (file: Connection) => void,
): Promise<void> {
  const file = connect(join(dataDir, 'index', (await context.index.describe(corpus)).name), 'write')
  try {
    work(file)
  } finally {
    file.close()
  }
}

async function findInOpenSearch({ context }: TestService, { tenantId, corpus, id }: Entry) {
  const { name } = await context.index.describe(corpus)
  const key = encodeURIComponent(documentKey(tenantId, id))
  const path = `${name}/_doc/${key}?routing=${encodeURIComponent(tenantToken(tenantId))}`
  return { path, version: (await request('GET', path))._version }
}

async function request(method: string, path: string, body?: object): Promise<{ readonly _version: number }> {
  const answer = await fetch(`${serviceUrl('opensearch')!.replace(/\/$/, '')}/${path}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
  return (await answer.json()) as { _version: number }
}
