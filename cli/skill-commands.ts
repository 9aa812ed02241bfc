import { type Command, Option } from 'commander'
import { clientCommand, type ClientOptions, wholeNumber, withService } from './client-command.js'
import type { ExportOptions } from './commands/skills-export.js'
import type { ImportSkillsOptions } from './commands/skills-import.js'
import type { InboxOptions, SkillOptions } from './commands/skills-read.js'
import type { EditOptions, ReviewOptions } from './commands/skills-review.js'
import type { SyncCommandOptions } from './commands/skills-sync.js'
import type { WalkCommandOptions } from './commands/skills-walk.js'

const reading = () => import('./commands/skills-read.js')
const reviewing = () => import('./commands/skills-review.js')

/** Adds the commands of `cairn skills`. */
export function addSkillCommands(program: Command): void {
  const skills = program.command('skills').description('Read and review skills, and deliver them to harnesses.')
  addReadCommands(skills)
  addReviewCommands(skills)
  addFolderCommands(skills)
  clientCommand(skills.command('sync'))
    .description(
      'Write active skills to the directories of SVC_SKILL_TARGETS, and remove skills that are no longer active.',
    )
    .option('--dry-run', 'print what would change, and change nothing')
    .option('--force', 'allow removing more than half of the skills in a directory')
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

function addFolderCommands(skills: Command): void {
  skillCommand(skills.command('import <directory>'))
    .description('Write every folder with a SKILL.md below a directory as a skill: front matter, content and files.')
    .option('--dry-run', 'print what would be written, and write nothing')
    .option('--fleet <id>', 'fleet that the skills belong to')
    .action((directory: string, options: ClientOptions & ImportSkillsOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/skills-import.js')).importSkills(service, directory, on),
      ),
    )
  clientCommand(skills.command('export <directory>'))
    .description('Write every active skill as a folder into a directory: what was imported comes out byte for byte.')
    .option('--tenant <id>', "tenant; by default the key's own")
    .option('--fleet <id>', 'only skills of this fleet and of no fleet')
    .action((directory: string, options: ClientOptions & ExportOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/skills-export.js')).exportSkills(service, directory, on),
      ),
    )
}

function addReadCommands(skills: Command): void {
  skillCommand(skills.command('list'))
    .description('List the active skills.')
    .option('--fleet <id>', 'only skills of this fleet and of no fleet')
    .option('--json', 'print the whole answer')
    .action((options: ClientOptions & SkillOptions) =>
      withService(0, options, async (service, on) => (await reading()).listSkills(service, on)),
    )
  skillCommand(skills.command('show <slug>'))
    .description('Show the version that waits for a review, with what it changes; if none waits, show the active one.')
    .option('--json', 'print the whole answer')
    .action((slug: string, options: ClientOptions & SkillOptions) =>
      withService(3, options, async (service, on) => (await reading()).showSkill(service, slug, on)),
    )
  skillCommand(skills.command('scan <slug>'))
    .description('Show what the scan found in a skill of your own, or in the active one.')
    .option('--json', 'print the whole answer')
    .action((slug: string, options: ClientOptions & SkillOptions) =>
      withService(1, options, async (service, on) => (await reading()).showScan(service, slug, on)),
    )
  skillCommand(skills.command('inbox'))
    .description('List the skills that wait for a review, first what to see first, and why; deferred ones last.')
    .addOption(
      new Option('--status <status>', 'which skills to list')
        .choices(['staged', 'quarantined', 'candidate'])
        .default('staged'),
    )
    .option('--fleet <id>', 'only skills of this fleet and of no fleet')
    .option('--json', 'print the whole answer')
    .action((options: ClientOptions & InboxOptions) =>
      withService(3, options, async (service, on) => (await reading()).listInbox(service, on)),
    )
  skillCommand(skills.command('versions <slug>'))
    .description('List the versions of a skill, newest first.')
    .option('--json', 'print the whole answer')
    .action((slug: string, options: ClientOptions & SkillOptions) =>
      withService(3, options, async (service, on) => (await reading()).listVersions(service, slug, on)),
    )
}

function addReviewCommands(skills: Command): void {
  skillCommand(skills.command('review'))
    .description(
      'Walk through the inbox in a terminal: see what waits, first what matters most, and decide by one key.',
    )
    .addOption(
      new Option('--status <status>', 'which skills to show').choices(['staged', 'quarantined']).default('staged'),
    )
    .option('--fleet <id>', 'only skills of this fleet and of no fleet')
    .action((options: ClientOptions & WalkCommandOptions) =>
      withService(3, options, async (service, on) =>
        (await import('./commands/skills-walk.js')).walkInbox(service, on),
      ),
    )
  for (const [action, description] of [
    ['approve', 'Make a staged skill active, after another scan.'],
    ['defer', 'Move a staged skill to the end of the inbox.'],
    ['restore', 'Stage a quarantined or stale skill again, or scan again one whose scan failed.'],
  ] as const)
    reviewCommand(skills.command(`${action} <slug>`))
      .description(description)
      .option('--reason <text>', 'kept in the history')
      .action((slug: string, options: ClientOptions & ReviewOptions) =>
        withService(3, options, async (service, on) => (await reviewing()).reviewSkill(service, action, slug, on)),
      )
  reviewCommand(skills.command('reject <slug>'))
    .description('Refuse a staged or quarantined skill, and for some time any skill like it.')
    .requiredOption('--reason <text>', 'kept in the history')
    .option('--cooloff-days <n>', 'for how many days no skill like it is accepted, 1 to 365', wholeNumber)
    .action((slug: string, options: ClientOptions & ReviewOptions & { readonly cooloffDays?: number }) =>
      withService(3, options, async (service, on) => (await reviewing()).reviewSkill(service, 'reject', slug, on)),
    )
  reviewCommand(skills.command('quarantine <slug>'))
    .description('Take a staged skill out of the inbox.')
    .requiredOption('--reason <text>', 'kept in the history')
    .action((slug: string, options: ClientOptions & ReviewOptions) =>
      withService(3, options, async (service, on) => (await reviewing()).reviewSkill(service, 'quarantine', slug, on)),
    )
  reviewCommand(skills.command('overrule <slug>'))
    .description('Stage a quarantined skill in spite of what the scan found, until its text or the rules change.')
    .requiredOption('--reason <text>', 'shown beside the findings, and kept in the history')
    .action((slug: string, options: ClientOptions & ReviewOptions) =>
      withService(3, options, async (service, on) => (await reviewing()).reviewSkill(service, 'overrule', slug, on)),
    )
  reviewCommand(skills.command('edit <slug>'))
    .description('Revise a staged skill. It is scanned again and stays staged.')
    .option('--file <path>', 'file with the new content')
    .option('--description <text>', 'new description')
    .option('--summary <text>', 'new summary')
    .option('--reason <text>', 'kept in the history')
    .action((slug: string, options: ClientOptions & EditOptions) =>
      withService(3, options, async (service, on) => (await reviewing()).editSkill(service, slug, on)),
    )
  reviewCommand(skills.command('retire <slug>'))
    .description('Take the active version of a skill out of service.')
    .option('--reason <text>', 'kept in the history')
    .action((slug: string, options: ClientOptions & ReviewOptions) =>
      withService(3, options, async (service, on) => (await reviewing()).retireSkill(service, slug, on)),
    )
  const version = skills.command('rollback <slug>').argument('<version>', 'number of the version', wholeNumber)
  reviewCommand(version)
    .description('Make an earlier version the active one again, as a new version.')
    .option('--reason <text>', 'kept in the history')
    .action((slug: string, number: number, options: ClientOptions & ReviewOptions) =>
      withService(3, options, async (service, on) => (await reviewing()).rollbackSkill(service, slug, number, on)),
    )
}

function skillCommand(command: Command): Command {
  return clientCommand(command)
    .option('--tenant <id>', "tenant; by default the key's own")
    .option('--as <agent>', 'acting agent, for a tenant key')
}

function reviewCommand(command: Command): Command {
  return skillCommand(command)
    .option('--hash <content-hash>', 'review only if the version still has this hash')
    .option('--seen <version>', 'review only if this is still the version', wholeNumber)
}
