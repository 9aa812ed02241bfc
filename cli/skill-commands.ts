import type { Command } from 'commander'
import { clientCommand, type ClientOptions, wholeNumber, withService } from './client-command.js'
import type { SyncCommandOptions } from './commands/skills-sync.js'

/** Adds the commands of `cairn skills`. */
export function addSkillCommands(program: Command): void {
  const skills = program.command('skills').description('Deliver active skills to directories of harnesses.')
  clientCommand(skills.command('sync'))
    .description('Write active skills to the directories of SVC_SKILL_TARGETS, and remove those that are not active.')
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--force', 'remove even more than half of the skills in a directory')
    .option('--watch', 'repeat until SIGTERM or SIGINT')
    .option('--interval <seconds>', 'seconds between two rounds of --watch', wholeNumber, 60)
    .option('--tenant <id>', "tenant; by default the key's own")
    .option('--fleet <id>', 'only skills of this fleet and of no fleet')
    .action((options: ClientOptions & SyncCommandOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/skills-sync.js')).syncSkills(service, on),
      ),
    )
}
