import { setTimeout as sleep } from 'node:timers/promises'
import { processEnvironment, readSkillSyncConfig } from '../../runtime/config.js'
import { onStopRequest } from '../../runtime/lifecycle.js'
import { ServiceError } from '../../client/index.js'
import { CommandError, reportFailure } from '../failure.js'
import { printable } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { createSkillCatalogue, type SkillCatalogue } from '../skills/catalogue.js'
import { register } from '../skills/registration.js'
import { describeChanges, describeProblems, hasFailed, isClean, type Round } from '../skills/report.js'
import { syncDirectories } from '../skills/sync.js'
import { parseTargets, resolveTargets } from '../skills/targets.js'
import { tenantOf } from './tenant.js'

export interface SyncCommandOptions {
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly watch?: boolean
  /** Seconds between two rounds. */
  readonly interval: number
  readonly tenant?: string
  readonly fleet?: string
}

/** A day. Node's timers have an end, at 24 of them, beyond which they do not wait at all. */
const LONGEST_INTERVAL_S = 86_400

/** Delivers skills once, or with `watch` until the process is asked to stop. Resolves to the exit code. */
export async function syncSkills(service: ServiceClient, options: SyncCommandOptions): Promise<number> {
  if (options.watch && options.dryRun) throw new CommandError('--watch cannot be combined with --dry-run.', 2)
  if (options.interval < 1 || options.interval > LONGEST_INTERVAL_S)
    throw new CommandError(`--interval must be from 1 to ${LONGEST_INTERVAL_S}.`, 2)
  if (options.watch) return watch(service, options)
  const round = await createRounds(service, options)()
  print(describeChanges(round), describeProblems(round))
  return isClean(round) ? 0 : 1
}

/** Returns a function that runs one round. Throws ConfigError at once for wrong targets. */
function createRounds(service: ServiceClient, options: SyncCommandOptions, signal?: AbortSignal): () => Promise<Round> {
  const { targets: text, harnessConfig } = readSkillSyncConfig(processEnvironment())
  const targets = parseTargets(text)
  const { dryRun = false, force = false } = options
  let catalogue: SkillCatalogue | undefined
  const deliver = async () => {
    const resolved = await resolveTargets(targets)
    catalogue ??= createSkillCatalogue(service, {
      tenantId: await tenantOf(service, options, { signal }),
      fleetId: options.fleet,
      signal,
    })
    return syncDirectories(resolved, catalogue, { dryRun, force })
  }
  return async () => {
    const reports = targets.length === 0 ? [] : await deliver()
    return { targets: reports, registration: await register(targets, harnessConfig, { dryRun }), isDryRun: dryRun }
  }
}

const LONGEST_DELAY_S = 600

/**
 * Repeats rounds until a signal, which also cancels a request; changes of a directory that have begun are completed. A
 * round that failed doubles the time until the next, up to ten minutes, or as `Retry-After` says if that is longer.
 */
async function watch(service: ServiceClient, options: SyncCommandOptions): Promise<number> {
  const requested = onStopRequest((signal) => process.exit(signal === 'SIGINT' ? 130 : 143))
  const stopping = new AbortController()
  void requested.received.then(() => stopping.abort())
  const { signal } = stopping
  for (const output of [process.stdout, process.stderr]) output.on('error', () => requested.ask('output closed'))
  const runRound = createRounds(service, options, signal)
  const longest = Math.max(LONGEST_DELAY_S, options.interval)
  let delayS = options.interval
  let known = ''
  for (;;) {
    let retryAfterS = 0
    let failed = false
    try {
      const round = await runRound()
      failed = hasFailed(round)
      const problems = describeProblems(round)
      // What has been said once is not repeated every minute.
      print(describeChanges(round), problems.join() === known ? [] : problems)
      known = problems.join()
    } catch (error) {
      if (signal.aborted) break
      failed = true
      reportFailure(error)
      if (error instanceof ServiceError) retryAfterS = error.retryAfterS ?? 0
    }
    delayS = failed ? Math.min(delayS * 2, longest) : options.interval
    await sleep(Math.min(Math.max(delayS, retryAfterS), longest) * 1_000, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) break
  }
  requested.release()
  return 0
}

function print(changes: readonly string[], problems: readonly string[]): void {
  for (const line of changes) console.log(printable(line))
  for (const line of problems) console.error(`cairn: ${printable(line)}`)
}
