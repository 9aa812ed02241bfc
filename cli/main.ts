#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander'
import type { BuildOptions } from './commands/index-builds.js'
import type { EnrichOptions } from './commands/enrich.js'
import type { ExportOptions } from './commands/export-documents.js'
import type { ImportOptions } from './commands/import-chunks.js'
import type { SourceFormat, SourceOptions } from './commands/import-from.js'
import type { CreateOptions } from './commands/keys.js'
import type { ListOptions, SetOptions } from './commands/keystones.js'
import type { VerifyOptions } from './commands/verify.js'
import { DOCUMENT_LINES, MEMORY_LINES } from './commands/line-help.js'
import {
  clientCommand,
  type ClientOptions,
  finish,
  type TenantOptions,
  wholeNumber,
  withService,
} from './client-command.js'
import { exitWith, reportFailure } from './failure.js'
import { addForgeCommands } from './forge-commands.js'
import { addMemoryCommands } from './memory-commands.js'
import { addSkillCommands } from './skill-commands.js'
import { addTenantCommands } from './tenant-commands.js'
import { packageVersion } from '../runtime/package-version.js'
import { QUEUES } from '../workers/job.js'

type Format = 'jsonl' | SourceFormat

const program = new Command('cairn')
  .description('Long-term memory for fleets of software agents.')
  .version(packageVersion())
  // `--version` behind a command is the command's: it must not print that of cairn and end with 0, as if the command had run.
  .enablePositionalOptions()
  .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'cairn: ')) })
  .exitOverride()

// A command is imported when it runs: `cairn recall` does not need the second of work that loading `cairn serve` takes.
const running = () => import('./commands/run-process.js')
const keyCommands = () => import('./commands/keys.js')
const settingCommands = () => import('./commands/settings.js')
const indexing = () => import('./commands/indexing.js')
const keystones = () => import('./commands/keystones.js')
const indexBuilds = () => import('./commands/index-builds.js')

program
  .command('serve')
  .description('Run everything in this process, with embedded parts for every URL that is not set.')
  .action(async () => finish((await running()).runProcess('serve')))
program
  .command('api')
  .description('Run one of several API processes.')
  .action(async () => finish((await running()).runProcess('api')))
program
  .command('worker')
  .description('Run one of several worker processes, for indexing, enrichment, maintenance and the Forge.')
  .addOption(queuesOption())
  .action(async ({ queues }: { queues: string[] }) => finish((await running()).runProcess('worker', queues)))
program
  .command('migrate')
  .description('Migrate the database of DATABASE_URL.')
  .action(async () => finish((await import('./commands/migrate.js')).migrate()))
program
  .command('doctor')
  .description('Check every dependency and setting and say what is wrong.')
  .action(async () => finish((await import('./doctor/doctor.js')).doctor()))

const keys = program.command('keys').description('Create, list and revoke keys.')
clientCommand(keys.command('create'))
  .description('Create a key and print its text, this once.')
  .requiredOption('--tenant <id>', 'tenant of the key')
  .addOption(new Option('--kind <kind>', 'what the key is bound to').choices(['tenant', 'agent']).default('agent'))
  .option('--agent <id>', 'agent of an agent key')
  .option('--fleet <id>', 'fleet of the agent, or of a tenant key')
  .option('--trust <level>', 'trust level, 0 to 3; by default 1 for an agent key, 2 for a tenant key', wholeNumber)
  .option('--label <text>', 'what the key is for')
  .option('--expires <time>', 'when the key stops being accepted, ISO 8601 with an offset or Z')
  .action((options: CreateOptions & ClientOptions) =>
    withService('admin', options, async (admin) => (await keyCommands()).createKey(admin, options)),
  )
clientCommand(keys.command('list'))
  .description('List keys, newest first.')
  .option('--tenant <id>', 'only keys of this tenant')
  .action((options: TenantOptions) =>
    withService('admin', options, async (admin) => (await keyCommands()).listKeys(admin, options)),
  )
clientCommand(keys.command('revoke <key-id>'))
  .description('Revoke a key. Every process refuses it within a second.')
  .action((keyId: string, options: ClientOptions) =>
    withService('admin', options, async (admin) => (await keyCommands()).revokeKey(admin, keyId)),
  )

addTenantCommands(program)
addMemoryCommands(program)

clientCommand(program.command('import <path>'))
  .description(
    'Write memories from a file of JSON objects, one per line, a chat export or a folder of notes. A second run changes nothing.',
  )
  .addOption(
    new Option('--from <format>', 'format of the source')
      .choices(['jsonl', 'chatgpt', 'claude', 'slack', 'discord', 'telegram', 'markdown'])
      .default('jsonl'),
  )
  .option('--tenant <id>', "tenant; by default the key's own")
  .option('--agent <id>', 'agent that writes, for a tenant key')
  .option('--fleet <id>', 'fleet of the memories')
  .option(
    '--tag <tag>',
    'tag for metadata.tags; may be repeated; not with jsonl',
    (tag, tags: string[]) => [...tags, tag],
    [],
  )
  .addOption(
    new Option('--visibility <visibility>', 'who sees the memories; not with jsonl').choices([
      'scope_agent',
      'scope_team',
      'scope_org',
    ]),
  )
  .option('--dry-run', 'say what would be written, and write nothing; not with jsonl')
  .option('--strict', 'exit with 1 if anything of the source is left out or causes a warning; not with jsonl')
  .addHelpText('after', MEMORY_LINES)
  .action(
    (
      path: string,
      { from, ...options }: ClientOptions & SourceOptions & { readonly from: Format },
      command: Command,
    ) => {
      if (
        from === 'jsonl' &&
        (options.tag?.length || options.visibility !== undefined || options.dryRun || options.strict)
      )
        command.error(
          'cairn: --tag, --visibility, --dry-run and --strict are for chat exports and notes, which --from names',
        )
      return withService(0, options, async (service, on) => {
        if (from === 'jsonl') return (await import('./commands/import-file.js')).importCommand(service, path, on)
        return (await import('./commands/import-from.js')).importFrom(service, { format: from, path }, on)
      })
    },
  )
const documents = program.command('documents').description('Export and import collections of documents.')
clientCommand(documents.command('export <collection>'))
  .description('Write a collection to stdout or into a file, as JSON objects, one per line, by doc_id.')
  .option('--output <file>', 'file to write; an interrupted export continues after its last document')
  .option('--after <doc-id>', 'begin after this document')
  .option('--tenant <id>', "tenant; by default the key's own")
  .option('--fleet <id>', 'only documents of this fleet and of no fleet')
  .action((collection: string, options: ClientOptions & ExportOptions) =>
    withService(0, options, async (service) => {
      const { exportCommand } = await import('./commands/export-documents.js')
      return exportCommand(service, collection, options)
    }),
  )
clientCommand(documents.command('import <collection> <file>'))
  .description('Write documents from a file of JSON objects, one per line. A second run continues, or changes nothing.')
  .option('--tenant <id>', "tenant; by default the key's own")
  .option('--agent <id>', 'agent that writes, for a tenant key')
  .option('--fleet <id>', 'fleet of documents whose lines name none')
  .addHelpText('after', DOCUMENT_LINES)
  .action((collection: string, file: string, options: ClientOptions & ImportOptions) =>
    withService(0, options, async (service) => {
      const { importDocumentsCommand } = await import('./commands/import-documents.js')
      return importDocumentsCommand(service, { collection, file }, options)
    }),
  )
clientCommand(program.command('mcp'))
  .description('Serve the tools for agents over stdin and stdout (Model Context Protocol).')
  .option('--as <agent>', 'acting agent, for a tenant key')
  .option('--start', 'start `cairn serve` in the background if nothing answers on this machine')
  .action(async (options: ClientOptions & { readonly as?: string; readonly start?: boolean }) => {
    if (options.start) await (await import('./start-service.js')).startServiceIfNone(options)
    await withService(1, options, async (service) => {
      const { serveTools } = await import('./commands/mcp.js')
      return serveTools(service, options.as)
    })
  })

const settings = program.command('settings').description("Read and change a tenant's settings.")
clientCommand(settings.command('get [key]'))
  .description('Print one setting, such as memory.pii_policy, or all of them.')
  .option('--tenant <id>', "tenant; by default the key's own, or the only one")
  .action((key: string | undefined, options: TenantOptions) =>
    withService(3, options, async (service, on) => (await settingCommands()).getSettings(service, key, on)),
  )
clientCommand(settings.command('set <key> <value>'))
  .description('Change a setting; null restores its default.')
  .option('--tenant <id>', "tenant; by default the key's own, or the only one")
  .action((key: string, value: string, options: TenantOptions) =>
    withService(3, options, async (service, on) => (await settingCommands()).setSetting(service, key, value, on)),
  )

const rules = program
  .command('keystones')
  .description('List, set and delete the rules that agents get at the start of their sessions.')
ruleCommand(rules.command('list'))
  .description('List the rules that apply, heaviest first: those of the tenant, the fleet and the agent.')
  .option('--fleet <id>', "fleet; by default the key's own")
  .option('--agent <id>', "agent; by default the key's own")
  .option('--json', 'print the whole answer')
  .action((options: ClientOptions & ListOptions) =>
    withService(0, options, async (service) => (await keystones()).listKeystones(service, options)),
  )
ruleCommand(rules.command('set <doc-id>'))
  .description('Write a rule for the tenant, a fleet or an agent, or replace the one with this doc_id.')
  .requiredOption('--title <text>', 'title of the rule')
  .option('--content <text>', 'text of the rule')
  .option('--file <path>', 'file with the text of the rule')
  .addOption(new Option('--weight <weight>', 'weight of the rule').choices(['low', 'med', 'high']).default('med'))
  .option('--fleet <id>', 'only for this fleet')
  .option('--agent <id>', 'only for this agent')
  .action((docId: string, options: ClientOptions & SetOptions) =>
    withService(0, options, async (service) => (await keystones()).setKeystone(service, docId, options)),
  )
ruleCommand(rules.command('delete <doc-id>'))
  .description('Delete a rule; its versions are kept.')
  .action((docId: string, options: TenantOptions) =>
    withService(0, options, async (service) => (await keystones()).deleteKeystone(service, docId, options)),
  )

addSkillCommands(program)
addForgeCommands(program)

clientCommand(buildCommand(program.command('reindex')))
  .description(
    'Enqueue every row for indexing again. With --online, build another index beside this one and switch to it.',
  )
  .option('--tenant <id>', 'only this tenant; not with --online')
  .option('--online', 'build a new index beside the serving one')
  .action((options: TenantOptions & BuildOptions & { readonly online?: boolean }, command: Command) => {
    if (options.online && options.tenant !== undefined)
      command.error('cairn: --tenant cannot be combined with --online, which rebuilds every tenant')
    return withService('admin', options, async (admin) =>
      options.online ? (await indexBuilds()).buildIndex(admin, options) : (await indexing()).reindex(admin, options),
    )
  })
const index = program.command('index').description('Maintain the index.')
clientCommand(index.command('retry'))
  .description('Enqueue failed rows again.')
  .option('--tenant <id>', 'only this tenant')
  .action((options: TenantOptions) =>
    withService('admin', options, async (admin) => (await indexing()).retryFailedRows(admin, options)),
  )
clientCommand(program.command('verify'))
  .description(
    'Compare PostgreSQL with the search index. Exit with 1 if something differs, with 2 if the comparison fails.',
  )
  .option('--tenant <id>', 'only this tenant')
  .option(
    '--sample <n>',
    'compare at most this many rows and entries of each tenant and corpus, 1 to 1000',
    wholeNumber,
  )
  .option('--seed <n>', 'choose the same sample again', wholeNumber)
  .option('--repair', 'enqueue what differs')
  .option('--json', 'print the whole result')
  .action((options: ClientOptions & VerifyOptions) =>
    withService('admin', options, async (admin) => (await import('./commands/verify.js')).verify(admin, options)).catch(
      exitWith(2),
    ),
  )
clientCommand(program.command('enrich'))
  .description('Let the language model read the memories that it has not read yet. A second run continues.')
  .option('--tenant <id>', 'only this tenant')
  .option('--retry-failed', 'include memories for which the model gave no usable answer')
  .option('--status', 'only show the progress')
  .action((options: TenantOptions & EnrichOptions) =>
    withService('admin', options, async (admin) => (await import('./commands/enrich.js')).enrich(admin, options)),
  )
const embed = program.command('embed').description('Manage the embedding model.')
clientCommand(buildCommand(embed.command('migrate')))
  .description('Build another index with the vectors of another model, and switch to it.')
  .requiredOption('--to <model>', 'builtin, builtin:en, local:NAME, or a model of EMBEDDINGS_URL')
  .action((options: ClientOptions & BuildOptions & { readonly to: string }) =>
    withService('admin', options, async (admin) =>
      (await indexBuilds()).buildIndex(admin, { ...options, model: options.to }),
    ),
  )
for (const group of [index, embed]) {
  clientCommand(group.command('status'))
    .description('List present and past indices, with their models and progress.')
    .action((options: ClientOptions) =>
      withService('admin', options, async (admin) => (await indexBuilds()).showBuilds(admin)),
    )
  for (const [name, from, description] of [
    ['switch', 'ready', 'Switch to the ready index; the serving one is kept.'],
    ['back', 'kept', 'Switch back to the kept index.'],
  ] as const)
    clientCommand(group.command(name))
      .description(description)
      .action((options: ClientOptions) =>
        withService('admin', options, async (admin) => (await indexBuilds()).switchIndex(admin, from)),
      )
  clientCommand(group.command('drop'))
    .description('Drop the index that does not serve: the one being built, or the kept one.')
    .action((options: ClientOptions) =>
      withService('admin', options, async (admin) => (await indexBuilds()).dropIndex(admin)),
    )
}

function buildCommand(command: Command): Command {
  return command
    .option('--hold', 'leave the finished index ready, for `cairn index switch`')
    .option('--no-wait', 'do not wait for the end of the build')
}

function ruleCommand(command: Command): Command {
  return clientCommand(command)
    .option('--tenant <id>', "tenant; by default the key's own")
    .option('--as <agent>', 'acting agent, for a tenant key')
}

function queuesOption(): Option {
  return new Option('--queues <names>', 'queues to process, separated by commas')
    .default([...QUEUES], QUEUES.join(','))
    .argParser((text) => text.split(',').map((name) => name.trim()))
}

try {
  await program.parseAsync(process.argv)
} catch (error) {
  process.exitCode = error instanceof CommanderError ? endOfCommandLine(error) : reportFailure(error)
}

/**
 * Returns the exit code. Commander has already printed what is wrong; for a wrong value, the help would add nothing.
 */
function endOfCommandLine({ code, exitCode }: CommanderError): number {
  if (exitCode === 0) return 0
  const isMisspelt = /^commander\.(unknown|excess|missing)/.test(code)
  if (isMisspelt) console.error('`cairn --help` lists the commands, and `cairn COMMAND --help` says what one takes.')
  return 2
}
