import type { ScanReport } from '../../domain/scan/report.js'
import type { ScannableSkill } from '../../domain/scan/skill.js'
import { createTaskThread, TaskError, ThreadEndedError } from '../../runtime/threads/task-thread.js'
import type { ScanTasks } from './scan-thread.js'

interface SkillScannerSettings {
  /** Milliseconds after which a scan fails, without its wait for the scans before it. Default 2,000. */
  readonly timeoutMs?: number
  /** The thread's file, which serves `ScanTasks`, without its extension. Default: the scan of `domain/scan/`. */
  readonly file?: URL
}

/** Scans skills in a thread of its own, one after another. The first scan starts it. */
export interface SkillScanner {
  /**
   * Throws `ScanFailedError` when the scan throws, takes too long or ends the thread; the next scan works. Throws the
   * signal's reason when it is aborted before: a running scan is finished, and its report dropped.
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

/** Milliseconds in which the thread starts and loads the rules: some 600 on an idle machine. */
const LOAD_TIMEOUT_MS = 30_000

export function createSkillScanner(settings: SkillScannerSettings = {}): SkillScanner {
  const { timeoutMs = 2_000, file = new URL('./scan-thread', import.meta.url) } = settings
  const thread = createTaskThread<ScanTasks>({ file, workerData: null })

  return {
    async scan(skill, signal) {
      // Each scan has a `load` right before it, so that the start of a thread, be it after the end of another, is not
      // part of the scan's time.
      const loaded = thread.run('load', [], { signal, timeoutMs: LOAD_TIMEOUT_MS })
      const scanned = thread.run('scan', [skill], { signal, timeoutMs })
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
