import type { components } from '../../contract/types.js'
import type { Review, ReviewRequest } from '../../services/skills/reviewed-version.js'

/** Reads what every review has: the skill, the content that the reviewer saw, and the reason. */
export function requestOf(
  { slug }: { readonly slug: string },
  body: {
    readonly content_hash?: string | undefined
    readonly version?: number | undefined
    readonly reason?: string | undefined
  },
): ReviewRequest {
  return { docId: slug, contentHash: body.content_hash, seenVersion: body.version, reason: body.reason }
}

export function presentReview({
  version: { docId, slug, version, contentHash, status },
  previousStatus,
  detail,
}: Review): components['schemas']['SkillReview'] {
  return {
    doc_id: docId,
    slug,
    version,
    content_hash: contentHash,
    previous_status: previousStatus,
    new_status: status,
    detail,
  }
}
