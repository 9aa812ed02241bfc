import type { Operation } from '../operation.js'
import { presentEmbedder } from '../present-embedder.js'

export const whoami: Operation<'whoami'> = ({ embedder }, caller) =>
  Promise.resolve({
    status: 200,
    body: {
      tenant_id: caller.tenantId,
      key_kind: caller.kind,
      agent_id: caller.agentId,
      fleet_id: caller.fleetId,
      trust_level: caller.trust,
      embedder: presentEmbedder(embedder),
    },
  })
