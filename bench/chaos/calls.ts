/** The result of one request: its status, or why there is none. */
export type Outcome = number | 'no connection' | 'no answer in time'

export interface Reply {
  readonly outcome: Outcome
  /** The body; null without an answer in JSON. */
  readonly body: unknown
}

/**
 * Time limit of a caller. It exceeds the service's own 30 s, so that the service's answer is seen where there is one.
 */
const CALLER_LIMIT_MS = 40_000

/** Sends one request. Never rejects: a broken connection is an outcome. */
export async function call(
  url: string,
  request: {
    readonly method: string
    readonly key?: string
    readonly body?: unknown
    readonly idempotencyKey?: string
    readonly limitMs?: number
  },
): Promise<Reply> {
  const { method, key, body, idempotencyKey, limitMs = CALLER_LIMIT_MS } = request
  const signal = AbortSignal.timeout(limitMs)
  try {
    const response = await fetch(url, {
      method,
      signal,
      headers: {
        ...(key !== undefined && { 'X-API-Key': key }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { outcome: response.status, body: text === '' ? null : JSON.parse(text) }
  } catch {
    return { outcome: signal.aborted ? 'no answer in time' : 'no connection', body: null }
  }
}
