import { chmod, chown, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { acquireLock, LockHeldError, removeAbandonedCandidates } from '../../runtime/process-lock.js'
import { CommandError } from '../failure.js'
import { describeFileError, isFileError } from './file-errors.js'
import { addExtraDir, extraDirs, removeExtraDir } from './harness-config.js'
import type { SkillTarget } from './targets.js'

export interface RegistrationReport {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  /** Why the configuration is as it was; null when it names the directories. */
  readonly failure: string | null
}

/**
 * Makes `skills.load.extraDirs` of the harness' configuration name the targets with `register`, and no directory more that
 * was registered earlier. Which those are is remembered in a file beside the configuration, written before an addition
 * and after a removal, so that nothing that somebody else added is ever taken out.
 */
export async function register(
  targets: readonly SkillTarget[],
  configPath: string,
  { dryRun }: { readonly dryRun: boolean },
): Promise<RegistrationReport> {
  const wanted = targets.filter(({ register }) => register).map(({ dir }) => dir)
  try {
    // A configuration that is a link stays one: the file behind it is replaced.
    const path = await realpath(configPath).catch(() => configPath)
    const memory = `${path}.cairn-skills.json`
    if (wanted.length === 0 && (await registeredDirs(memory)).length === 0)
      return { added: [], removed: [], failure: null }
    return dryRun
      ? (await planRegistration(path, memory, wanted)).report
      : await locked(memory, () => change(path, memory, wanted))
  } catch (error) {
    if (isFileError(error)) return { added: [], removed: [], failure: describeFileError(error) }
    if (!(error instanceof CommandError)) throw error
    return { added: [], removed: [], failure: `${configPath}: ${error.message}.` }
  }
}

async function planRegistration(path: string, memory: string, wanted: readonly string[]) {
  const registered = await registeredDirs(memory)
  const before = await readIfExists(path)
  const present = before.trim() === '' ? [] : extraDirs(before)
  const added = wanted.filter((dir) => !present.includes(dir))
  const removed = registered.filter((dir) => !wanted.includes(dir) && present.includes(dir))
  const kept = registered.filter((dir) => wanted.includes(dir))
  return { before, kept: [...new Set([...kept, ...added])], registered, report: { added, removed, failure: null } }
}

async function change(path: string, memory: string, wanted: readonly string[]): Promise<RegistrationReport> {
  const { before, kept, registered, report } = await planRegistration(path, memory, wanted)
  let text = before
  for (const dir of report.removed) text = removeExtraDir(text, dir)
  for (const dir of report.added) text = addExtraDir(text, dir)
  if (text !== before) {
    await remember(memory, [...new Set([...registered, ...kept])])
    await replaceFile(path, text, before)
  }
  if (text !== before || kept.length !== registered.length) await remember(memory, kept)
  return report
}

async function remember(memory: string, dirs: readonly string[]): Promise<void> {
  if (dirs.length === 0) await rm(memory, { force: true })
  else await replaceFile(memory, `${JSON.stringify({ registered: dirs }, null, 2)}\n`, null)
}

async function registeredDirs(memory: string): Promise<string[]> {
  const text = await readIfExists(memory)
  try {
    return text === '' ? [] : (JSON.parse(text) as { registered: string[] }).registered
  } catch {
    throw new CommandError(`${memory}, which says what was registered, is not JSON: correct or remove it`)
  }
}

/**
 * Replaces a file by a rename, with its mode and owner. Throws CommandError when it is no longer what was read, which
 * `before` is; null replaces anything.
 */
async function replaceFile(path: string, text: string, before: string | null): Promise<void> {
  const staged = `${path}.cairn-new`
  try {
    await writeFile(staged, text, { flush: true, mode: 0o600 })
    const present = await stat(path).catch(() => null)
    if (present !== null) {
      await chmod(staged, present.mode)
      const own = await stat(staged)
      if (own.uid !== present.uid || own.gid !== present.gid) await chown(staged, present.uid, present.gid)
    }
    if (before !== null && (await readIfExists(path)) !== before)
      throw new CommandError('it was changed meanwhile by another program; try again')
    await rename(staged, path)
  } catch (error) {
    await rm(staged, { force: true })
    throw error
  }
}

async function locked<T>(memory: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquireLock(`${memory}.lock`).catch((error: NodeJS.ErrnoException) => {
    if (error instanceof LockHeldError)
      throw new CommandError(`another sync is at work on it (process ${error.owner.pid}); try again when it is done`)
    if (error.code === 'ENOENT')
      throw new CommandError(`there is no ${dirname(memory)}; set OPENCLAW_CONFIG_PATH to the harness' configuration`)
    throw error
  })
  try {
    await removeAbandonedCandidates(`${memory}.lock`)
    return await work()
  } finally {
    await lock.release()
  }
}

async function readIfExists(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
}
