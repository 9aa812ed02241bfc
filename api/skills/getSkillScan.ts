import { boundFleetsOf } from '../../domain/skills/fleet-bound.js'
import { readVerdict } from '../../services/skills/read-verdict.js'
import type { Operation } from '../operation.js'

export const getSkillScan: Operation<'getSkillScan'> = async (context, principal, { params }) => {
  const bounds = boundFleetsOf(principal, 'all')
  const found = await context.store.read(principal, (reader) =>
    readVerdict(reader, params.slug, { ...principal, bounds }),
  )
  const { docId, slug, version, status, reason, contentHash, scan, overruled } = found
  return {
    status: 200,
    body: {
      doc_id: docId,
      slug,
      version,
      status,
      reason,
      content_hash: contentHash,
      scan: { ...scan, findings: [...scan.findings] },
      overruled,
    },
  }
}
