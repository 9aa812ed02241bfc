import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startProcess } from './bench-process.js'
import type { Cleanup } from './cleanup.js'
import { createEnvironment, type Profile } from './environment.js'
import { loadFleet, sendRecall, type Tenant, untilTailIsEmpty, writeBulk } from './fleet.js'
import { loadOf } from './forge-fleet/load.js'
import { sendJson } from './http-client.js'
import { createNoise, type Noise } from './noise.js'
import { ratioOf, round, timesRow } from './samples.js'
import { lookAt, mintKey, type Service, startService, untilIndexed } from './service.js'

interface ForgeTickOptions {
  readonly profiles: readonly Profile[]
  /** Traces of seven memories each, in one tenant. */
  readonly traces: number
  /** Memories of the neighbour whose recalls are measured. */
  readonly memories: number
  /** Recalls while nothing else happens. */
  readonly questions: number
}

interface ForgeRun {
  readonly state: string
  readonly traces: number
  readonly candidates: readonly { readonly outcome: string }[]
  readonly error: string | null
}

const TENANT = 'forge-load'
const BULK = 250
const MAIN = fileURLToPath(new URL('../cli/main.js', import.meta.url))

/**
 * Measures one tick of the Forge over a tenant's traces, with a neighbour's recalls meanwhile beside the same recalls at rest, and the
 * memory that it takes above the resting process: of the whole service (embedded), or of the worker that has the queue (scaled).
 */
export async function benchForgeTick(options: ForgeTickOptions, cleanup: Cleanup): Promise<void> {
  for (const profile of options.profiles) {
    const environment = await createEnvironment(profile, cleanup)
    const service = await startService(environment, { cleanup })
    const [neighbour] = (await loadFleet(service, { tenants: 1, memories: options.memories, questions: 5_000 })) as [
      Tenant,
    ]
    const key = await loadTraces(service, options.traces)
    await untilTailIsEmpty(service, [neighbour])
    const forge = profile === 'scaled' ? startForgeWorker(environment, cleanup) : null
    const residentBytes = async () => (forge ? residentOf(forge.pid) : (await lookAt(service)).residentBytes)
    await sleep(5_000)
    const noise = createNoise()
    const idle: number[] = []
    for (let i = 0; i < options.questions; i++) idle.push(await ask(service, neighbour, i, noise))
    const restingBytes = await residentBytes()

    const patch = { tenant_id: TENANT, skills_factory: { enabled: true } }
    await sendJson(service.client, { method: 'PATCH', path: '/api/v1/settings', key: service.adminKey, body: patch })
    const started = performance.now()
    const working: number[] = []
    let peakBytes = restingBytes
    let run: ForgeRun | undefined
    for (let i = options.questions; run === undefined; i++) {
      working.push(await ask(service, neighbour, i, noise))
      if (i % 20 === 0) {
        peakBytes = Math.max(peakBytes, await residentBytes())
        run = await endedRun(service, key)
      }
    }
    const seconds = (performance.now() - started) / 1_000
    console.log(
      `\nforge tick, ${profile}: ${options.traces} traces of one tenant, a neighbour of ${options.memories} memories`,
    )
    console.table({ 'recall, at rest': timesRow(idle), 'recall, during the tick': timesRow(working) })
    const ratio = ratioOf(working, idle)
    console.log(`during / at rest (budget 2 at p95): p50 ${ratio.p50}, p95 ${ratio.p95}`)
    console.log({
      state: run.state,
      error: run.error,
      seconds: round(seconds),
      traces: run.traces,
      candidates: run.candidates.length,
      'resident MB at rest': Math.round(restingBytes / 1e6),
      'resident MB above it at most': Math.round((peakBytes - restingBytes) / 1e6),
      ...noise.summary(),
    })
    if (forge) console.log('ms of the part', partTimesIn(forge.lastWords()))
    await forge?.stop()
    await service.stop()
  }
}

/** Writes the traces as their agents would; returns an operator's key of the tenant. */
async function loadTraces(service: Service, traces: number): Promise<string> {
  const { memories, now } = loadOf(traces)
  const later = Date.now() - now
  const byAgent = new Map<string, object[]>()
  for (const { agentId, runId, content, createdAt } of memories) {
    const item = {
      content,
      run_id: runId,
      visibility: 'scope_team',
      ts_valid_start: new Date(createdAt.getTime() + later).toISOString(),
    }
    const items = byAgent.get(agentId!)
    if (items) items.push(item)
    else byAgent.set(agentId!, [item])
  }
  for (const [agentId, items] of byAgent) {
    const key = await mintKey(service, TENANT, agentId, 'load')
    for (let start = 0; start < items.length; start += BULK) {
      const body = JSON.stringify({ tenant_id: TENANT, items: items.slice(start, start + BULK) })
      await writeBulk(service.client, key, body)
    }
  }
  await untilIndexed(service, undefined, { limitMs: 3_600_000 })
  const body = { tenant_id: TENANT, kind: 'tenant', trust_level: 3 }
  const call = { method: 'POST', path: '/api/v1/admin/keys', key: service.adminKey, body }
  return (await sendJson<{ api_key: string }>(service.client, call)).value.api_key
}

function startForgeWorker(
  { directory, env }: { directory: string; env: Readonly<Record<string, string>> },
  cleanup: Cleanup,
) {
  return startProcess({
    name: 'forge',
    directory,
    env: { ...env, METRICS_PORT: '0', LOG_LEVEL: 'info' },
    args: [MAIN, 'worker', '--queues', 'forge'],
    cleanup,
  })
}

/** Returns the times of the phases of a part in the last lines of a worker's log. */
function partTimesIn(log: string): unknown {
  const line = log.split('\n').findLast((one) => one.includes('the Forge ended a part'))
  return line === undefined ? null : (JSON.parse(line) as { ms: unknown }).ms
}

function residentOf(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8')
    .split('\n')
    .find((text) => text.startsWith('VmRSS:'))
  return Number(/\d+/.exec(line!)![0]) * 1_024
}

async function ask(service: Service, tenant: Tenant, i: number, noise: Noise): Promise<number> {
  if (i % 20 === 0) noise.sample()
  const question = tenant.questions[i % tenant.questions.length]!
  return (await sendRecall(service, { tenant, question })).ms
}

/** Returns the tenant's run when it has ended: its scheduler begins one as soon as the tenant opts in. */
async function endedRun({ client }: Service, key: string): Promise<ForgeRun | undefined> {
  const path = `/api/v1/forge/runs?tenant_id=${TENANT}`
  const { value } = await sendJson<{ items: { run_id: string; state: string }[] }>(client, { method: 'GET', path, key })
  const run = value.items.find(({ state }) => state === 'succeeded' || state === 'failed')
  if (!run) return undefined
  const one = { method: 'GET', path: `/api/v1/forge/runs/${run.run_id}?tenant_id=${TENANT}`, key }
  return (await sendJson<ForgeRun>(client, one)).value
}
