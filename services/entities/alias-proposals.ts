import type { Principal } from '../../domain/principal.js'
import { type AliasReason, aliasesIn, shortForms } from '../../domain/text/names/aliases.js'
import type { Audience } from '../../domain/visibility.js'
import type { Yielding } from '../../domain/yielding.js'
import { NotFoundError } from '../../runtime/errors.js'
import { Slices } from '../../runtime/slices.js'
import {
  findEntity,
  readNames,
  readSeenByKeys,
  readSeenByWord,
  readSeenTexts,
  type SeenEntity,
  type SeenText,
} from '../../store/entities.js'
import type { Reader, Store } from '../../store/store.js'

/** An entity that may be another name of the same thing. */
export interface AliasProposal {
  readonly entity: SeenEntity
  readonly evidence: readonly Evidence[]
  /** Ids of other entities that the same evidence speaks for: which one is meant is left open. */
  readonly ambiguousWith: readonly string[]
}

interface Evidence {
  readonly reason: AliasReason
  /** The memory that says so; null where the names alone do. */
  readonly memoryId: string | null
}

/** Newest memories of the entity, and of each proposed one, that are read. */
const [TEXTS, TEXTS_OF_PROPOSED] = [100, 10]
/** Proposals that are returned, pieces of evidence of each, and entities that share a word with a short name and are compared with it. */
const [MOST_PROPOSALS, MOST_EVIDENCE, MOST_COMPARED] = [20, 5, 200]
/** Letters that a word must have to be looked for in the names of a tenant, and words that one request looks for. */
const [FEWEST_LETTERS, MOST_WORDS] = [3, 12]

/**
 * Proposes entities that may be the same thing as one, by what its memories say and by the forms of names, those with the most evidence first. Throws NotFoundError where the
 * audience does not see the entity. Reads only what the audience sees, so a name that a private memory tells is proposed to its author alone.
 * Changes nothing.
 */
export function proposeAliases(
  store: Store,
  principal: Principal,
  { audience, id, signal }: { readonly audience: Audience; readonly id: string; readonly signal: AbortSignal },
): Promise<AliasProposal[]> {
  return store.read(principal, async (reader) => {
    const entity = await findEntity(reader, audience, id)
    if (!entity) throw new NotFoundError('Entity')
    const search = new AliasSearch(reader, audience, new Slices({ signal }))
    const known = new Set([entity.id, ...entity.aliases.map(({ entity_id: alias }) => alias)])
    const found = await search.find(entity, TEXTS)
    const proposed = [...found.values()]
      .filter(({ entity: one }) => !known.has(one.id))
      .sort((a, b) => b.evidence.length - a.evidence.length || (a.entity.nameKey < b.entity.nameKey ? -1 : 1))
      .slice(0, MOST_PROPOSALS)
    const names = await readNames(
      reader,
      audience,
      proposed.map(({ entity: one }) => one.id),
    )
    const proposals: AliasProposal[] = []
    for (const { entity: one, evidence } of proposed) {
      const others = [...(await search.find(one, TEXTS_OF_PROPOSED)).values()]
        .filter((other) => evidence.some(({ reason }) => other.evidence.some((its) => speaksAlike(its.reason, reason))))
        .map((other) => other.entity.id)
      proposals.push({
        entity: one,
        evidence: evidence.slice(0, MOST_EVIDENCE),
        ambiguousWith: others.filter((other) => !known.has(other) && !names.get(one.id)?.includes(other)),
      })
    }
    return proposals
  })
}

/** Returns true if both reasons are found in texts, or both in the forms of names. */
function speaksAlike(one: AliasReason, other: AliasReason): boolean {
  return (one === 'short form') === (other === 'short form')
}

interface Found {
  readonly entity: SeenEntity
  readonly evidence: Evidence[]
}

/** Finds other names in what one audience sees. */
class AliasSearch {
  /** Entities by a word of their names. */
  readonly #byWord = new Map<string, SeenEntity[]>()

  constructor(
    private readonly reader: Reader,
    private readonly audience: Audience,
    private readonly slices: Slices,
  ) {}

  /** Returns what may be another name of an entity by the newest `limit` texts about it and by its own name, by id. */
  async find(entity: SeenEntity, limit: number): Promise<Map<string, Found>> {
    const found = new Map<string, Found>()
    const add = (one: SeenEntity, evidence: Evidence) => {
      const known = found.get(one.id)
      if (known) known.evidence.push(evidence)
      else found.set(one.id, { entity: one, evidence: [evidence] })
    }
    const texts = await readSeenTexts(this.reader, this.audience, entity.id, limit)
    const stated = await this.slices.run(readStated(texts, entity.name))
    const keys = [...new Set([...stated.flatMap((one) => one.keys), ...shortForms(entity.nameKey)])]
    const seen = await readSeenByKeys(this.reader, this.audience, keys)
    seen.delete(entity.nameKey)
    for (const { keys: meant, ...evidence } of stated) {
      // Where a name ends is not known: the longest that is an entity counts.
      const key = meant.find((one) => seen.has(one))
      if (key !== undefined) add(seen.get(key)!, evidence)
    }
    const alike = shortForms(entity.nameKey).flatMap((form) => seen.get(form) ?? [])
    for (const one of [...alike, ...(await this.#longerOf(entity.nameKey))])
      add(one, { reason: 'short form', memoryId: null })
    return found
  }

  /** Returns the entities of which this name is a short form: they have one of its words, or a handle but for its first letter. */
  async #longerOf(key: string): Promise<SeenEntity[]> {
    const words = key.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
    const [only] = words
    if (words.length === 1 && only !== undefined) words.push([...only].slice(1).join(''))
    const named = new Map<string, SeenEntity>()
    for (const word of words.filter((one) => [...one].length >= FEWEST_LETTERS))
      for (const one of await this.#having(word)) named.set(one.id, one)
    return [...named.values()].filter((one) => shortForms(one.nameKey).includes(key))
  }

  async #having(word: string): Promise<SeenEntity[]> {
    const known = this.#byWord.get(word)
    if (known !== undefined) return known
    // Each word is looked for in all names of the tenant.
    if (this.#byWord.size === MOST_WORDS) return []
    const named = await readSeenByWord(this.reader, this.audience, { word, limit: MOST_COMPARED })
    this.#byWord.set(word, named)
    return named
  }
}

interface Stated extends Evidence {
  readonly keys: readonly string[]
}

function* readStated(texts: readonly SeenText[], name: string): Yielding<Stated[]> {
  const stated: Stated[] = []
  for (const { memoryId, name: here, text } of texts) {
    for (const alias of aliasesIn(text, [here, name])) stated.push({ ...alias, memoryId })
    yield
  }
  return stated
}
