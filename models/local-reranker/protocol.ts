/** What the thread is started with. It answers with one logit a text. */
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
export interface RerankRequest {
  readonly query: string
  readonly texts: readonly string[]
}
