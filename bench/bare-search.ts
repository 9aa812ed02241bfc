import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Corpus } from '../domain/corpus.js'
import type { Embedder } from '../models/embedder.js'
import type { SearchRequest } from '../search/search-index.js'
import { createSqliteIndex } from '../search/sqlite/sqlite-index.js'
import type { Cleanup } from './cleanup.js'
import type { TenantQuestion } from './fleet.js'
import { createHttpClient } from './http-client.js'
import { type BenchEnvironment, scaledServices } from './environment.js'
import { type ProxiedRequest, startRecordingProxy } from './recording-proxy.js'
import { type Service, startService } from './service.js'
import type { Timed } from './side-by-side.js'

/** Sends the engine what the service sends it for the question at this position, with the least possible overhead. */
export type BareSearch = Timed<number>

/**
 * Returns the bodies of the service's own `_msearch` calls, recorded by a proxy between a separate api and the engine.
 */
export async function recordedSearches(
  environment: BenchEnvironment,
  asked: readonly TenantQuestion[],
  ask: (service: Service, asked: TenantQuestion) => Promise<unknown>,
  cleanup: Cleanup,
): Promise<BareSearch> {
  const { opensearchUrl } = scaledServices()
  const proxy = await startRecordingProxy(opensearchUrl, (path) => path.includes('/_msearch'), cleanup)
  const recorder = await startService(environment, {
    cleanup,
    apiEnv: { OPENSEARCH_URL: proxy.url },
    withoutWorker: true,
  })
  const bodies: ProxiedRequest[][] = []
  for (const question of asked) {
    await ask(recorder, question)
    bodies.push(proxy.take())
  }
  await recorder.stop()

  const client = createHttpClient(opensearchUrl)
  cleanup.add(() => client.close())
  return async (position) => {
    const started = performance.now()
    for (const { path, body } of bodies[position]!) {
      const reply = await client.send('POST', path, body, { 'content-type': 'application/x-ndjson' })
      const { responses } = JSON.parse(reply.body) as { responses: { error?: unknown }[] }
      if (responses.some(({ error }) => error !== undefined)) throw new Error('a recorded body was refused')
    }
    return performance.now() - started
  }
}

/** Returns searches of a copy of the engine's file of this corpus, run in this process. */
export async function copiedSqlite(
  service: Service,
  corpus: Corpus,
  embedder: Embedder,
  { asked, requests }: { readonly asked: readonly TenantQuestion[]; readonly requests: readonly SearchRequest[] },
  cleanup: Cleanup,
): Promise<BareSearch> {
  const file = service.environment.searchFile(corpus)
  if (file === null) throw new Error('the service has created no search file')
  const directory = join(service.environment.directory, `copy-of-${corpus}`)
  mkdirSync(directory)
  for (const part of ['', '-wal']) copyIfExists(file + part, join(directory, file.split('/').at(-1)! + part))
  const index = createSqliteIndex({
    directory,
    embedderId: embedder.id,
    dimensions: embedder.dimensions,
    generation: /-([0-9a-f]{8})-v\d+\.sqlite$/.exec(file)![1]!,
  })
  cleanup.add(() => index.stop())
  if ((await index.for(asked[0]!.tenant.id, corpus).count()) === 0)
    throw new Error('the copy of the search file is empty')
  return async (position) => {
    const started = performance.now()
    await index.for(asked[position]!.tenant.id, corpus).search(requests[position]!)
    return performance.now() - started
  }
}

function copyIfExists(from: string, to: string): void {
  try {
    copyFileSync(from, to)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
