import Table from 'cli-table3'
import { NotFoundError } from '../../client/index.js'
import type { components } from '../../contract/types.js'
import type { Trust } from '../../domain/trust.js'
import { CommandError } from '../failure.js'
import { printable, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'

type Agent = components['schemas']['Agent']

export interface AgentListOptions {
  readonly tenant?: string
  readonly fleet?: string
  readonly json?: boolean
}

export async function listAgents(service: ServiceClient, options: AgentListOptions): Promise<void> {
  const agents: Agent[] = []
  const tenant_id = await tenantOf(service, options)
  for await (const agent of service.listAgents({ tenant_id, fleet_id: options.fleet, limit: 200 })) agents.push(agent)
  if (options.json) return printJson(agents)
  const table = new Table({
    head: [
      'agent',
      'name',
      'fleet',
      'trust',
      'memories',
      'last write',
      'recalls',
      'last recall',
      'created',
      'last seen',
    ],
    style: { head: [], border: [] },
  })
  for (const agent of agents)
    table.push([
      printable(agent.agent_id),
      printable(agent.display_name ?? ''),
      printable(agent.fleet_id ?? ''),
      agent.trust_level,
      agent.memory_count,
      agent.memory_count === null ? '' : dayOf(agent.last_write_at),
      agent.recall_count,
      agent.recall_count === null ? '' : dayOf(agent.last_recall_at),
      agent.created_at.slice(0, 10),
      dayOf(agent.last_seen_at),
    ])
  console.log(table.toString())
}

function dayOf(time: string | null): string {
  return time?.slice(0, 10) ?? 'never'
}

export interface AgentOptions {
  readonly tenant?: string
  /** False takes the agent out of its fleet. */
  readonly fleet?: string | false
  readonly trust?: number
  readonly name?: string
  readonly json?: boolean
}

/** Changes what the options name of an agent, and registers one that does not exist yet. */
export async function setAgent(service: ServiceClient, agentId: string, options: AgentOptions): Promise<void> {
  const { fleet, trust, name } = options
  if (fleet === undefined && trust === undefined && name === undefined)
    throw new CommandError('nothing to set: give --fleet, --no-fleet, --trust or --name.', 2)
  const fields = {
    tenant_id: await tenantOf(service, options),
    agent_id: agentId,
    fleet_id: fleet === false ? null : fleet,
    // The service refuses other numbers, and says which there are.
    trust_level: trust as Trust | undefined,
    display_name: name,
  }
  const agent = await service.patchAgent(fields).catch((error: unknown) => {
    if (error instanceof NotFoundError) return service.putAgent(fields)
    throw error
  })
  if (options.json) return printJson(agent)
  const inFleet = agent.fleet_id === null ? 'in no fleet' : `in fleet ${agent.fleet_id}`
  console.log(printable(`Agent ${agent.agent_id} is ${inFleet}, with trust ${agent.trust_level}.`))
}
