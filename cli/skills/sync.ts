import { mkdir, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { acquireLock, LockHeldError, type ProcessLock, removeAbandonedCandidates } from '../../runtime/process-lock.js'
import { applyPlan } from './apply.js'
import type { Listing, ReadSkillFile, SkillCatalogue } from './catalogue.js'
import { type DirectoryState, readDirectoryState } from './directory-state.js'
import { describeFileError, isFileError } from './file-errors.js'
import { requirePrivate } from './held-directory.js'
import { knownContents, type Plan, planChanges } from './plan.js'
import { NotedFiles } from './noted-files.js'
import { removeLeftovers } from './staging.js'
import type { ResolvedTarget } from './targets.js'

const LOCK = '.cairn-sync.lock'

interface SyncOptions {
  /** Changes nothing. */
  readonly dryRun: boolean
  /** Removes even more than half of a directory. */
  readonly force: boolean
}

/** The outcome for one target. */
export interface TargetReport {
  readonly target: ResolvedTarget
  /** Null when the directory could not be read or locked. */
  readonly plan: Plan | null
  /** Why the directory is as it was; null when the plan has been applied. */
  readonly failure: string | null
}

/** A target whose directory is locked and has been read. */
interface OpenTarget {
  readonly target: ResolvedTarget
  readonly state: DirectoryState
  readonly notes: NotedFiles
  /** Releases the lock. */
  close(isChanged: boolean): Promise<void>
}

/**
 * Brings every target directory to what the catalogue lists. A failure in one leaves that one as it was and does not stop
 * the others; rejects, with all directories as they were, when the catalogue cannot be listed.
 */
export async function syncDirectories(
  targets: readonly ResolvedTarget[],
  catalogue: SkillCatalogue,
  options: SyncOptions,
): Promise<TargetReport[]> {
  const opened: (OpenTarget | TargetReport)[] = []
  const changed = new Set<OpenTarget>()
  try {
    // Sorted, so that two processes with the same directories meet at the first.
    for (const target of [...targets].sort((a, b) => (a.path < b.path ? -1 : 1)))
      opened.push(await attempt(target, () => openTarget(target, options)))
    const usable = opened.filter(isOpen)
    if (usable.length === 0) return opened.filter((entry): entry is TargetReport => !isOpen(entry))
    const plans = await makePlans(usable, catalogue, options)
    const reports: TargetReport[] = []
    for (const entry of opened) {
      if (isOpen(entry)) {
        const plan = plans.get(entry)!
        const report = await attempt(entry.target, () => applyTo(entry, plan, catalogue.readFile, options), plan)
        if (report.failure === null) changed.add(entry)
        reports.push(report)
      } else reports.push(entry)
    }
    return reports
  } finally {
    for (const entry of opened.filter(isOpen)) await entry.close(changed.has(entry))
  }
}

function isOpen(entry: OpenTarget | TargetReport): entry is OpenTarget {
  return 'state' in entry
}

/** Returns the plan of each target. Contents are only asked for where one is missing, or is written in another way. */
async function makePlans(
  targets: readonly OpenTarget[],
  catalogue: SkillCatalogue,
  { force }: SyncOptions,
): Promise<Map<OpenTarget, Plan>> {
  const plansFor = (listing: Listing) =>
    new Map(targets.map((entry) => [entry, planChanges(listing, entry.state, { mode: entry.target.mode, force })]))
  const missing = (plans: Map<OpenTarget, Plan>) => [...plans.values()].flatMap(({ contentless }) => contentless)
  const remembered = await catalogue.unchanged()
  const unchanged = remembered && plansFor(remembered)
  if (unchanged !== null && missing(unchanged).length === 0) return unchanged
  const known = knownContents(targets.map(({ state }) => state))
  for (const docId of unchanged === null ? [] : missing(unchanged)) known.delete(docId)
  const plans = plansFor(await catalogue.list(known))
  if (missing(plans).length === 0) return plans
  for (const docId of missing(plans)) known.delete(docId)
  return plansFor(await catalogue.list(known))
}

/** Applies a plan; the plan of the report has among its refusals what could not be changed. */
async function applyTo({ target, notes }: OpenTarget, plan: Plan, readFile: ReadSkillFile, { dryRun }: SyncOptions) {
  if (dryRun) return { target, plan, failure: null }
  const faults = await applyPlan(target.path, plan, { readFile, marks: true })
  await notes.save(target.path)
  const failed = new Set(faults.map(({ name }) => name))
  const applied = {
    ...plan,
    writes: plan.writes.filter(({ folder }) => !failed.has(folder)),
    removals: plan.removals.filter((name) => !failed.has(name)),
    refusals: [...plan.refusals, ...faults],
  }
  return { target, plan: applied, failure: null }
}

/** Creates, locks and reads the directory; a dry run only reads it. */
async function openTarget(target: ResolvedTarget, { dryRun }: SyncOptions): Promise<OpenTarget> {
  const read = async () => {
    const notes = await NotedFiles.read(target.path)
    return { target, notes, state: await readDirectoryState(target.path, notes) }
  }
  if (dryRun) {
    await requirePrivate(target.path).catch(ignoreMissing)
    return { ...(await read()), close: () => Promise.resolve() }
  }
  const created = await mkdir(target.path, { recursive: true })
  let lock: ProcessLock | null = null
  const close = async (isChanged: boolean) => {
    await lock?.release()
    if (!isChanged && created !== undefined) await removeEmpty(target.path, created)
  }
  try {
    await requirePrivate(target.path)
    lock = await acquireLock(join(target.path, LOCK))
    await removeAbandonedCandidates(join(target.path, LOCK))
    await removeLeftovers(target.path)
    return { ...(await read()), close }
  } catch (error) {
    await close(false)
    throw error
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}

/** Removes the directories from `path` up to `first`, which have been created, as long as they are empty. */
async function removeEmpty(path: string, first: string): Promise<void> {
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    if (
      !(await rmdir(folder).then(
        () => true,
        () => false,
      ))
    )
      return
}

/** Turns what the file system or another process does not allow into a report; any other error is thrown. */
async function attempt<T>(target: ResolvedTarget, work: () => Promise<T>, plan: Plan | null = null) {
  try {
    return await work()
  } catch (error) {
    if (error instanceof LockHeldError)
      return {
        target,
        plan,
        failure: `another sync is at work there (process ${error.owner.pid}); try again when it is done.`,
      }
    if (!isFileError(error)) throw error
    return { target, plan, failure: describeFileError(error) }
  }
}
