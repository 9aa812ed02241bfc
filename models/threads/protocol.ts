export interface ThreadRequest<Request> {
  readonly id: number
  readonly request: Request
}

export type ThreadReply<Answer, Facts> =
  | { readonly kind: 'ready'; readonly facts: Facts }
  /** The model cannot be loaded, and the thread ends. */
  | { readonly kind: 'unusable'; readonly isLibraryMissing: boolean; readonly reason: string }
  | { readonly kind: 'answered'; readonly id: number; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly id: number; readonly reason: string }
