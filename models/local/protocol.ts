/** What the thread is started with. It is asked for a few texts, and answers with their vectors. */
export interface LocalModel {
  /** As the library knows it, such as Xenova/all-MiniLM-L6-v2. */
  readonly name: string
  /** Where it lies, as `<folder>/<name>`; null: it comes from the hub. */
  readonly folder: string | null
  /** Where what comes from the hub is kept. */
  readonly cacheFolder: string | null
  /** Of npm. */
  readonly library: string
}

export interface ModelFacts {
  readonly dimensions: number
}
