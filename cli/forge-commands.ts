import type { Command } from 'commander'
import { clientCommand, type ClientOptions, type TenantOptions, withService } from './client-command.js'
import type { ForgeOptions } from './commands/forge.js'

const forgeCommands = () => import('./commands/forge.js')

/** Adds `cairn forge …`, which begins and shows runs of the Forge. */
export function addForgeCommands(program: Command): void {
  const forge = program.command('forge').description('Run the Forge, which proposes skills, and show its runs.')
  clientCommand(forge.command('run'))
    .description('Begin a run for each tenant that opted in, and show its result.')
    .option('--tenant <id>', 'only this tenant')
    .option('--dry-run', 'do all of the work, but change no skill')
    .option('--no-wait', 'do not wait for the result')
    .action((options: ClientOptions & ForgeOptions) =>
      withService('admin', options, async (admin) => (await forgeCommands()).runForge(admin, options)),
    )
  clientCommand(forge.command('runs'))
    .description('List the last runs of a tenant, newest first.')
    .option('--tenant <id>', "tenant; by default the key's own")
    .action((options: TenantOptions) =>
      withService(3, options, async (service, on) => (await forgeCommands()).listRuns(service, on)),
    )
  clientCommand(forge.command('show <run>'))
    .description('Show a run: what it read of each fleet, and what became of each candidate.')
    .option('--tenant <id>', "tenant; by default the key's own")
    .action((run: string, options: TenantOptions) =>
      withService(3, options, async (service, on) => (await forgeCommands()).showRun(service, run, on)),
    )
}
