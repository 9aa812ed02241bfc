/** The `workerData` of the thread, which answers with one logit per text. */
export interface LocalClassifier {
  /** A name on the hub, or an absolute path. */
  readonly place: string
  readonly isFolder: boolean
  /** Folder in which downloads from the hub are cached. */
  readonly cacheFolder: string | null
  /** An npm package, or a file's URL. */
  readonly library: string
}

/** A few texts to score against one query. */
export interface RerankRequest {
  readonly query: string
  readonly texts: readonly string[]
}
