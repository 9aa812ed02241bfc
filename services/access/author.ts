import type { Principal } from '../../domain/principal.js'
import { lowerTrust } from '../../domain/trust.js'
import type { Viewer } from '../../domain/visibility.js'
import { ForbiddenError } from '../../runtime/errors.js'
import { type Agent, findAgent, registerAgent } from '../../store/tenants/agents.js'
import type { Writer } from '../../store/store.js'
import { requireOwnFleetsAgent } from '../../runtime/acting-agent.js'
import type { LastSeenTracker } from '../agents/last-seen-tracker.js'
import { requireTrust } from './trust.js'

/** The agent and the fleet that a write is stored for. */
export interface WriteAuthor {
  readonly agentId: string | null
  readonly fleetId: string | null
}

/** The author, and what it may see and do while it writes. */
export interface ActingAuthor {
  readonly author: WriteAuthor
  readonly viewer: Viewer
}

interface NamedAuthor {
  readonly agent_id?: string | null | undefined
  readonly fleet_id?: string | null | undefined
}

/**
 * Returns author and fleet of a write. The identity of an agent key never comes from the body. A tenant key may name
 * its acting agent there, whose trust and fleet then apply; an agent is registered by its first write. Throws ForbiddenError for
 * another agent than the credential's, TrustError for another fleet below trust 2 and for any write below trust 1.
 */
export async function resolveAuthor(writer: Writer, principal: Principal, named: NamedAuthor): Promise<ActingAuthor> {
  const agentId = named.agent_id ?? null
  if (principal.agentId !== null && agentId !== null && agentId !== principal.agentId)
    throw new ForbiddenError('agent_id names another agent than the credential acts for.')
  if (principal.agentId !== null || agentId === null) return actingAuthorFor(principal, named)

  const known = await findAgent(writer, agentId)
  if (known) return actingAuthorFor(viewerOf(principal, known), named)
  const { author } = actingAuthorFor({ ...principal, agentId }, named)
  const { agent, isNew } = await registerAgent(writer, { agentId, fleetId: author.fleetId })
  const viewer = viewerOf(principal, agent)
  // An agent that another request registered meanwhile may have another trust and fleet than assumed above.
  return isNew ? { author, viewer } : actingAuthorFor(viewer, named)
}

/** Returns what a tenant key may see and do as the agent that its body names. Throws TrustError for another fleet's agent. */
function viewerOf(principal: Principal, agent: Agent): Viewer {
  requireOwnFleetsAgent(principal, agent)
  const { agentId, fleetId, trust } = agent
  return { agentId, fleetId, trust: lowerTrust(principal.trust, trust), fleetless: false }
}

/** Records that the author of a write was seen, also when a tenant key named it in the body. */
export function touchAuthor(
  { lastSeenTracker }: { readonly lastSeenTracker: LastSeenTracker },
  principal: Principal,
  named: NamedAuthor,
): void {
  lastSeenTracker.touch({ tenantId: principal.tenantId, agentId: principal.agentId ?? named.agent_id ?? null })
}

function actingAuthorFor(viewer: Viewer, named: NamedAuthor): ActingAuthor {
  const fleetId = named.fleet_id ?? viewer.fleetId
  if (fleetId !== viewer.fleetId) requireTrust(viewer, 2, 'Writing for another fleet needs trust level 2.')
  requireTrust(viewer, 1)
  return { author: { agentId: viewer.agentId, fleetId }, viewer }
}
