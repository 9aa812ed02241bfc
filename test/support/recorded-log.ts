export interface RecordedLog {
  readonly lines: { fields: object; message: string }[]
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Returns a model's log that a test can read. */
export function recordedLog(): RecordedLog {
  const lines: RecordedLog['lines'] = []
  const record = (fields: object, message: string) => void lines.push({ fields, message })
  return { lines, info: record, warn: record }
}
