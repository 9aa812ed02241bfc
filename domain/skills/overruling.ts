import type { ScanReport } from '../scan/report.js'

/** Decision of a reviewer that a version may be served in spite of what the scan found in it. */
export interface Overruling {
  readonly by: { readonly kind: 'agent' | 'tenant' | 'admin' | 'service'; readonly agent_id: string | null }
  /** ISO 8601. */
  readonly at: string
  readonly reason: string
  /** Content and version of the rules that it holds for. */
  readonly content_hash: string
  readonly rules: string
}

/** Returns true for a report that keeps a version from nothing but a review: nothing critical, or overruled for this content and these rules. */
export function isAccepted(
  { contentHash, overruled }: { readonly contentHash: string; readonly overruled: Overruling | null },
  { verdict, version: rules }: Pick<ScanReport, 'verdict' | 'version'>,
): boolean {
  return verdict !== 'quarantined' || (overruled?.content_hash === contentHash && overruled.rules === rules)
}
