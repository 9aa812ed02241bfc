import { matchesTag } from '../../http/entity-tags.js'
import { keystoneAudienceOf } from '../../services/keystones/audience.js'
import type { Operation } from '../operation.js'

export const listKeystones: Operation<'listKeystones'> = async (context, principal, { query, headers }) => {
  const audience = keystoneAudienceOf(principal, query)
  const set = await context.store.read(principal, (reader) => context.keystoneSets.setOf(reader, audience))
  const tagged = { ETag: set.etag }
  if (matchesTag(headers['If-None-Match'], set.etag)) return { status: 304, headers: tagged }
  return { status: 200, headers: tagged, body: query.envelope ? set.envelope : set.items }
}
