/** What the thread is started with. */
export interface LocalClassifier {
  /** A name of the hub, or an absolute path. */
  readonly place: string
  readonly isFolder: boolean
  /** Where what comes from the hub is kept. */
  readonly cacheFolder: string | null
  /** Of npm, or a file's URL. */
  readonly library: string
}

/** A few texts to read beside one query. */
export interface ThreadRequest {
  readonly query: string
  readonly texts: readonly string[]
}

export type ThreadReply =
  | { readonly kind: 'ready' }
  /** It cannot be loaded, and the thread ends. */
  | { readonly kind: 'unusable'; readonly isLibraryMissing: boolean; readonly reason: string }
  /** One logit a text. */
  | { readonly kind: 'scored'; readonly logits: readonly number[] }
  | { readonly kind: 'failed'; readonly reason: string }
