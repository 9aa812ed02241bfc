import type { Command } from 'commander'
import { clientCommand, type ClientOptions, tenantCommand, wholeNumber, withService } from './client-command.js'
import type { AgentListOptions, AgentOptions } from './commands/agents.js'
import type { EraseOptions } from './commands/erase.js'
import { several } from './memory-commands.js'

const agentCommands = () => import('./commands/agents.js')

/** Adds `cairn agents …`, `tenants list` and `erase`. */
export function addTenantCommands(program: Command): void {
  const agents = program.command('agents').description('List and change agents.')
  tenantCommand(agents.command('list'))
    .description('List the agents of a tenant, with their fleet and trust.')
    .option('--fleet <id>', 'only agents of this fleet')
    .action((options: ClientOptions & AgentListOptions) =>
      withService(2, options, async (service, on) => (await agentCommands()).listAgents(service, on)),
    )
  tenantCommand(agents.command('set <agent>'))
    .description("Change an agent's fleet, trust or name. If no agent has this id, register it.")
    .option('--fleet <id>', 'fleet of the agent; what it wrote before stays in its former fleet')
    .option('--no-fleet', 'take the agent out of its fleet')
    .option('--trust <level>', 'trust level, 0 to 3', wholeNumber)
    .option('--name <text>', 'name to show for the agent')
    .action((agent: string, options: ClientOptions & AgentOptions) =>
      withService(3, options, async (service, on) => (await agentCommands()).setAgent(service, agent, on)),
    )
  clientCommand(program.command('tenants').description('List tenants.').command('list'))
    .description('List all tenants, with their counts and limits.')
    .option('--json', 'print the whole answer')
    .action((options: ClientOptions & { readonly json?: boolean }) =>
      withService('admin', options, async (admin, on) =>
        (await import('./commands/tenants.js')).listTenants(admin, on),
      ),
    )
  clientCommand(program.command('erase'))
    .description('Erase memories for good, everywhere, with a receipt. First say how many, and ask.')
    .option('--tenant <id>', 'tenant of the memories; by default the only one')
    .option('--agent <id>', 'all memories of this agent')
    .option('--entity <id>', 'all memories about this entity')
    .option('--memory <id>', 'this memory; may be repeated', several)
    .option('--preview', 'only say how many would be erased')
    .option('--yes', 'do not ask')
    .option('--json', 'print the whole answer')
    .action((options: ClientOptions & EraseOptions) =>
      withService('admin', options, async (admin, on) => (await import('./commands/erase.js')).erase(admin, on)),
    )
}
