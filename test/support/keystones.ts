import { type KeystoneDraft, keystoneHash } from '../../domain/keystones/keystone.js'
import { findKeystone, lockKeystones, type Keystone, storeKeystone } from '../../store/keystones/keystones.js'
import type { Store } from '../../store/store.js'

/** Sets rules in one transaction: of medium weight and for the whole tenant, unless they say otherwise. */
export function setRules(
  store: Store,
  tenantId: string,
  rules: readonly (Partial<KeystoneDraft> & { readonly docId: string })[],
): Promise<Keystone[]> {
  return store.transact({ tenantId }, async (writer) => {
    await lockKeystones(writer)
    const stored: Keystone[] = []
    for (const fields of rules) {
      const draft = {
        title: 'T',
        content: 'C',
        scope: 'tenant',
        weight: 'med',
        fleetId: null,
        agentId: null,
        ...fields,
      } as const
      const rule = { ...draft, contentHash: keystoneHash(draft.content), systemMetadata: {} }
      stored.push(await storeKeystone(writer, await findKeystone(writer, draft.docId), rule, new Date()))
    }
    return stored
  })
}
