import { withTimeout } from '../../runtime/clock.js'

/** The result of one check: `warning` works, but not as it should. */
export interface Finding {
  readonly name: string
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped'
  /** The finding; for `wrong`, with what to do about it. */
  readonly detail: string
}

const LIMIT_MS = 10_000

/** Runs a check. An exception or a timeout is a finding with the state `wrong`. */
export async function check(name: string, work: () => Promise<Omit<Finding, 'name'>>): Promise<Finding> {
  try {
    return { name, ...(await withTimeout(LIMIT_MS, work())) }
  } catch (error) {
    return { name, state: 'wrong', detail: failureOf(error) }
  }
}

export const ok = (detail: string) => ({ state: 'ok', detail }) as const
export const wrong = (detail: string) => ({ state: 'wrong', detail }) as const
export const warning = (detail: string) => ({ state: 'warning', detail }) as const
export const skipped = (detail: string) => ({ state: 'skipped', detail }) as const

function failureOf(error: unknown): string {
  const { message, cause, code } = error as {
    message?: string
    code?: string
    cause?: { code?: string; message?: string }
  }
  const reason = cause?.code ?? cause?.message
  return [message || code || String(error), reason].filter(Boolean).join(': ')
}
