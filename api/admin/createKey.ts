import { parseInstant } from '../../domain/instant.js'
import { formatApiKey, hashSecret, makeApiKey } from '../../domain/api-key.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'
import { mintKey } from '../../store/tenants/credentials.js'
import { operatorOf } from '../../services/admin/operator.js'
import { presentKey } from './present-key.js'
import type { InputOf, Operation } from '../operation.js'

/** Creates a key, and the tenant with its first key. */
export const createKey: Operation<'createKey'> = async ({ store, clock }, _caller, { body }) => {
  const expiresAt = body.expires_at == null ? null : new Date(parseInstant(body.expires_at)!)
  checkRequest(body, expiresAt, clock.now())
  const key = makeApiKey()
  const minted = await store.transact(operatorOf(body.tenant_id), (writer) =>
    mintKey(writer, {
      keyId: key.keyId,
      secretHash: hashSecret(key.secret),
      kind: body.kind,
      agentId: body.agent_id ?? null,
      fleetId: body.fleet_id ?? null,
      trust: body.trust_level ?? null,
      label: body.label ?? null,
      expiresAt,
    }),
  )
  return { status: 201, body: { ...presentKey(minted), api_key: formatApiKey(key) } }
}

function checkRequest(body: InputOf<'createKey'>['body'], expiresAt: Date | null, now: number): void {
  if (body.kind === 'agent' && body.agent_id == null)
    throw InvalidArgumentsError.at(['agent_id'], 'An agent key needs an agent_id.', 'missing')
  if (body.kind === 'tenant' && body.agent_id != null)
    throw InvalidArgumentsError.at(['agent_id'], 'A tenant key must have no agent_id.', 'value_error', body.agent_id)
  if (expiresAt && expiresAt.getTime() <= now)
    throw InvalidArgumentsError.at(['expires_at'], 'Must be in the future.', 'value_error', body.expires_at)
}
