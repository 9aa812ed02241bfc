/** Holds `burst` requests and refills by `perSecond`. */
export interface Bucket {
  readonly kind: 'bucket'
  readonly key: string
  readonly perSecond: number
  readonly burst: number
}

/** Holds `limit` requests from `startedAt` on (Unix milliseconds), and is another one afterwards. */
export interface Window {
  readonly kind: 'window'
  readonly key: string
  readonly limit: number
  readonly startedAt: number
  readonly lengthMs: number
}

export type Limit = Bucket | Window

export interface Taken {
  readonly allowed: boolean
  /** Of a window, this request included if it was allowed; 0 of a bucket. */
  readonly used: number
}

/** Where limiters count. */
export interface LimitStore {
  /**
   * Takes one request from each limit in turn, until one refuses: what comes after it is not asked, and has no element in the
   * answer. A refused request is not counted by the limit that refused it. Never rejects.
   */
  take(limits: readonly Limit[]): Promise<readonly Taken[]>
  /** Gives back one request that was taken from a window. Never rejects. */
  giveBack(window: Window): Promise<void>
}
