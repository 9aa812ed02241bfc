/** Milliseconds over which the share is measured. */
const MEASURED_MS = 1_000
/** The largest share, as parallel round trips of one request may last longer in sum than its permit is held. */
const MOST = 0.95

interface NetworkStretchOptions {
  /** Returns the milliseconds that requests with a permit have spent on the way to PostgreSQL and back, in all. */
  readonly networkMs: () => number
  /** Returns the milliseconds of a monotonic clock. */
  readonly now?: () => number
}

/**
 * Returns a function of the time that permits were held in all, which says by how much more a tenant may have at work than with PostgreSQL
 * beside this process. Each second it measures `w`, the share of that time in which requests are on the way to PostgreSQL and back and take
 * nothing from anybody. Of `n` requests at work `n (1 - w)` then compete for this process and for PostgreSQL. A neighbour's request, which
 * competes for `1 - w` of its time, takes at most twice as long beside `1 / (1 - w)` of them, which are `1 / (1 - w)²` at work.
 */
export function createNetworkStretch({ networkMs, now = () => performance.now() }: NetworkStretchOptions) {
  let stretch = 1
  let since = { at: now(), networkMs: networkMs(), heldMs: 0 }
  return (heldMs: number): number => {
    const at = now()
    const heldSince = heldMs - since.heldMs
    if (at - since.at < MEASURED_MS || heldSince <= 0) return stretch
    const share = Math.min(MOST, (networkMs() - since.networkMs) / heldSince)
    stretch = 1 / (1 - share) ** 2
    since = { at, networkMs: networkMs(), heldMs }
    return stretch
  }
}
