import { standsIn } from '../../domain/enrichment/grounding.js'
import { embeddedText, nameKey } from '../../domain/text/memory-text.js'
import { namesIn } from '../../domain/text/names/names-in.js'
import { createTurns } from '../../runtime/turns.js'
import {
  type ErasedEntity,
  findErasedEntity,
  type FoundName,
  linkFound,
  readUnread,
  readUnreadIds,
  UNREAD_SOURCES,
  type UnreadId,
  type UnreadMemory,
  type UnreadSource,
} from '../../store/erasure/unread.js'
import type { ErasureSelector } from '../../store/erasure/erasures.js'
import type { ApiContext } from '../context.js'

const PAGE = 500
/** Ids of a page whose texts are not read any more. */
const COUNTED_PAGE = 10_000
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'

/** Returns true when a memory is dealt with: its links say what its text does, or only a language model that is to read it will tell. */
type State = 'read' | 'undecided' | 'unreadable'

export interface UnreadOptions {
  /** True when the links are brought up to date, so that the memories are selected as linked; else they are only counted. */
  readonly links: boolean
  /** Unix milliseconds; what is not read by then is counted. */
  readonly until: number
  readonly signal: AbortSignal
}

/**
 * Reads the texts that neither the indexing job nor a language model has read, for the name of one entity, as they would. Nothing that is
 * away is waited for. May be asked again and again: it reads only what has changed since.
 */
export class UnreadMemories {
  readonly #known = new Map<string, { readonly seq: number; readonly state: State }>()

  constructor(
    private readonly context: ApiContext,
    private readonly tenantId: string,
    readonly entity: ErasedEntity,
  ) {}

  /**
   * Returns how many memories may be about the entity without saying so: those that were not read in time, that wait for a language model
   * and hold the name, or, where nothing is linked, that should be.
   */
  async find({ links, until, signal }: UnreadOptions): Promise<number> {
    const { store, clock } = this.context
    let left = 0
    for (const source of UNREAD_SOURCES)
      for (let after = BEFORE_ALL; ;) {
        signal.throwIfAborted()
        const isLate = clock.now() >= until
        const page = { after, limit: isLate ? COUNTED_PAGE : PAGE }
        const ids = await store.read({ tenantId: this.tenantId }, (reader) => readUnreadIds(reader, source, page))
        left += isLate ? this.#undone(source, ids) : await this.#readPage(source, ids, links)
        if (ids.length < page.limit) break
        after = ids.at(-1)!.id
      }
    return left
  }

  async #readPage(source: UnreadSource, ids: readonly UnreadId[], links: boolean): Promise<number> {
    const { store } = this.context
    const seqs = new Map(ids.map(({ id, seq }) => [id, seq]))
    const wanted = ids.filter((one) => this.#stateOf(source, one) === undefined).map(({ id }) => id)
    const memories = await store.read({ tenantId: this.tenantId }, (reader) =>
      readUnread(reader, this.entity.id, wanted),
    )
    const found: FoundName[] = []
    const turn = createTurns()
    for (const memory of memories) {
      const { memoryId, version } = memory
      const name = source === 'enrich' ? undefined : this.#nameIn(memory)
      const state = source === 'enrich' ? this.#stateBeside(memory) : name === undefined ? 'unreadable' : 'read'
      const isNews = name === null ? memory.isFound : !memory.isFound && !memory.isAbout
      if (name !== undefined && isNews) found.push({ memoryId, version, name })
      this.#known.set(`${source} ${memoryId}`, { seq: seqs.get(memoryId)!, state })
      await turn()
    }
    const there = ids.filter((one) => this.#stateOf(source, one) !== undefined)
    return (
      this.#undone(source, there) +
      (links ? await this.#link(source, found) : found.filter(({ name }) => name !== null).length)
    )
  }

  /** Returns how many have changed since they were read, and are to be read again. */
  async #link(source: UnreadSource, found: readonly FoundName[]): Promise<number> {
    const linked = await this.context.store.transact({ tenantId: this.tenantId }, (writer) =>
      linkFound(writer, this.entity.id, found),
    )
    const changed = found.filter(({ memoryId }) => !linked.has(memoryId))
    for (const { memoryId } of changed) this.#known.delete(`${source} ${memoryId}`)
    return changed.length
  }

  /** Returns the name as the indexing job would find it, null where it would not, undefined where it fails at the text. */
  #nameIn(memory: UnreadMemory): FoundName['name'] | undefined {
    try {
      const names = namesIn(embeddedText(memory), memory.seenFrom.getTime())
      return names.find(({ name }) => nameKey(name) === this.entity.nameKey) ?? null
    } catch {
      return undefined
    }
  }

  /** Counts those that are not dealt with. */
  #undone(source: UnreadSource, ids: readonly UnreadId[]): number {
    return ids.filter((one) => this.#stateOf(source, one) !== 'read').length
  }

  /** Returns undefined for what has not been read since it changed. */
  #stateOf(source: UnreadSource, { id, seq }: UnreadId): State | undefined {
    const known = this.#known.get(`${source} ${id}`)
    return known?.seq === seq ? known.state : undefined
  }

  /** Returns what becomes of a memory that a language model is still to read. */
  #stateBeside(memory: UnreadMemory): State {
    if (memory.isAbout || memory.isFound) return 'read'
    return standsIn(embeddedText(memory), this.entity.nameKey) ? 'undecided' : 'read'
  }
}

/** Undefined where no entity is asked for, or none is left: what has no entity is linked to none. */
export async function openUnread(
  context: ApiContext,
  tenantId: string,
  selector: ErasureSelector,
): Promise<UnreadMemories | undefined> {
  if (!('subjectEntityId' in selector)) return undefined
  const { subjectEntityId: id } = selector
  const entity = await context.store.read({ tenantId }, (reader) => findErasedEntity(reader, id))
  return entity && new UnreadMemories(context, tenantId, entity)
}

const COUNT_MS = 30_000

/** Counts unread memories that may be about the entity of a selector, and links none. */
export async function countUnreadAbout(
  context: ApiContext,
  tenantId: string,
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<number> {
  const unread = await openUnread(context, tenantId, selector)
  return (await unread?.find({ links: false, until: context.clock.now() + COUNT_MS, signal })) ?? 0
}
