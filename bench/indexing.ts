import type { Cleanup } from './cleanup.js'
import { loadFleet } from './fleet.js'
import { createHttpClient, type HttpClient, sendJson } from './http-client.js'
import { createNoise } from './noise.js'
import { dropIndices, createEnvironment, scaledServices } from './environment.js'
import { type ProxiedRequest, startRecordingProxy } from './recording-proxy.js'
import { round } from './samples.js'
import { type Service, startService, untilIndexed } from './service.js'

interface IndexingOptions {
  readonly memories: number
  readonly tenants: number
  readonly rounds: number
}

/** Number of bodies in flight: as many as a worker has batches (INDEXING_CONCURRENCY). */
const IN_FLIGHT = 4

/**
 * Measures `reindex` of everything, from the request to an empty dirty set, beside the bare `_bulk` of the very same
 * documents. Both write over existing documents, which costs the engine more than an empty index does.
 */
export async function benchIndexing({ memories, tenants, rounds }: IndexingOptions, cleanup: Cleanup): Promise<void> {
  const { opensearchUrl } = scaledServices()
  const environment = await createEnvironment('scaled', cleanup)
  const proxy = await startRecordingProxy(opensearchUrl, (path) => path.includes('/_bulk'), cleanup)
  const recorded = await startService(environment, { cleanup, workerEnv: { OPENSEARCH_URL: proxy.url } })
  await loadFleet(recorded, { memories, tenants, questions: 0 })
  const bodies = proxy.take()
  await recorded.stop()

  const service = await startService(environment, { cleanup })
  const engine = createHttpClient(opensearchUrl)
  cleanup.add(() => engine.close())
  const bare = await makeTwin(engine, bodies, cleanup, opensearchUrl)
  await bare()
  const noise = createNoise()
  const times: { 'reindex s': number; 'bare _bulk s': number }[] = []
  for (let turn = 0; turn < rounds; turn++) {
    noise.sample()
    times.push({ 'reindex s': round((await rebuild(service)) / 1000), 'bare _bulk s': round((await bare()) / 1000) })
  }
  await service.stop()
  console.log(`\nindexing: ${memories} memories in ${tenants} tenants, rebuilt ${rounds} times`)
  console.table(times)
  const sum = (name: keyof (typeof times)[number]) => times.reduce((total, row) => total + row[name], 0)
  const [own, raw] = [sum('reindex s'), sum('bare _bulk s')]
  console.log(
    `${Math.round((memories * rounds) / own)} documents/s, bare ${Math.round((memories * rounds) / raw)}; ` +
      `speed of the bare one (budget at least 0.7): ${round(raw / own)}`,
  )
  console.log('noise', noise.summary())
}

async function rebuild(service: Service): Promise<number> {
  const started = performance.now()
  await sendJson(service.client, { method: 'POST', path: '/api/v1/admin/reindex', key: service.adminKey })
  await untilIndexed(service, undefined, { everyMs: 200 })
  return performance.now() - started
}

/**
 * Creates a second index of the same settings and mapping; the returned function fills it with the recorded documents.
 */
async function makeTwin(
  engine: HttpClient,
  recorded: readonly ProxiedRequest[],
  cleanup: Cleanup,
  url: string,
): Promise<() => Promise<number>> {
  const alias = /^\/([^/]+)\/_bulk/.exec(recorded[0]?.path ?? '')?.[1]
  if (alias === undefined) throw new Error('no _bulk of an index was recorded')
  const { value } = await sendJson<Record<string, { settings: { index: object }; mappings: object }>>(engine, {
    method: 'GET',
    path: `/${alias}`,
  })
  const { settings, mappings } = Object.values(value)[0]!
  const twin = `${alias}-twin`
  cleanup.add(() => dropIndices(url, twin))
  const {
    creation_date: _,
    provided_name: __,
    uuid: ___,
    version: ____,
    ...index
  } = settings.index as Record<string, unknown>
  await sendJson(engine, { method: 'PUT', path: `/${twin}`, body: { settings: { index }, mappings } })
  // The recorded versions are written repeatedly.
  const bodies = recorded.map(({ body }) => body.toString('utf8').replaceAll('"external"', '"external_gte"'))
  return async () => {
    const started = performance.now()
    const left = bodies.values()
    const work = async () => {
      for (const body of left) {
        const headers = { 'content-type': 'application/x-ndjson' }
        const reply = await engine.send('POST', `/${twin}/_bulk`, body, headers)
        if ((JSON.parse(reply.body) as { errors: boolean }).errors) throw new Error('a recorded document was refused')
      }
    }
    await Promise.all(Array.from({ length: IN_FLIGHT }, work))
    await sendJson(engine, { method: 'POST', path: `/${twin}/_refresh` })
    return performance.now() - started
  }
}
