import { ConflictError } from '../../client/index.js'
import type { components } from '../../contract/types.js'
import { counted } from '../../runtime/counted.js'
import { CommandError, inTermsOf } from '../failure.js'
import { memoryTable } from '../memory-table.js'
import { printable, printableLines, printJson } from '../printable.js'
import type { ServiceClient } from '../service-client.js'
import { tenantOf } from './tenant.js'
import { reportUnseenFleet } from './unseen-fleet.js'

type Schemas = components['schemas']
type Memory = Schemas['Memory']

/** The options of every command about memories of an agent or a fleet. */
export interface MemoryOptions {
  readonly tenant?: string
  readonly agent?: string
  readonly fleet?: string
  readonly json?: boolean
}

export interface RememberOptions extends MemoryOptions {
  readonly type?: Schemas['CallerMemoryType']
  readonly title?: string
  readonly run?: string
  readonly visibility?: Schemas['Visibility']
}

/** Writes one memory and says which it is, and which it superseded. */
export async function remember(service: ServiceClient, content: string, options: RememberOptions): Promise<void> {
  const body = {
    tenant_id: await tenantOf(service, options),
    content,
    agent_id: options.agent,
    fleet_id: options.fleet,
    memory_type: options.type,
    title: options.title,
    run_id: options.run,
    visibility: options.visibility,
  }
  const memory = await service
    .createMemory(body)
    .catch(knownAlready)
    .catch(inTermsOf({ content: 'the text' }))
  if (options.json) return printJson(memory)
  console.log(`Memory ${memory.id} is stored.`)
  await reportUnseenFleet(service, options.fleet)
  for (const { old_memory_id, old_status } of memory.superseded_by)
    console.log(`Memory ${old_memory_id} is ${old_status} now.`)
}

function knownAlready(error: unknown): never {
  const known = error instanceof ConflictError ? error.details.existing_id : undefined
  if (typeof known === 'string') throw new CommandError(`this is remembered already: memory ${known}.`)
  throw error
}

export interface MemoriesOptions extends MemoryOptions {
  readonly type?: Schemas['MemoryType']
  readonly status?: Schemas['MemoryStatus']
  readonly visibility?: Schemas['Visibility']
  readonly run?: string
  readonly language?: string
  readonly after?: string
  readonly before?: string
  readonly unusedSince?: string
  readonly recalled?: 'ever' | 'never'
  readonly sort?: 'created_at' | 'weight' | 'recall_count' | 'last_recalled_at'
  readonly order?: 'asc' | 'desc'
  readonly knownAt?: string
  readonly filter?: Record<string, unknown>
  readonly limit: number
}

/** Pages of a list have at most this many items. */
const LARGEST_PAGE = 200

/** Returns the first items of a list of the tenant, as many as the option says. */
export async function firstOf<Item>(
  service: ServiceClient,
  options: Pick<MemoryOptions, 'tenant'> & { readonly limit: number },
  listOf: (page: { tenant_id: string; limit: number }) => AsyncIterable<Item>,
): Promise<Item[]> {
  if (options.limit === 0) throw new CommandError('--limit: it must be at least 1.', 2)
  const page = { tenant_id: await tenantOf(service, options), limit: Math.min(options.limit, LARGEST_PAGE) }
  const found: Item[] = []
  for await (const item of listOf(page)) {
    found.push(item)
    if (found.length === options.limit) break
  }
  return found
}

/** Prints the newest memories that the caller may see and that match, at most `limit`. */
export async function listMemories(service: ServiceClient, options: MemoriesOptions): Promise<void> {
  const found = await firstOf(service, options, (page) =>
    service.listMemories({
      ...page,
      agent_id: options.agent,
      fleet_id: options.fleet,
      memory_type: options.type,
      status: options.status,
      visibility: options.visibility,
      run_id: options.run,
      language: options.language,
      created_after: options.after,
      created_before: options.before,
      unused_since: options.unusedSince,
      recalled: options.recalled,
      sort: options.sort,
      order: options.order,
      known_at: options.knownAt,
      filter: options.filter && JSON.stringify(options.filter),
    }),
  )
  if (options.json) return printJson(found)
  const count = counted(found.length, 'memory', 'memories')
  if (found.length === 0) return console.log(count)
  console.log(`${memoryTable(found, { head: 'id', width: 38, valueOf: ({ id }) => id })}\n${count}`)
}

export interface GetOptions extends Pick<MemoryOptions, 'tenant' | 'json'> {
  readonly knownAt?: string
}

/** Prints a memory: each field that has a value on a line, then the text. */
export async function getMemory(service: ServiceClient, id: string, options: GetOptions): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const memory = await service.getMemory({ tenant_id, memory_id: id, known_at: options.knownAt })
  if (options.json) return printJson(memory)
  const { content, ...fields } = memory
  for (const [name, value] of Object.entries(fields)) {
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    if (!EMPTY.has(text)) console.log(printable(`${name}: ${text}`))
  }
  console.log(`\n${printableLines(content)}`)
}

const EMPTY = new Set(['null', '[]', '{}'])

export interface VersionsOptions extends Pick<MemoryOptions, 'tenant' | 'json'> {
  readonly limit: number
}

/** Prints the newest versions of a memory, at most `limit`. */
export async function listVersions(service: ServiceClient, id: string, options: VersionsOptions): Promise<void> {
  const found = await firstOf(service, options, (page) => service.listMemoryVersions({ ...page, memory_id: id }))
  if (options.json) return printJson(found)
  const head = { head: 'version', width: 9, valueOf: ({ version }: Memory) => String(version) }
  console.log(`${memoryTable(found, head)}\n${counted(found.length, 'version')}`)
}

/** Restores one version, and says which number the memory has now. */
export async function restoreVersion(
  service: ServiceClient,
  id: string,
  version: number,
  options: Pick<MemoryOptions, 'tenant' | 'json'>,
): Promise<void> {
  const tenant_id = await tenantOf(service, options)
  const memory = await service.restoreMemoryVersion({ tenant_id, memory_id: id, version })
  if (options.json) return printJson(memory)
  console.log(`Memory ${memory.id} is as in version ${version}. Its version is ${memory.version} now.`)
}

export interface ArchiveOptions extends Pick<MemoryOptions, 'tenant' | 'json'> {
  readonly unusedSince: string
  readonly maxWeight?: number
  readonly maxRecalls?: number
  readonly filter?: Schemas['ArchiveRule']['filter']
  readonly yes?: boolean
}

/** Prints what a rule would archive; with `yes`, archives all of it, some memories at a time. */
export async function archiveMemories(service: ServiceClient, options: ArchiveOptions): Promise<void> {
  const rule = {
    tenant_id: await tenantOf(service, options),
    unused_since: options.unusedSince,
    max_weight: options.maxWeight,
    max_recalls: options.maxRecalls,
    filter: options.filter,
  }
  const first = await service.archiveMemories({ ...rule, dry_run: !options.yes })
  let { archived } = first
  for (let last = first; options.yes && last.archived > 0 && last.remaining > 0; archived += last.archived)
    last = await service.archiveMemories({ ...rule, dry_run: false })
  if (options.json) return printJson({ ...first, archived, remaining: first.matched - archived })
  const types = first.by_type.map(({ memory_type, count }) => `${count} ${memory_type}`).join(', ')
  const count = counted(first.matched, 'memory', 'memories')
  const table = memoryTable(first.oldest, { head: 'id', width: 38, valueOf: ({ id }) => id })
  if (first.oldest.length > 0) console.log(`${table}\n`)
  console.log(`${count} ${first.matched === 1 ? 'meets' : 'meet'} the rule${types === '' ? '' : ` (${types})`}.`)
  if (options.yes) console.log(`${counted(archived, 'memory', 'memories')} archived.`)
  else if (first.matched > 0) console.log('With --yes they are archived.')
}
