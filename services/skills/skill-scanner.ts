import type { ScanReport } from '../../domain/scan/report.js'
import { charactersOf, MOST_CHARACTERS, type ScannableSkill } from '../../domain/scan/skill.js'
import { createTaskThread, TaskError, ThreadEndedError } from '../../runtime/threads/task-thread.js'
import type { ScanTasks } from './scan-thread.js'

interface SkillScannerSettings {
  /**
   * Milliseconds of the processor after which a scan fails, and those that it has more for each KiB of the skill. Default
   * 1,000 and 50: ten times what hostile texts take.
   */
  readonly cpuMs?: number
  readonly cpuMsPerKb?: number
  /** The thread's file, which serves `ScanTasks`, without its extension. Default: the scan of `domain/scan/`. */
  readonly file?: URL
}

/** Scans skills in a thread of its own, one after another. The first scan starts it. */
export interface SkillScanner {
  /**
   * Throws `ScanFailedError` when the scan throws, uses up its time of the processor or ends the thread; the next scan works.
   * A scan that is late on a busy machine goes on. Throws the signal's reason when it is aborted before: a running scan is finished, and its report dropped.
   */
  scan(skill: ScannableSkill, signal?: AbortSignal): Promise<ScanReport>
  /** Ends the thread at once, for good. Running, waiting and later scans throw `ScanFailedError`. */
  stop(): Promise<void>
}

/** Thrown when there is no report. It has no cause, and its message a code only: other messages may quote the skill. */
export class ScanFailedError extends Error {
  constructor(readonly code: string) {
    super(`The scan failed (${code}).`)
  }
}

/** Bounds the start of the thread, which loads the rules: some 600 ms on an idle machine. */
const LOAD_LIMITS = { cpuMs: 20_000, timeoutMs: 600_000 }

export function createSkillScanner(settings: SkillScannerSettings = {}): SkillScanner {
  const { cpuMs = 1_000, cpuMsPerKb = 50, file = new URL('./scan-thread', import.meta.url) } = settings
  const thread = createTaskThread<ScanTasks>({ file, workerData: null })

  return {
    async scan(skill, signal) {
      // Each scan has a `load` right before it, so that the start of a thread, be it after the end of another, is not
      // part of the scan's time.
      const loaded = thread.run('load', [], { signal, ...LOAD_LIMITS })
      const budgetMs = cpuMs + (cpuMsPerKb * Math.min(charactersOf(skill), MOST_CHARACTERS)) / 1_024
      const scanned = thread.run('scan', [skill], { signal, cpuMs: Math.ceil(budgetMs) })
      try {
        const [, report] = await Promise.all([loaded, scanned])
        return report
      } catch (error) {
        signal?.throwIfAborted()
        throw new ScanFailedError(codeOf(error))
      }
    },
    stop: () => thread.terminate(),
  }
}

function codeOf(error: unknown): string {
  return error instanceof TaskError || error instanceof ThreadEndedError ? error.code : (error as Error).name
}
