/** The `workerData` of the thread, which receives a few texts and answers with their vectors. */
export interface LocalModel {
  /** The library's name of the model, such as Xenova/all-MiniLM-L6-v2. */
  readonly name: string
  /** Folder that contains it as `<folder>/<name>`; null to download it from the hub. */
  readonly folder: string | null
  /** Folder in which downloads from the hub are cached. */
  readonly cacheFolder: string | null
  /** The npm package. */
  readonly library: string
}

export interface ModelFacts {
  readonly dimensions: number
}
