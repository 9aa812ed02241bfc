import { NotFoundError } from '../../runtime/errors.js'
import { findTenantOfKey } from '../../store/tenants/credentials.js'
import { revokeKeys } from '../../store/tenants/revoke-keys.js'
import { operatorOf } from '../../services/admin/operator.js'
import type { Operation } from '../operation.js'

/** Revokes a key. Other processes cache keys for a second at most, so it is refused everywhere after that. */
export const deleteKey: Operation<'deleteKey'> = async ({ store, clock }, _caller, { params, query }) => {
  const { key_id: keyId } = params
  const tenantId = await store.asSystem((system) => findTenantOfKey(system, keyId))
  if (tenantId === null || tenantId !== (query.tenant_id ?? tenantId)) throw new NotFoundError('Key')
  const at = new Date(clock.now())
  await store.transact(operatorOf(tenantId), (writer) => revokeKeys(writer, { keyId }, at))
  return { status: 204 }
}
