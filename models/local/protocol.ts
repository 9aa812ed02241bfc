/** What the thread is started with. */
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

export type ThreadReply =
  | { readonly kind: 'ready'; readonly dimensions: number }
  /** It cannot be loaded, and the thread ends. */
  | { readonly kind: 'unusable'; readonly isLibraryMissing: boolean; readonly reason: string }
  | { readonly kind: 'embedded'; readonly vectors: readonly Float32Array[] }
  | { readonly kind: 'failed'; readonly reason: string }
