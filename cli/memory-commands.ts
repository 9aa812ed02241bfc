import { type Command, Option } from 'commander'
import { type ClientOptions, jsonObject, share, tenantCommand, wholeNumber, withService } from './client-command.js'
import type {
  ArchiveOptions,
  GetOptions,
  MemoriesOptions,
  RememberOptions,
  VersionsOptions,
} from './commands/memories.js'
import type { EntitiesOptions, EntityOptions } from './commands/entities.js'
import type { RecallOptions } from './commands/recall.js'
import type { StatisticsOptions } from './commands/statistics.js'
import type { RecallStatisticsOptions, TimelineOptions } from './commands/timeline.js'

const memoryCommands = () => import('./commands/memories.js')

/** Adds `cairn remember`, `recall`, `memories …`, `entities …` and `stats`. */
export function addMemoryCommands(program: Command): void {
  tenantCommand(program.command('remember <text>'))
    .description('Write one memory.')
    .option('--agent <id>', 'agent that writes, for a tenant key')
    .option('--fleet <id>', "fleet of the memory; by default the agent's")
    .option('--type <type>', 'kind of memory, such as fact, decision or task')
    .option('--title <text>', 'title of the memory')
    .option('--run <id>', 'run that the memory belongs to')
    .addOption(visibilityOption('who sees the memory'))
    .action((text: string, options: ClientOptions & RememberOptions) =>
      withService(1, options, async (service, on) => (await memoryCommands()).remember(service, text, on)),
    )
  tenantCommand(program.command('recall <query>'))
    .description('Recall memories, best first.')
    .option('--language <code>', 'only memories in this language, such as de; may be repeated', several)
    .option('--top-k <n>', 'largest number of memories', wholeNumber)
    .option(
      '--max-tokens <n>',
      'most tokens of the texts that are printed; long ones are cut at a sentence',
      wholeNumber,
    )
    .addOption(
      new Option('--answer-if <level>', 'print memories only if the confidence is at least this').choices([
        'low',
        'high',
      ]),
    )
    .option('--min-score <n>', 'least similarity of a memory, 0 to 1; scores only order results', share)
    .option('--agent <id>', 'only memories of this agent')
    .option(
      '--fleet <id>',
      'only memories of this fleet; may be repeated; another fleet than the own needs trust 2',
      several,
    )
    .option('--filter <json>', FILTER, jsonObject)
    .option('--timezone <name>', 'zone of "today" and other words about time, such as Asia/Tokyo; by default UTC')
    .option('--now <time>', 'what "today" counts from, such as 2026-01-31T08:00+09:00; by default the present')
    .option('--known-at <time>', KNOWN_AT)
    .action((query: string, options: ClientOptions & RecallOptions) =>
      withService(0, options, async (service, on) => (await import('./commands/recall.js')).recall(service, query, on)),
    )
  addMemories(program.command('memories').description('List, read and restore memories.'))
  addEntities(program.command('entities').description('List entities, and merge those that are one thing.'))
  tenantCommand(program.command('stats'))
    .description('Count memories by type, agent and status.')
    .option('--agent <id>', 'only memories of this agent')
    .option('--fleet <id>', 'only memories of this fleet')
    .addOption(scopeOption())
    .option('--type <type>', 'only this kind of memory')
    .option('--status <status>', 'only this status')
    .action((options: ClientOptions & StatisticsOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/statistics.js')).showStatistics(service, on),
      ),
    )
  intervalCommand(program.command('timeline'))
    .description('Count what happened to memories over time: created, superseded, deleted, recalled.')
    .option('--agent <id>', 'only memories of this agent')
    .option('--fleet <id>', 'only memories of this fleet')
    .addOption(scopeOption())
    .option('--type <type>', 'only this kind of memory')
    .addOption(visibilityOption('only this visibility'))
    .addOption(new Option('--by <group>', 'count each value apart').choices(['type', 'agent', 'fleet', 'visibility']))
    .action((options: ClientOptions & TimelineOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/timeline.js')).showTimeline(service, on),
      ),
    )
  intervalCommand(program.command('recalls'))
    .description('Show how many recalls there were over time and by agent, how long they took and what they lacked.')
    .option('--agent <id>', 'only recalls of this agent')
    .action((options: ClientOptions & RecallStatisticsOptions) =>
      withService(0, options, async (service, on) =>
        (await import('./commands/timeline.js')).showRecallStatistics(service, on),
      ),
    )
}

function intervalCommand(command: Command): Command {
  return tenantCommand(command)
    .addOption(
      new Option('--interval <length>', 'what is counted together; by default a day').choices(['hour', 'day', 'week']),
    )
    .option(
      '--from <time>',
      'beginning, ISO 8601 with an offset or Z; by default a day, 30 days or 26 weeks before the end',
    )
    .option('--to <time>', 'end; by default now')
    .option('--timezone <name>', 'the zone whose days are counted, such as Asia/Tokyo; by default UTC')
}

function scopeOption(): Option {
  return new Option(
    '--scope <scope>',
    'count private memories of others too; by default only what the key may see',
  ).choices(['agent', 'fleet', 'all'])
}

function addMemories(memories: Command): void {
  tenantCommand(memories.command('list'))
    .description('List memories, by default the newest first.')
    .option('--agent <id>', 'only memories of this agent')
    .option('--fleet <id>', 'only memories of this fleet')
    .option('--type <type>', 'only this kind of memory')
    .option('--status <status>', 'only this status')
    .addOption(visibilityOption('only this visibility'))
    .option('--run <id>', 'only memories of this run')
    .option('--language <code>', 'only memories in this language, such as de')
    .option('--after <time>', 'only what was written after this time, ISO 8601 with an offset or Z')
    .option('--before <time>', 'only what was written before this time')
    .option('--unused-since <time>', 'only what was written before this time and not recalled since')
    .addOption(
      new Option('--recalled <when>', 'only what a recall has returned, or none has').choices(['ever', 'never']),
    )
    .addOption(
      new Option('--sort <field>', 'what the order goes by; by default created_at').choices([
        'created_at',
        'weight',
        'recall_count',
        'last_recalled_at',
      ]),
    )
    .addOption(new Option('--order <order>', 'by default desc').choices(['asc', 'desc']))
    .option('--known-at <time>', KNOWN_AT)
    .option('--filter <json>', FILTER, jsonObject)
    .option('--limit <n>', 'largest number of memories', wholeNumber, 50)
    .action((options: ClientOptions & MemoriesOptions) =>
      withService(0, options, async (service, on) => (await memoryCommands()).listMemories(service, on)),
    )
  tenantCommand(memories.command('get <id>'))
    .description('Print one memory with all its fields.')
    .option('--known-at <time>', KNOWN_AT)
    .action((id: string, options: ClientOptions & GetOptions) =>
      withService(0, options, async (service, on) => (await memoryCommands()).getMemory(service, id, on)),
    )
  tenantCommand(memories.command('versions <id>'))
    .description('List what a memory was before each change, newest first.')
    .option('--limit <n>', 'largest number of versions', wholeNumber, 50)
    .action((id: string, options: ClientOptions & VersionsOptions) =>
      withService(0, options, async (service, on) => (await memoryCommands()).listVersions(service, id, on)),
    )
  const restored = memories.command('restore <id>').argument('<version>', 'number of the version', wholeNumber)
  tenantCommand(restored)
    .description('Give a memory the values of an earlier version again.')
    .action((id: string, version: number, options: ClientOptions & Pick<GetOptions, 'tenant' | 'json'>) =>
      withService(1, options, async (service, on) => (await memoryCommands()).restoreVersion(service, id, version, on)),
    )
  addArchive(memories)
}

function addEntities(entities: Command): void {
  const entityCommands = () => import('./commands/entities.js')
  tenantCommand(entities.command('list'))
    .description('List what memories are about, by name.')
    .option('--query <words>', 'only entities with these words in their names')
    .option('--limit <n>', 'largest number of entities', wholeNumber, 50)
    .action((options: ClientOptions & EntitiesOptions) =>
      withService(0, options, async (service, on) => (await entityCommands()).listEntities(service, on)),
    )
  tenantCommand(entities.command('proposals <id>'))
    .description('List entities that may be another name of the same thing, with the memories that say so.')
    .action((id: string, options: ClientOptions & EntityOptions) =>
      withService(0, options, async (service, on) => (await entityCommands()).listProposals(service, id, on)),
    )
  tenantCommand(entities.command('merge <id> <into>'))
    .description('Say that an entity is another name of the second one.')
    .action((id: string, into: string, options: ClientOptions & EntityOptions) =>
      withService(2, options, async (service, on) => (await entityCommands()).mergeEntity(service, { id, into }, on)),
    )
  tenantCommand(entities.command('split <id>'))
    .description('Undo the merge of an entity.')
    .action((id: string, options: ClientOptions & EntityOptions) =>
      withService(2, options, async (service, on) => (await entityCommands()).splitEntity(service, id, on)),
    )
}

function addArchive(memories: Command): void {
  tenantCommand(memories.command('archive'))
    .description('Say which memories nobody has used since a time; with --yes, archive them.')
    .requiredOption(
      '--unused-since <time>',
      'written before this time, and neither changed nor recalled since; ISO 8601 with an offset or Z',
    )
    .option('--max-weight <n>', 'only memories of this weight or less, 0 to 1', share)
    .option('--max-recalls <n>', 'only memories that were recalled so often or less', wholeNumber)
    .option('--filter <json>', FILTER, jsonObject)
    .option('--yes', 'archive them, instead of counting only')
    .action((options: ClientOptions & ArchiveOptions) =>
      withService(3, options, async (service, on) => (await memoryCommands()).archiveMemories(service, on)),
    )
}

const KNOWN_AT = 'what was stored at this time, as it was then; ISO 8601 with an offset or Z'

function visibilityOption(description: string): Option {
  return new Option('--visibility <visibility>', description).choices(['scope_agent', 'scope_team', 'scope_org'])
}

const FILTER = `only what meets this filter, such as '{"metadata.cost":{"gte":100}}'`

/** Collects the values of an option that may be repeated. */
export function several(value: string, values: readonly string[] = []): string[] {
  return [...values, value]
}
