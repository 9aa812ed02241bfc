import type { Principal } from '../../domain/principal.js'
import { lowerTrust } from '../../domain/trust.js'
import type { Viewer } from '../../domain/visibility.js'
import { ForbiddenError, TrustError } from '../../runtime/errors.js'
import { type Agent, findAgent, registerAgent } from '../../store/tenants/agents.js'
import type { Writer } from '../../store/store.js'
import { requireOwnFleetsAgent } from '../agents/acting-agent.js'
import type { ApiContext } from '../context.js'

/** Whose a write is. */
export interface Author {
  readonly agentId: string | null
  readonly fleetId: string | null
}

/** The author, and what it may see and do while it writes. */
export interface ActingAuthor {
  readonly author: Author
  readonly viewer: Viewer
}

interface Named {
  readonly agent_id?: string | null | undefined
  readonly fleet_id?: string | null | undefined
}

/**
 * Settles author and fleet of a write (decisions.md §2): an agent key's identity never comes from the body; a tenant key may
 * name its acting agent there, whose trust and fleet then count, and who is registered by its first write.
 */
export async function resolveAuthor(writer: Writer, principal: Principal, named: Named): Promise<ActingAuthor> {
  const agentId = named.agent_id ?? null
  if (principal.agentId !== null && agentId !== null && agentId !== principal.agentId)
    throw new ForbiddenError('agent_id names another agent than the credential acts for.')
  if (principal.agentId !== null || agentId === null) return actingAs(principal, named)

  const known = await findAgent(writer, agentId)
  if (known) return actingAs(viewerOf(principal, known), named)
  const { author } = actingAs({ ...principal, agentId }, named)
  const { agent, isNew } = await registerAgent(writer, { agentId, fleetId: author.fleetId })
  const viewer = viewerOf(principal, agent)
  // One that another has registered meanwhile has a trust and a fleet that were not known above.
  return isNew ? { author, viewer } : actingAs(viewer, named)
}

/** Returns what a tenant key may see and do as the agent that its body names. Throws 403 for another fleet's agent (`requireOwnFleetsAgent`). */
function viewerOf(principal: Principal, agent: Agent): Viewer {
  requireOwnFleetsAgent(principal, agent)
  const { agentId, fleetId, trust } = agent
  return { agentId, fleetId, trust: lowerTrust(principal.trust, trust), fleetless: false }
}

/** After a write: whom a tenant key's body named is seen as much as whoever has a key of its own. */
export function sawAuthor({ sightings }: Pick<ApiContext, 'sightings'>, principal: Principal, named: Named): void {
  sightings.saw({ tenantId: principal.tenantId, agentId: principal.agentId ?? named.agent_id ?? null })
}

function actingAs(viewer: Viewer, named: Named): ActingAuthor {
  const fleetId = named.fleet_id ?? viewer.fleetId
  if (fleetId !== viewer.fleetId && viewer.trust < 2)
    throw new TrustError(2, viewer.trust, 'Writing for another fleet needs trust level 2.')
  if (viewer.trust < 1) throw new TrustError(1, viewer.trust)
  return { author: { agentId: viewer.agentId, fleetId }, viewer }
}
