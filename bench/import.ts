import { setTimeout as sleep } from 'node:timers/promises'
import type { Cleanup } from './cleanup.js'
import { bulkBodies, sendRecall, type Tenant, writeBulk } from './fleet.js'
import { createFleetCorpus } from './fleet-memories.js'
import { createHttpClient, sendJson } from './http-client.js'
import { createNoise, type Noise } from './noise.js'
import { createEnvironment, type Profile } from './environment.js'
import { cpuBetween, readCpuTimes } from './process-cpu.js'
import { buildRevision } from './revision.js'
import { round, timesRow } from './samples.js'
import { mintKey, type Service, startService } from './service.js'

interface ImportOptions {
  readonly profiles: readonly Profile[]
  readonly memories: number
  /** Number of connections of each import, which begins with an empty service. */
  readonly connections: readonly number[]
  /** A commit whose service imports the same, after this checkout's. */
  readonly against?: string
}

/** The state of the importing tenant at one moment. */
interface Moment {
  readonly second: number
  readonly written: number
  readonly pending: number
  /** Memories that were written and are no longer pending. */
  readonly searchable: number
  readonly refused: number
  readonly degraded: string | null
}

/** Progress of the import, in memories and in requests. */
interface Progress {
  written: number
  /** Requests answered 429 or 503, which were sent again after the time that the answer asks for. */
  refused: number
}

const LOOK_MS = 1_000
const NEIGHBOUR_QUESTIONS = 200
/** Number of rows printed: every so many seconds of a long import. */
const PRINTED_ROWS = 20

/**
 * Measures what is searchable while one tenant imports at full speed, and the single writes and recalls of another
 * tenant meanwhile.
 */
export async function benchImport(
  { profiles, memories, connections, against }: ImportOptions,
  cleanup: Cleanup,
): Promise<void> {
  const revisions = [undefined, ...(against === undefined ? [] : [await buildRevision(against, cleanup)])]
  for (const profile of profiles)
    for (const count of connections)
      for (const revision of revisions) {
        const environment = await createEnvironment(profile, cleanup)
        const service = await startService(environment, { cleanup, ...(revision && { main: revision.main }) })
        console.log(`\nimport, ${profile}, ${revision?.name ?? 'this'}: ${memories} memories over ${count} connections`)
        await measure(service, memories, count)
        await service.stop()
      }
}

async function measure(service: Service, memories: number, connections: number): Promise<void> {
  const importer = await makeTenant(service, 'importer', 1)
  const neighbour = await makeTenant(service, 'neighbour', 2)
  const bodies = bulkBodies(importer.id, createFleetCorpus(1).memories(memories))
  const noise = createNoise()
  const progress: Progress = { written: 0, refused: 0 }
  const cpuBefore = readCpuTimes(service.processes)
  const started = performance.now()
  const probing = probeNeighbour(service, neighbour, noise)
  const importing = sendBodies(service, importer, bodies, connections, progress)
  const writing = importing.then(() => performance.now() - started)
  const moments = await watch(service, importer, progress, () => progress.written >= memories)
  const writtenMs = await writing
  const searchableMs = performance.now() - started
  const { writes, recalls } = await probing.stop()
  printMoments(moments)
  console.table({ "neighbour's single write": timesRow(writes), "neighbour's recall": timesRow(recalls) })
  console.log({
    'written after s': round(writtenMs / 1_000, 1),
    'all searchable after s': round(searchableMs / 1_000, 1),
    'pending at most': Math.max(...moments.map(({ pending }) => pending)),
    'seconds with a degraded recall': moments.filter(({ degraded }) => degraded !== null).length,
    'answered 429 or 503': progress.refused,
    'cpu, ms': cpuBetween(cpuBefore, readCpuTimes(service.processes)),
    ...noise.summary(),
  })
}

async function makeTenant(service: Service, id: string, seed: number): Promise<Tenant> {
  const agentId = 'scribe'
  const questions = createFleetCorpus(seed).questions(NEIGHBOUR_QUESTIONS)
  return { id, agentId, key: await mintKey(service, id, agentId), questions }
}

/** Sends the bodies over so many connections. */
async function sendBodies(
  service: Service,
  { key }: Tenant,
  bodies: readonly string[],
  connections: number,
  progress: Progress,
): Promise<void> {
  const client = createHttpClient(service.baseUrl, { sockets: connections })
  const left = bodies.values()
  const connection = async () => {
    for (const body of left) {
      const written = await writeBulk(client, key, body, () => progress.refused++)
      // Not in one expression with the wait: another connection adds in the meantime.
      progress.written += written
    }
  }
  await Promise.all(Array.from({ length: connections }, connection))
  client.close()
}

/** Looks at the tenant every second until everything is written and searchable. */
async function watch(
  service: Service,
  tenant: Tenant,
  progress: Progress,
  isWritten: () => boolean,
): Promise<Moment[]> {
  const moments: Moment[] = []
  const path = `/api/v1/admin/indexing?tenant_id=${tenant.id}`
  const started = performance.now()
  for (;;) {
    const { written, refused } = progress
    const isLast = isWritten()
    const { value: state } = await sendJson<{ pending: number; failed: number }>(service.client, {
      method: 'GET',
      path,
      key: service.adminKey,
    })
    if (state.failed > 0) throw new Error(`${state.failed} memories failed for good`)
    const { value } = await sendRecall(service, { tenant, question: tenant.questions[moments.length % 200]! })
    const second = round((performance.now() - started) / 1_000, 1)
    const searchable = Math.max(0, written - state.pending)
    moments.push({ second, written, pending: state.pending, searchable, refused, degraded: value.degraded })
    if (isLast && state.pending === 0) return moments
    await sleep(isLast ? LOOK_MS / 4 : LOOK_MS)
  }
}

/** Writes and recalls in turn, one at a time. `stop` returns the times in milliseconds. */
function probeNeighbour(service: Service, tenant: Tenant, noise: Noise) {
  const writes: number[] = []
  const recalls: number[] = []
  let stopped = false
  const probing = (async () => {
    for (let i = 0; !stopped; i++) {
      const content = `Round ${i}: the pump of basin ${i % 97} was looked at again.`
      const call = {
        method: 'POST',
        path: '/api/v1/memories',
        key: tenant.key,
        body: { tenant_id: tenant.id, content },
      }
      writes.push((await sendJson(service.client, call)).ms)
      recalls.push((await sendRecall(service, { tenant, question: tenant.questions[i % NEIGHBOUR_QUESTIONS]! })).ms)
      noise.sample()
      await sleep(200)
    }
  })()
  return {
    async stop() {
      stopped = true
      await probing
      return { writes, recalls }
    },
  }
}

function printMoments(moments: readonly Moment[]): void {
  const step = Math.ceil(moments.length / PRINTED_ROWS)
  console.table(moments.filter((_, i) => i % step === 0 || i === moments.length - 1))
}
