import { containsPhrase } from '../../domain/enrichment/grounding.js'
import { embeddedText, nameKey } from '../../domain/text/memory-text.js'
import { namesIn } from '../../domain/text/names/names-in.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
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
import type { OperatingContext } from '../operating-context.js'

const PAGE_SIZE = 500
/** Ids of a page that is only counted, once the time is up. */
const COUNTED_PAGE_SIZE = 10_000
const LOWEST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * `read`: the links of the memory agree with its text. `undecided`: its text contains the name, and a language model is still to read it.
 * `unreadable`: the name search fails on its text.
 */
type ReadState = 'read' | 'undecided' | 'unreadable'

interface UnreadOptions {
  /** True to update the links, so that the memories are selected by them; false to count the memories only. */
  readonly links: boolean
  /** Unix milliseconds. Memories that are not read by then are counted. */
  readonly until: number
  readonly signal: AbortSignal
}

/**
 * Searches the texts that neither the indexing job nor a language model has read yet for the name of one entity, as these jobs would do.
 * Waits for neither. May be called repeatedly: it reads only what has changed since the last call.
 */
export class UnreadMemories {
  readonly #known = new Map<string, { readonly seq: number; readonly state: ReadState }>()

  constructor(
    private readonly context: OperatingContext,
    private readonly tenantId: string,
    readonly entity: ErasedEntity,
  ) {}

  /**
   * Returns the number of memories that may be about the entity without being linked to it: those that were not read in time, those that
   * contain the name and wait for a language model and, when `links` is false, those that should be linked.
   */
  async find({ links, until, signal }: UnreadOptions): Promise<number> {
    const { store, clock } = this.context
    let left = 0
    for (const source of UNREAD_SOURCES)
      for (let after = LOWEST_ID; ;) {
        signal.throwIfAborted()
        const isLate = clock.now() >= until
        const page = { after, limit: isLate ? COUNTED_PAGE_SIZE : PAGE_SIZE }
        const ids = await store.read({ tenantId: this.tenantId }, (reader) => readUnreadIds(reader, source, page))
        left += isLate ? this.#countUnfinished(source, ids) : await this.#readPage(source, ids, links)
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
    const found = await new Slices().run(this.#look(source, memories, seqs))
    const there = ids.filter((one) => this.#stateOf(source, one) !== undefined)
    return (
      this.#countUnfinished(source, there) +
      (links ? await this.#link(source, found) : found.filter(({ name }) => name !== null).length)
    )
  }

  /** Notes what is known of the memories, and returns the links that are to be updated. */
  *#look(
    source: UnreadSource,
    memories: readonly UnreadMemory[],
    seqs: ReadonlyMap<string, number>,
  ): Yielding<FoundName[]> {
    const found: FoundName[] = []
    for (const memory of memories) {
      const { memoryId, version } = memory
      const name = source === 'enrich' ? undefined : this.#nameIn(memory)
      const state =
        source === 'enrich' ? this.#stateForLanguageModel(memory) : name === undefined ? 'unreadable' : 'read'
      const isLinkOutdated = name === null ? memory.isFound : !memory.isFound && !memory.isAbout
      if (name !== undefined && isLinkOutdated) found.push({ memoryId, version, name })
      this.#known.set(`${source} ${memoryId}`, { seq: seqs.get(memoryId)!, state })
      yield
    }
    return found
  }

  /** Updates links. Returns the number of memories that have changed since they were read and must be read again. */
  async #link(source: UnreadSource, found: readonly FoundName[]): Promise<number> {
    const linked = await this.context.store.transact({ tenantId: this.tenantId }, (writer) =>
      linkFound(writer, this.entity.id, found),
    )
    const changed = found.filter(({ memoryId }) => !linked.has(memoryId))
    for (const { memoryId } of changed) this.#known.delete(`${source} ${memoryId}`)
    return changed.length
  }

  /** Returns the entity's name as the indexing job would find it; null when it would not find it, undefined when it fails on the text. */
  #nameIn(memory: UnreadMemory): FoundName['name'] | undefined {
    try {
      const names = namesIn(embeddedText(memory), memory.seenFrom.getTime(), memory.language)
      return names.find(({ name }) => nameKey(name) === this.entity.nameKey) ?? null
    } catch {
      return undefined
    }
  }

  /** Returns the number of memories that are not `read`. */
  #countUnfinished(source: UnreadSource, ids: readonly UnreadId[]): number {
    return ids.filter((one) => this.#stateOf(source, one) !== 'read').length
  }

  /** Returns the state of a memory, or undefined when it has not been read since it changed. */
  #stateOf(source: UnreadSource, { id, seq }: UnreadId): ReadState | undefined {
    const known = this.#known.get(`${source} ${id}`)
    return known?.seq === seq ? known.state : undefined
  }

  /** Returns the state of a memory that a language model is still to read. */
  #stateForLanguageModel(memory: UnreadMemory): ReadState {
    if (memory.isAbout || memory.isFound) return 'read'
    return containsPhrase(embeddedText(memory), this.entity.nameKey) ? 'undecided' : 'read'
  }
}

/** Returns undefined when the selector is no entity, or the entity does not exist any more: then no memory is linked to it. */
export async function openUnread(
  context: OperatingContext,
  tenantId: string,
  selector: ErasureSelector,
): Promise<UnreadMemories | undefined> {
  if (!('subjectEntityId' in selector)) return undefined
  const { subjectEntityId: id } = selector
  const entity = await context.store.read({ tenantId }, (reader) => findErasedEntity(reader, id))
  return entity && new UnreadMemories(context, tenantId, entity)
}

const COUNT_DEADLINE_MS = 30_000

/** Counts the unread memories that may be about the entity of a selector. Changes no links. */
export async function countUnreadAbout(
  context: OperatingContext,
  tenantId: string,
  selector: ErasureSelector,
  signal: AbortSignal,
): Promise<number> {
  const unread = await openUnread(context, tenantId, selector)
  return (await unread?.find({ links: false, until: context.clock.now() + COUNT_DEADLINE_MS, signal })) ?? 0
}
