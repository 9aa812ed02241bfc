import type { Principal } from '../../domain/principal.js'
import { lowerTrust } from '../../domain/trust.js'
import { ForbiddenError, TrustError } from '../../runtime/errors.js'
import { findAgent, registerAgent } from '../../store/agents.js'
import type { Writer } from '../../store/store.js'

/** Whose a write is. */
export interface Author {
  readonly agentId: string | null
  readonly fleetId: string | null
}

interface Named {
  readonly agent_id?: string | null | undefined
  readonly fleet_id?: string | null | undefined
}

/**
 * Settles author and fleet of a write (decisions.md §2): an agent key's identity never comes from the body; a tenant key may
 * name its acting agent there, whose trust and fleet then count, and who is registered by its first write.
 */
export async function resolveAuthor(writer: Writer, principal: Principal, named: Named): Promise<Author> {
  const agentId = named.agent_id ?? null
  if (principal.agentId !== null) {
    if (agentId !== null && agentId !== principal.agentId)
      throw new ForbiddenError('agent_id names another agent than the credential acts for.')
    return authorOf(principal, principal.agentId, named)
  }
  if (agentId === null) return authorOf(principal, null, named)

  const known = await findAgent(writer, agentId)
  if (known) {
    const acting = { trust: lowerTrust(principal.trust, known.trust), fleetId: known.fleetId, fleetless: false }
    return authorOf(acting, agentId, named)
  }
  const author = authorOf(principal, agentId, named)
  await registerAgent(writer, { agentId, fleetId: author.fleetId })
  return author
}

function authorOf(
  acting: Pick<Principal, 'trust' | 'fleetId' | 'fleetless'>,
  agentId: string | null,
  named: Named,
): Author {
  if (acting.trust < 1) throw new TrustError(1, acting.trust)
  const fleetId = named.fleet_id ?? acting.fleetId
  if (fleetId !== acting.fleetId && acting.trust < 2)
    throw new TrustError(2, acting.trust, 'Writing for another fleet needs trust level 2.')
  return { agentId, fleetId }
}
