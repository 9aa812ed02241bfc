import type { KeystoneDraft } from '../../domain/keystones/keystone.js'
import type { components } from '../../contract/types.js'

export function readKeystone(body: components['schemas']['KeystoneWrite']): KeystoneDraft {
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
