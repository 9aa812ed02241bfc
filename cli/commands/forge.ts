import Table from 'cli-table3'
import { setTimeout as sleep } from 'node:timers/promises'
import type { components } from '../../contract/types.js'
import { CommandError } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Schemas = components['schemas']
type Run = Schemas['ForgeRun']
type Summary = Schemas['ForgeRunSummary']

export interface ForgeOptions {
  readonly tenant?: string
  readonly dryRun?: boolean
  /** False returns at once. */
  readonly wait?: boolean
}

const WATCH_MS = 1_000
const STYLE = { head: [], border: [] }

/** Begins a run for each tenant that opted in, waits for them, and shows them. Returns 1 when one has failed. */
export async function runForge(admin: ServiceClient, { tenant, dryRun, wait }: ForgeOptions): Promise<number> {
  const begun = await admin.runForge({ tenant_id: tenant, dry_run: dryRun === true })
  if (begun.runs.length === 0) {
    const whose = tenant === undefined ? 'No tenant has' : `Tenant ${printable(tenant)} has not`
    throw new CommandError(`${whose} opted in: \`cairn settings set skills_factory.enabled true\` does.`)
  }
  if (begun.failed > 0) console.error(`${begun.failed} runs wait until workers find them: the queue does not answer.`)
  if (wait === false) {
    for (const { tenant_id, run_id } of begun.runs) console.log(`${run_id} ${printable(tenant_id)}`)
    return 0
  }
  const runs: Run[] = []
  for (const { tenant_id, run_id } of begun.runs) runs.push(await ended(admin, tenant_id, run_id))
  if (runs.length === 1) printRun(runs[0]!)
  else printRuns(runs)
  return runs.some(({ state }) => state === 'failed') ? 1 : 0
}

async function ended(admin: ServiceClient, tenantId: string, runId: string): Promise<Run> {
  for (let printed = ''; ;) {
    const run = await readRun(admin, tenantId, runId)
    if (run.state === 'succeeded' || run.state === 'failed') return run
    const { progress } = run
    const where = progress === null ? run.state : `${progress.phase} ${progress.done} of ${progress.of}`
    const line = `${printable(tenantId)}: ${where}`
    if (line !== printed) console.error((printed = line))
    await sleep(WATCH_MS)
  }
}

async function readRun(service: ServiceClient, tenantId: string, runId: string): Promise<Run> {
  return service.getForgeRun({ tenant_id: tenantId, run_id: runId })
}

export async function listRuns(service: ServiceClient, options: { readonly tenant?: string }): Promise<void> {
  const { items } = await service.listForgeRuns({ tenant_id: await tenantOf(service, options), limit: 20 })
  printRuns(items)
}

export async function showRun(
  service: ServiceClient,
  runId: string,
  options: { readonly tenant?: string },
): Promise<void> {
  printRun(await readRun(service, await tenantOf(service, options), runId))
}

function printRuns(runs: readonly Summary[]): void {
  const head = ['run', 'tenant', 'begun', 'state', 'trigger', 'traces', 'clusters', 'new', 'refreshed', 'held', 'note']
  const table = new Table({ head, style: STYLE })
  for (const run of runs)
    table.push([
      run.run_id,
      printable(run.tenant_id),
      timeOf(run.started_at ?? run.requested_at),
      run.state,
      run.dry_run ? `${run.trigger}, dry` : run.trigger,
      run.traces,
      run.clusters,
      run.outcomes.created,
      run.outcomes.refreshed,
      run.outcomes.held + run.outcomes.deferred,
      printable(run.error ?? ''),
    ])
  console.log(table.toString())
}

function printRun(run: Run): void {
  const dry = run.dry_run ? ', a dry run that changed no skill' : ''
  const took = run.started_at && run.finished_at ? `, ${secondsBetween(run.started_at, run.finished_at)} s` : ''
  console.log(`Run ${run.run_id} of ${printable(run.tenant_id)}: ${run.state}${took} (${run.trigger}${dry})`)
  if (run.error !== null) console.log(`It failed: ${printable(run.error)}`)
  printParts(run)
  printCandidates(run)
  if (run.unlisted > 0) console.log(`${run.unlisted} more candidates are not listed.`)
  if (run.model !== null) {
    const { model, calls, failed, input_tokens, output_tokens, stopped } = run.model
    console.log(
      `${printable(model)}: ${calls} calls, ${failed} failed, ${input_tokens} tokens in and ${output_tokens} out` +
        `${stopped === null ? '' : `; not asked any more: ${printable(stopped)}`}.`,
    )
  }
}

function printParts({ parts }: Run): void {
  if (parts.length === 0) return
  const head = ['fleet', 'state', 'traces', 'left out', 'good, bad, unknown', 'clusters', 'without a skill', 'seconds']
  const table = new Table({ head, style: STYLE })
  for (const part of parts) {
    const { success, failure, unknown } = part.outcomes
    table.push([
      printable(part.fleet_id ?? '(whole tenant)'),
      printable(part.error === null ? part.state : `${part.state}: ${part.error}`),
      part.traces,
      part.left_out.traces,
      `${success}, ${failure}, ${unknown}`,
      part.clusters,
      printable(part.unfit.map(({ reason, clusters }) => `${clusters} ${reason}`).join('; ')),
      part.seconds,
    ])
  }
  console.log(table.toString())
}

function printCandidates({ candidates }: Run): void {
  if (candidates.length === 0) return
  const table = new Table({
    head: ['skill', 'fleet', 'outcome', 'runs', 'agents', 'words of', 'why'],
    colWidths: [null, null, null, null, null, null, 60],
    wordWrap: true,
    style: STYLE,
  })
  for (const candidate of candidates)
    table.push([
      printable(candidate.doc_id ?? candidate.fingerprint.slice(0, 18)),
      printable(candidate.fleet_id ?? ''),
      candidate.outcome,
      candidate.runs,
      candidate.agents,
      candidate.wording === 'model' ? 'the model' : 'memories',
      printable([candidate.reason, candidate.wording_note].filter(Boolean).join('; ')),
    ])
  console.log(table.toString())
}

function timeOf(at: string): string {
  return at.slice(0, 16).replace('T', ' ')
}

function secondsBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 100) / 10
}
