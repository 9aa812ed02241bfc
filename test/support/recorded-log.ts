import type { ClientLog } from '../../runtime/logger.js'

export interface RecordedLog extends ClientLog {
  readonly lines: { fields: object; message: string }[]
}

/** Returns the log of a client of another service that a test can read. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = []
  const record = (fields: object, message: string) => void lines.push({ fields, message })
  return { lines, info: record, warn: record }
}
