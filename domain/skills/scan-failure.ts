/** Ways in which a scan ends without a verdict, with what they say to author and reviewer. */
const SENTENCES = {
  too_long: 'The scan used up its time on the processor; a shorter skill needs less.',
  out_of_memory: 'The scan ran out of memory; a shorter skill needs less.',
  crashed: 'The scan broke off with an error of its own, whose code is in the log.',
  interrupted: 'The process ended while it scanned the skill.',
} as const
export type ScanFailureCode = keyof typeof SENTENCES

/** The last attempt to scan a version, which gave no verdict. */
export interface ScanFailure {
  readonly code: ScanFailureCode
  readonly message: string
}

/** Returns what went wrong, and what follows: the scan of a version that is still pending is tried again. */
export function scanFailure(code: ScanFailureCode, state: 'pending' | 'failed'): ScanFailure {
  const next = state === 'pending' ? 'It is tried again.' : 'A reviewer can ask for another scan: restore.'
  return { code, message: `${SENTENCES[code]} ${next}` }
}

/** Returns the way in which a scan ended, by the code of its thread's error. */
export function failureCodeOf(threadCode: string): ScanFailureCode {
  if (threadCode === 'THREAD_CPU_LIMIT' || threadCode === 'THREAD_TIMEOUT') return 'too_long'
  return threadCode === 'ERR_WORKER_OUT_OF_MEMORY' ? 'out_of_memory' : 'crashed'
}
