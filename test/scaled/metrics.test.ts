import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { freePort } from '../../runtime/free-port.js'
import { createClient } from '../support/client.js'
import { startEmbeddingsStub, type EmbeddingsStub } from '../support/embeddings-stub.js'
import { spawnCairn, type CairnProcess } from '../support/processes.js'
import { mintKey, prepareEnvironment, type TestEnvironment } from '../support/service.js'
import { scaled } from '../support/services.js'
import { until } from '../support/states.js'

interface ListedMetric {
  readonly labels: readonly string[]
  readonly type: string
  readonly shown: string
  readonly meaning: string
}

/** The list in docs/metrics.md. */
const LIST: ReadonlyMap<string, ListedMetric> = new Map(
  readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, name]) => /^`cairn_[a-z_]+`$/.test(name ?? ''))
    .map(([, name, type, labels, shown, meaning]) => [
      name!.slice(1, -1),
      { type: type!, shown: shown!, meaning: meaning!, labels: labels === '' ? [] : labels!.split(', ') },
    ]),
)
const TENANT = 'tenant-of-no-label'

interface ScrapedSample {
  readonly process: CairnProcess
  text(): Promise<string>
}

async function start(args: readonly string[], env: Readonly<Record<string, string>>): Promise<ScrapedSample> {
  const port = String(await freePort())
  const process = spawnCairn(args, { env: { ...env, METRICS_PORT: port } })
  await process.ready()
  return { process, text: async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text() }
}

/** Sends a write, which is indexed, and a recall. */
async function use(apiUrl: string, adminKey: string): Promise<void> {
  const admin = createClient(apiUrl, adminKey)
  const caller = createClient(apiUrl, await mintKey(admin, { tenantId: TENANT, agentId: 'ana' })).of(TENANT)
  await caller.memories.create('The pier was painted green.').ok()
  await until('nothing is pending', async () => expect((await admin.indexing.get()).body.pending).to.equal(0))
  await caller.memories.recall('pier').ok()
}

function describeMetrics(kind: 'serve' | 'api' | 'worker', scraped: () => ScrapedSample): void {
  describe(`the metrics of cairn ${kind}`, () => {
    const shownHere = { all: true, API: kind !== 'worker', workers: kind !== 'api', happened: false }
    let text: string
    let samples: readonly { readonly name: string; readonly labels: string[]; readonly state: string | undefined }[]
    before(async () => {
      const isShown = (listed: ListedMetric) => shownHere[listed.shown as keyof typeof shownHere]
      const expected = [...LIST].filter(([, listed]) => isShown(listed)).map(([name]) => name)
      // Some gauges are measured every ten seconds.
      await until('every metric is scraped', async () => {
        text = await scraped().text()
        samples = parse(text)
        const names = new Set(samples.map(({ name }) => name))
        return expected.every((name) => names.has(name))
      }).catch(() => {
        const names = new Set(samples.map(({ name }) => name))
        throw new Error(`no samples of ${expected.filter((name) => !names.has(name)).join(', ')}`)
      })
    })

    it('are those of docs/metrics.md, each with its type and its labels', () => {
      const types = [...text.matchAll(/^# TYPE (cairn_\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!] as const)
      const own = types.filter(([name]) => !/^cairn_(process|nodejs)_/.test(name))
      expect(Object.fromEntries(own)).to.deep.equal(
        Object.fromEntries([...LIST].map(([name, { type }]) => [name, type])),
      )
      for (const { name, labels } of samples) expect(labels, name).to.have.members([...LIST.get(name)!.labels])
    })

    it('have no state that the list does not name', () => {
      const words = (name: string): readonly string[] => LIST.get(name)!.meaning.match(/\w+/g)!
      for (const { name, state } of samples) if (state !== undefined) expect(words(name), name).to.include(state)
    })

    it('tell version and role, and how dependencies and queues do, and name no tenant', () => {
      expect(text).to.match(
        new RegExp(`^cairn_build_info\\{version="\\d[^"]*",role="${kind}",node="v2\\d[^"]*"\\} 1$`, 'm'),
      )
      for (const dependency of ['postgres', 'search', 'queue', 'embedder'])
        expect(text).to.contain(`cairn_dependency_up{dependency="${dependency}"} 1`)
      for (const dependency of ['search', 'embedder'])
        expect(text).to.contain(`cairn_circuit_open{dependency="${dependency}"} 0`)
      expect(text).to.contain('cairn_dependency_failures_total{dependency="postgres",reason="disk_full"} 0')
      expect(text).to.match(/^cairn_queue_jobs\{queue="indexing",state="waiting"\} \d+$/m)
      expect(text).to.match(/^cairn_log_lines_total\{level="info"\} [1-9]/m)
      expect(text).not.to.contain(TENANT)
    })

    if (kind !== 'worker')
      it('time the calls of recalls to the engine and to the model', () => {
        expect(text).to.match(/^cairn_engine_seconds_count\{engine="\w+",operation="search",outcome="ok"\} [1-9]/m)
        expect(text).to.match(/^cairn_model_seconds_count\{model="embedder",lane="query",outcome="ok"\} [1-9]/m)
      })
    if (kind !== 'api')
      it('time the writes of jobs, and count their rows', () => {
        expect(text).to.match(/^cairn_engine_seconds_count\{engine="\w+",operation="write",outcome="ok"\} [1-9]/m)
        expect(text).to.match(/^cairn_model_seconds_count\{model="embedder",lane="passage",outcome="ok"\} [1-9]/m)
        expect(text).to.match(/^cairn_job_seconds_count\{job="indexMemories",outcome="ok"\} [1-9]/m)
        expect(text).to.match(/^cairn_job_rows_total\{job="indexMemories",outcome="settled"\} [1-9]/m)
        expect(text).to.contain('cairn_index_builds{state="backfilling"} 0')
      })
  })
}

describe('metrics', function () {
  this.timeout(120_000)
  const adminKey = 'admin-who-reads-the-metrics-012345'
  const environments: TestEnvironment[] = []
  const running: CairnProcess[] = []
  let stub: EmbeddingsStub
  before(async () => (stub = await startEmbeddingsStub()))
  after(async () => {
    await Promise.all(running.map((child) => child.kill('SIGKILL')))
    for (const environment of environments) await environment.remove()
    await stub.stop()
  })
  const environmentOf = async (profile: 'embedded' | 'scaled') => {
    const environment = await prepareEnvironment(profile)
    environments.push(environment)
    return { ...environment.env, ADMIN_API_KEY: adminKey, EMBEDDINGS_URL: stub.url, EMBEDDINGS_MODEL: 'stub' }
  }
  const started = async (...given: Parameters<typeof start>) => {
    const scraped = await start(...given)
    running.push(scraped.process)
    return scraped
  }

  describe('of one process', () => {
    let serve: ScrapedSample
    before(async () => {
      serve = await started(['serve'], await environmentOf('embedded'))
      await use((await serve.process.ready())!, adminKey)
    })
    describeMetrics('serve', () => serve)
  })

  scaled(['postgres', 'redis', 'opensearch'], () => {
    describe('of several processes', () => {
      let api: ScrapedSample
      let worker: ScrapedSample
      before(async () => {
        const env = await environmentOf('scaled')
        worker = await started(['worker', '--queues', 'indexing,lifecycle'], env)
        api = await started(['api'], env)
        await use((await api.process.ready())!, adminKey)
      })
      describeMetrics('api', () => api)
      describeMetrics('worker', () => worker)
    })
  })
})

/** Returns the samples by the name of their metric, with their labels except those of a histogram itself. */
function parse(text: string) {
  return [...text.matchAll(/^(cairn_[a-z_]+?)(?:\{(.*)\})? \S+$/gm)].flatMap(([, sample, labels]) => {
    const name = LIST.has(sample!) ? sample! : sample!.replace(/_(bucket|sum|count)$/, '')
    if (!LIST.has(name)) return []
    const names = [...(labels ?? '').matchAll(/(\w+)="/g)].map(([, label]) => label!)
    const state = /\bstate="([^"]*)"/.exec(labels ?? '')?.[1]
    return [{ name, labels: names.filter((label) => label !== 'le'), state }]
  })
}
