import type { components } from '../../contract/types.js'
import { CommandError } from '../failure.js'
import type { ServiceClient } from '../service-client.js'
import { digestOf, type InstallableFile, isFile } from './installable-file.js'

type Schemas = components['schemas']

/** An active skill as the service lists it for harnesses; its content is absent when the caller has it. */
export type InstallableSkill = Readonly<
  Pick<
    Schemas['InstallableSkill'],
    | 'doc_id'
    | 'slug'
    | 'name'
    | 'description'
    | 'source'
    | 'version'
    | 'content_hash'
    | 'content'
    | 'front_matter'
    | 'files'
  >
>

/** Returns the bytes of a skill's file. Throws CommandError when they are others than those that were listed. */
export type ReadSkillFile = (skill: InstallableSkill, file: InstallableFile) => Promise<Uint8Array>

type InstallablePage = Omit<Schemas['InstallablePage'], 'items'> & { readonly items: readonly InstallableSkill[] }

export interface Listing {
  readonly items: readonly InstallableSkill[]
  /** False when skills may be active that are not among the items. */
  readonly isComplete: boolean
}

/** Content hashes by `doc_id`. */
type KnownContents = ReadonlyMap<string, string>

/** The active skills of a tenant, or of one fleet of it and of no fleet. */
export interface SkillCatalogue {
  /**
   * Lists the skills; those that are known come without their contents. Rejects without any item when a page is not
   * answered.
   */
  list(known: KnownContents): Promise<Listing>
  /**
   * Returns the last complete listing, without any contents, when the service says that it still holds; null otherwise.
   */
  unchanged(): Promise<Listing | null>
  readonly readFile: ReadSkillFile
}

interface Selection {
  readonly tenantId: string
  readonly fleetId?: string | undefined
  /** Cancels requests. */
  readonly signal?: AbortSignal | undefined
}

const PAGE_SIZE = 200
/** Known contents in one request: several pages of them, and far from the largest body that the service reads. */
const MAX_KNOWN = 1_000
/** Walks through a catalogue that changes meanwhile, before it is taken as it is. */
const MAX_WALKS = 3

export function createSkillCatalogue(service: ServiceClient, { tenantId, fleetId, signal }: Selection): SkillCatalogue {
  let last: (Listing & { readonly etag: string }) | null = null

  async function page(cursor: string | null, limit: number, known: KnownContents) {
    const args = {
      tenant_id: tenantId,
      fleet_id: fleetId,
      cursor: cursor ?? undefined,
      limit,
      known: Object.fromEntries([...known].slice(0, MAX_KNOWN)),
    }
    return checkedPage(await service.listInstallable(args, { signal }))
  }

  async function readEtag(): Promise<string> {
    return (await page(null, 1, new Map())).etag
  }

  /** Reads every page. The etag is null when the catalogue changed meanwhile. */
  async function walk(known: KnownContents) {
    const items: InstallableSkill[] = []
    // The service lists by doc_id: what comes next is known first.
    const unlisted = new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)))
    const cursors = new Set<string>()
    const etags = new Set<string>()
    for (let cursor: string | null = null; ;) {
      const answer: InstallablePage = await page(cursor, PAGE_SIZE, unlisted)
      items.push(...answer.items)
      for (const { doc_id } of answer.items) unlisted.delete(doc_id)
      etags.add(answer.etag)
      cursor = answer.next_cursor
      if (cursor === null) {
        // A skill that came back behind the walk is not among its pages, and must not be taken for one that is gone.
        if (cursors.size > 0) etags.add(await readEtag())
        const etag = etags.size === 1 ? answer.etag : null
        return { items, isComplete: answer.complete && etag !== null, etag }
      }
      if (cursors.has(cursor)) throw misunderstood('a cursor that leads back to itself')
      cursors.add(cursor)
    }
  }

  return {
    async list(known) {
      let listing = await walk(known)
      for (let walks = 1; listing.etag === null && walks < MAX_WALKS; walks++) listing = await walk(known)
      const { items, isComplete, etag } = listing
      last = isComplete && etag !== null ? { items: items.map(withoutContent), isComplete, etag } : null
      return { items, isComplete }
    },
    async unchanged() {
      if (last === null) return null
      return (await readEtag()) === last.etag ? last : null
    },
    async readFile({ doc_id: slug }, { path, hash }) {
      const { body } = await service.request('getSkillFile', { tenant_id: tenantId, slug, path }, { signal })
      if (body === undefined || digestOf(body) !== hash)
        throw new CommandError(`${slug} has changed since it was listed (${path}); try again.`)
      return body
    },
  }
}

function withoutContent({ content: _, ...skill }: InstallableSkill): InstallableSkill {
  return skill
}

const TEXTS = ['doc_id', 'slug', 'name', 'description', 'source', 'content_hash'] as const

/** Throws CommandError for an answer that is not a page of skills: a service of another version, or another program. */
function checkedPage(body: unknown): InstallablePage {
  const { items, next_cursor, complete, etag } = (body ?? {}) as Partial<Record<keyof InstallablePage, unknown>>
  if (!Array.isArray(items)) throw misunderstood('no items')
  if (next_cursor !== null && typeof next_cursor !== 'string') throw misunderstood('no next_cursor')
  if (typeof complete !== 'boolean' || typeof etag !== 'string') throw misunderstood('no complete or no etag')
  for (const item of items as (Record<string, unknown> | null)[]) {
    const missing = TEXTS.find((field) => typeof item?.[field] !== 'string')
    if (missing !== undefined) throw misunderstood(`a skill without ${missing}`)
    if (!Number.isInteger(item!.version)) throw misunderstood(`a skill without version`)
    if (!['string', 'undefined'].includes(typeof item!.content)) throw misunderstood('a content that is no text')
    if (item!.front_matter !== null && typeof item!.front_matter !== 'string')
      throw misunderstood('a skill without front_matter')
    if (!Array.isArray(item!.files) || !item!.files.every(isFile)) throw misunderstood('files that are none')
  }
  return { items: items as InstallableSkill[], next_cursor, complete, etag }
}

function misunderstood(what: string): CommandError {
  return new CommandError(`the service answers the listing of skills with ${what}: is it of another version?`)
}
