import { NotFoundError } from '../../runtime/errors.js'
import { revokeKey } from '../../store/tenants/credentials.js'
import type { Operation } from '../operation.js'

/** Other processes keep a key for at most a second, so it is refused everywhere within one. */
export const deleteKey: Operation<'deleteKey'> = async ({ store, clock }, _caller, { params, query }) => {
  const revocation = { keyId: params.key_id, tenantId: query.tenant_id, at: new Date(clock.now()) }
  const revoked = await store.asSystem((system) => revokeKey(system, revocation))
  if (!revoked) throw new NotFoundError('Key')
  return { status: 204 }
}
