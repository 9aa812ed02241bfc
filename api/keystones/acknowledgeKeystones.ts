import { InvalidRequestError } from '../../http/errors.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { acknowledge } from '../../store/keystones/acknowledgements.js'
import { keystoneAudienceOf } from '../../services/keystones/audience.js'
import { readSetTag } from '../../services/keystones/set-tags.js'
import type { Operation } from '../operation.js'

export const acknowledgeKeystones: Operation<'acknowledgeKeystones'> = async (context, principal, { body }) => {
  const { store, keystoneSets, cursorSecret, clock } = context
  const { agentId, fleetId, tenantId } = principal
  if (agentId === null)
    throw InvalidRequestError.at(['header', 'X-Agent-ID'], 'Only an agent can acknowledge rules.', 'missing')
  const etag = readSetTag(cursorSecret, tenantId, body.etag)
  if (etag === null)
    throw InvalidArgumentsError.at(['etag'], 'This tag was never issued for a list of rules of this tenant.')
  const set = await store.read(principal, (reader) => keystoneSets.setOf(reader, keystoneAudienceOf(principal)))
  const acknowledgement = await store.transact(principal, (writer) =>
    acknowledge(writer, { agentId, runId: body.run_id, etag, acknowledgedAt: new Date(clock.now()) }),
  )
  return {
    status: 200,
    body: {
      agent_id: agentId,
      fleet_id: fleetId,
      run_id: acknowledgement.runId,
      etag: acknowledgement.etag,
      acknowledged_at: acknowledgement.acknowledgedAt.toISOString(),
      current: acknowledgement.etag === set.etag,
    },
  }
}
