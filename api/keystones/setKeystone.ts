import {
  changedFields,
  type KeystoneDraft,
  keystoneHash,
  MOST_REACH_BYTES,
  reachFaults,
  trustToReplace,
  weightInBytes,
} from '../../domain/keystones/keystone.js'
import { screenInSteps } from '../../domain/personal-data/screen.js'
import { ConflictError } from '../../runtime/errors.js'
import { Slices } from '../../runtime/slices.js'
import { audit } from '../../store/audit.js'
import {
  sumBytesOfOthers,
  findKeystone,
  lockKeystones,
  type Keystone,
  storeKeystone,
} from '../../store/keystones/keystones.js'
import type { Writer } from '../../store/store.js'
import { readSettings } from '../../store/tenants/settings.js'
import { etagOf, requireMatch } from '../../http/entity-tags.js'
import { keystoneEvent } from '../../services/keystones/keystone-event.js'
import { presentKeystone } from '../../services/keystones/present-keystone.js'
import { refusalOf } from '../../services/memories/draft-faults.js'
import { requireTrust } from '../../services/access/trust.js'
import type { components } from '../../contract/types.js'
import type { Operation } from '../operation.js'

export const setKeystone: Operation<'setKeystone'> = async (context, principal, { headers, body, signal }) => {
  const draft = readKeystone(body)
  const misplaced = refusalOf(reachFaults(draft))
  if (misplaced) throw misplaced
  const row = await context.store.transact(principal, async (writer) => {
    await lockKeystones(writer)
    const before = await findKeystone(writer, draft.docId)
    requireTrust(principal, trustToReplace(before, draft, principal.agentId))
    requireVersion(headers['If-Match'], before)

    const { title, content } = draft
    const { memory: settings } = await readSettings(writer)
    const {
      fields: texts,
      faults,
      pii,
    } = await new Slices({ signal }).run(screenInSteps({ title, content }, settings.pii_policy))
    const refusal = refusalOf(faults)
    if (refusal) throw refusal
    const screened = { ...draft, ...texts }
    const changed = before && changedFields(before, screened)
    if (before && changed?.length === 0) return before
    await requireWithinSizeLimit(writer, before, screened)

    const now = new Date(context.clock.now())
    const systemMetadata = pii === null ? {} : { pii }
    const contentHash = keystoneHash(screened.content)
    const after = await storeKeystone(writer, before, { ...screened, contentHash, systemMetadata }, now)
    await audit(writer, now, [keystoneEvent(before ? 'keystone.updated' : 'keystone.created', after, changed)])
    return after
  })
  return { status: 200, headers: { ETag: etagOf(row) }, body: presentKeystone(principal.tenantId, row) }
}

/**
 * Throws 409 when the rules of the same tenant, fleet or agent would become too large together. A change that does not grow its rule is
 * always allowed.
 */
async function requireWithinSizeLimit(writer: Writer, before: Keystone | null, after: KeystoneDraft): Promise<void> {
  const isThere = before?.scope === after.scope && before.fleetId === after.fleetId && before.agentId === after.agentId
  const weight = weightInBytes(after)
  if (isThere && weight <= weightInBytes(before)) return
  const bytes = (await sumBytesOfOthers(writer, after)) + weight
  if (bytes <= MOST_REACH_BYTES) return
  const message = 'The rules for the same tenant, fleet or agent would be too large together; delete or shorten some.'
  throw new ConflictError(message, { details: { bytes, bytes_limit: MOST_REACH_BYTES } })
}

function requireVersion(ifMatch: string | undefined, before: Keystone | null): void {
  if (before) requireMatch(ifMatch, before)
  else if (ifMatch !== undefined)
    throw new ConflictError('The rule does not exist, so If-Match cannot match.', {
      details: { current_version: null },
    })
}

function readKeystone(body: components['schemas']['KeystoneWrite']): KeystoneDraft {
  return {
    docId: body.doc_id,
    title: body.title.trim(),
    content: body.content,
    scope: body.scope,
    weight: body.weight,
    fleetId: body.fleet_id ?? null,
    agentId: body.agent_id ?? null,
  }
}
