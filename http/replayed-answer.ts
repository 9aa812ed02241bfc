const HEADER = 'Idempotent-Replayed'

/** Marks the stored answer of an idempotent write that a repeated request gets. */
export function markReplay<A extends { readonly headers?: Readonly<Record<string, string>> }>(answer: A): A {
  return { ...answer, headers: { ...answer.headers, [HEADER]: 'true' } }
}

export function isReplay(headers: object): boolean {
  return HEADER in headers
}
