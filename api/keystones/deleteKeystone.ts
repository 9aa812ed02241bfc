import { trustToChange } from '../../domain/keystones/keystone.js'
import { NotFoundError } from '../../runtime/errors.js'
import { audit } from '../../store/audit.js'
import { findKeystone, lockKeystones, removeKeystone } from '../../store/keystones/keystones.js'
import { keystoneEvent } from '../../services/keystones/keystone-event.js'
import type { Operation } from '../operation.js'
import { requireTrust } from '../../services/access/trust.js'

export const deleteKeystone: Operation<'deleteKeystone'> = async ({ store, clock }, principal, { params }) => {
  await store.transact(principal, async (writer) => {
    await lockKeystones(writer)
    const stored = await findKeystone(writer, params.doc_id)
    if (!stored) throw new NotFoundError('Keystone')
    requireTrust(principal, trustToChange(stored, principal.agentId))
    const now = new Date(clock.now())
    const version = await removeKeystone(writer, stored, now)
    await audit(writer, now, [keystoneEvent('keystone.deleted', { ...stored, version })])
  })
  return { status: 200, body: { deleted: true, doc_id: params.doc_id } }
}
