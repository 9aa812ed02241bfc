import { relative } from 'node:path'
import { type Arguments, CairnError, ServiceError } from '../../client/index.js'
import { counted } from '../../runtime/counted.js'
import { describeFailure } from '../failure.js'
import { printable } from '../printable.js'
import { formatFault } from '../../domain/skills/format-fault.js'
import { retryOptions, type ServiceClient } from '../service-client.js'
import { describeFileError, isFileError } from '../skills/file-errors.js'
import { type ImportedTexts, textsOf } from '../skills/imported-skill.js'
import { findFolders, type FoundFolder, readFolder, type ReadFolder } from '../skills/read-folders.js'
import { CommandError } from '../failure.js'
import { tenantOf } from './tenant.js'

export interface ImportSkillsOptions {
  readonly dryRun?: boolean
  readonly tenant?: string
  readonly fleet?: string
  /** The acting agent, for a tenant key. */
  readonly as?: string
}

/** The outcome of one folder. */
interface Line {
  readonly outcome: 'imported' | 'updated' | 'unchanged' | 'refused'
  readonly detail: string
}

/** A skill as the service has it. */
interface Stored {
  readonly status: string
  readonly content_hash: string
  readonly texts: Readonly<Record<string, unknown>>
  readonly files: readonly { readonly path: string; readonly hash: string; readonly executable: boolean }[]
}

const UNREADABLE_LIMIT = 160

/**
 * Writes each folder with a SKILL.md below a directory as a skill, whole, and prints a line for each. What the service has already is
 * left as it is, so that an import that was interrupted goes on when it is repeated. Resolves to the exit code: 1 when one was refused.
 */
export async function importSkills(
  service: ServiceClient,
  directory: string,
  options: ImportSkillsOptions,
): Promise<number> {
  const folders = await findFolders(directory).catch((error: unknown) => {
    throw isFileError(error) ? new CommandError(describeFileError(error)) : error
  })
  if (folders.length === 0) throw new CommandError(`no folder with a SKILL.md is in ${directory}.`)
  const importer = await createImporter(service, options)
  const counts = { imported: 0, updated: 0, unchanged: 0, refused: 0 }
  for (const folder of folders) {
    const { outcome, detail } = await importer(folder)
    counts[outcome]++
    const name = relative(directory, folder.path) || folder.name
    console.log(printable(`${outcome.padEnd(9)} ${name}: ${detail}`))
  }
  const { imported, updated, unchanged, refused } = counts
  const would = options.dryRun ? ' (dry run)' : ''
  console.log(
    `${counted(imported, 'skill')} imported, ${updated} updated, ${unchanged} unchanged, ${refused} refused${would}.`,
  )
  return refused === 0 ? 0 : 1
}

async function createImporter(service: ServiceClient, options: ImportSkillsOptions) {
  const tenant_id = await tenantOf(service, options)
  const call = { ...retryOptions(), agentId: options.as }
  const trust = service.isAdmin ? 3 : (await service.whoami({}, call)).trust_level
  const source = service.isAdmin ? 'imported' : trust >= 3 ? 'manual' : 'agent'
  const settings = trust >= 3 ? await service.getSettings({ tenant_id }, call) : null
  const mostBytes = settings?.skills_factory.description_max_bytes ?? UNREADABLE_LIMIT
  const seen = new Map<string, string>()

  async function find(docId: string): Promise<Stored | null> {
    const waiting = trust >= 3 ? await ifFound(() => service.getInboxSkill({ tenant_id, slug: docId }, call)) : null
    if (waiting) return { ...waiting, texts: waiting as never, files: waiting.files }
    const active = await ifFound(() => service.getDocument({ tenant_id, collection: 'skills', doc_id: docId }, call))
    if (!active) return null
    const data = active.data as unknown as Stored
    return { ...data, texts: data as never }
  }

  async function write(docId: string, texts: ImportedTexts, { files }: ReadFolder, target: string | null) {
    const kind = target === null ? { kind: 'create' } : { kind: 'update', target: { target_content_hash: target } }
    const args = {
      ...{ tenant_id, collection: 'skills', doc_id: docId, fleet_id: options.fleet },
      data: { ...texts, source, ...kind },
      files: files.map(({ path, bytes, isExecutable }) => ({
        ...{ path, content_base64: bytes.toString('base64'), executable: isExecutable },
      })),
    }
    return service.putDocument(args as Arguments<'putDocument'>, call)
  }

  /** Writes an agent's skill, of which the agent cannot see what waits: the refusal of a creation tells what it would revise. */
  async function writeUnseen(docId: string, texts: ImportedTexts, folder: ReadFolder) {
    try {
      return await write(docId, texts, folder, null)
    } catch (error) {
      if (!isConflict(error)) throw error
      const current = await write(docId, texts, { ...folder, files: [] }, NO_HASH).catch((refusal: unknown) => refusal)
      const hash = isConflict(current) ? detailsOf(current).content_hash : undefined
      if (typeof hash !== 'string') throw error
      return write(docId, texts, folder, hash)
    }
  }

  async function importFolder(found: FoundFolder): Promise<Line> {
    const folder = await readFolder(found)
    if (typeof folder === 'string') return refused(folder)
    const texts = textsOf(folder, found.name, mostBytes)
    const docId = source === 'agent' ? `agent/${texts.slug}` : texts.slug
    const named = [docId, ...remarksOn(found, texts)].join(', ')
    const other = seen.get(docId)
    if (other !== undefined) return refused(`${docId} was taken from ${other} already.`)
    seen.set(docId, found.path)
    const stored = await find(docId)
    if (stored && isSame(stored, texts, folder)) return { outcome: 'unchanged', detail: `${named}, ${stored.status}` }
    const outcome = stored ? 'updated' : 'imported'
    if (options.dryRun) return { outcome, detail: named }
    const answer = stored
      ? await write(docId, texts, folder, stored.content_hash)
      : await writeUnseen(docId, texts, folder)
    return { outcome, detail: `${named}, ${describeStatus(answer.data)}` }
  }

  return async (found: FoundFolder): Promise<Line> => {
    try {
      return await importFolder(found)
    } catch (error) {
      if (isFileError(error)) return refused(describeFileError(error))
      if (error instanceof ServiceError && error.status < 500 && error.status !== 401 && error.status !== 429)
        return refused(describeFailure(error))
      throw error
    }
  }
}

/** Returns what becomes of a folder that is not as the format has it. */
function remarksOn({ name }: FoundFolder, { slug, front_matter }: ImportedTexts): string[] {
  const fault = formatFault(front_matter)
  return [
    ...(slug === name ? [] : [`since ${name} is no name of the format`]),
    ...(fault === null ? [] : [`not in lists of MCP, since ${fault}`]),
  ]
}

const NO_HASH = `sha256:${'0'.repeat(64)}`

function refused(why: string): Line {
  return { outcome: 'refused', detail: why }
}

async function ifFound<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return null
    throw error
  }
}

function isConflict(error: unknown): error is ServiceError {
  return error instanceof CairnError && error instanceof ServiceError && error.status === 409
}

function detailsOf({ body }: ServiceError): Readonly<Record<string, unknown>> {
  return (body as { error?: { details?: Record<string, unknown> } } | null)?.error?.details ?? {}
}

const COMPARED = ['name', 'description', 'summary', 'content', 'domain', 'front_matter'] as const

function isSame({ texts, files }: Stored, written: ImportedTexts, folder: ReadFolder): boolean {
  const listOf = (all: readonly (readonly [string, string, boolean])[]) => JSON.stringify([...all].map(String).sort())
  return (
    COMPARED.every((key) => (texts[key] ?? null) === written[key]) &&
    listOf(files.map(({ path, hash, executable }) => [path, hash, executable])) ===
      listOf(folder.files.map(({ path, hash, isExecutable }) => [path, hash, isExecutable]))
  )
}

function describeStatus(data: Readonly<Record<string, unknown>>): string {
  const { status, scan, files } = data as {
    status: string
    scan: { state: string; findings: readonly { message: string; field: string }[] }
    files: Stored['files']
  }
  if (scan.state === 'pending') return 'pending: its scan is not done'
  const [finding] = scan.findings
  if (status === 'quarantined' || scan.state === 'flagged')
    return `${scan.state}${finding ? `: ${placeOf(finding.field, files)}${finding.message}` : ''}`
  return status === 'staged' ? 'waits for a review' : status
}

/** Returns where a finding is, with a colon: the file by its path; nothing for the skill as a whole. */
function placeOf(field: string, files: Stored['files']): string {
  const [, index] = /^support_files\[(\d+)\]/.exec(field) ?? []
  const place = files[Number(index)]?.path ?? field
  return place === '' ? '' : `${place}: `
}
