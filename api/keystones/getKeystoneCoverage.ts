import type { Principal } from '../../domain/principal.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import { readCoverage } from '../../store/keystones/acknowledgements.js'
import { eachKeystone } from '../../store/keystones/keystones.js'
import type { components } from '../../contract/types.js'
import { keystoneAudienceOf } from '../../services/keystones/audience.js'
import { tagsOf } from '../../services/keystones/keystone-sets.js'
import type { Operation } from '../operation.js'
import { requireTrust } from '../../services/access/trust.js'

type CoveredAgent = components['schemas']['CoveredAgent']

interface RequestedAudience {
  readonly fleet_id?: string | undefined
  readonly agent_id?: string | undefined
}

export const getKeystoneCoverage: Operation<'getKeystoneCoverage'> = async (context, principal, { query }) => {
  requireTrust(principal, trustFor(principal, query))
  const { tenantId } = principal
  const filter = {
    agentId: query.agent_id,
    fleetId: query.fleet_id,
    runId: query.run_id,
    includesUnacknowledged: query.include_silent,
  }
  const { tagOf, covered } = await context.store.read(principal, async (reader) => ({
    tagOf: await tagsOf(context.cursorSecret, tenantId, eachKeystone(reader)),
    covered: await readCoverage(reader, filter),
  }))

  const all = await new Slices().run(present(covered, tagOf))
  const agents = all.filter(({ current }) => query.current === undefined || query.current === current)
  return { status: 200, body: { etag: tagOf(keystoneAudienceOf(principal, query)), count: agents.length, agents } }
}

function* present(
  covered: Awaited<ReturnType<typeof readCoverage>>,
  tagOf: Awaited<ReturnType<typeof tagsOf>>,
): Yielding<CoveredAgent[]> {
  const agents: CoveredAgent[] = []
  for (const { agentId, fleetId, runId, etag, acknowledgedAt } of covered) {
    const current = etag === tagOf({ agentId, fleetId })
    const acknowledged_at = acknowledgedAt?.toISOString() ?? null
    agents.push({ agent_id: agentId, fleet_id: fleetId, run_id: runId, etag, acknowledged_at, current })
    yield
  }
  return agents
}

/** Returns the trust that is needed: 1 for the caller's own agent or fleet, 2 for anything wider. */
function trustFor(principal: Principal, { agent_id: agentId, fleet_id: fleetId }: RequestedAudience): 1 | 2 {
  const isOwnAgent = agentId !== undefined && agentId === principal.agentId
  const isOwnFleet = fleetId !== undefined && fleetId === principal.fleetId
  return isOwnAgent || isOwnFleet ? 1 : 2
}
