import { type AliasReason, aliasesIn, shortForms } from '../../domain/text/names/aliases.js'
import type { Audience } from '../../domain/visibility.js'
import type { Yielding } from '../../domain/yielding.js'
import { Slices } from '../../runtime/slices.js'
import {
  type EntityRow,
  findEntity,
  listEntities,
  readSeenByKeys,
  readSeenTexts,
  type SeenEntity,
  type SeenText,
} from '../../store/entities.js'
import type { Reader, Store } from '../../store/store.js'
import type { Principal } from '../../domain/principal.js'

/** An entity that may be another name of the same thing. */
export interface AliasProposal {
  readonly entityId: string
  readonly name: string
  readonly evidence: readonly Evidence[]
  /** Other entities that the same evidence speaks for: the name is left open. */
  readonly ambiguousWith: readonly string[]
}

interface Evidence {
  readonly reason: AliasReason
  /** The memory that says so; null where the names alone do. */
  readonly memoryId: string | null
}

/** Newest memories of the entity, and of each proposed one, that are read. */
const [TEXTS, TEXTS_OF_PROPOSED] = [100, 30]
/** Proposals that are returned; pieces of evidence of each; entities of a last word that are compared. */
const [MOST_PROPOSALS, MOST_EVIDENCE, MOST_COMPARED] = [20, 5, 200]

/**
 * Proposes entities that may be the same thing as one, by what its memories say and by the forms of names, those with the most evidence first; null where the
 * audience does not see the entity. Reads only what the audience sees, so a name that a private memory tells is proposed to its author alone. Changes nothing.
 */
export async function proposeAliases(
  store: Store,
  principal: Principal,
  audience: Audience,
  id: string,
): Promise<AliasProposal[] | null> {
  return store.read(principal, async (reader) => {
    const entity = await findEntity(reader, audience, id)
    if (!entity) return null
    const known = new Set([id, ...entity.aliases.map(({ entity_id: alias }) => alias)])
    const found = await statedOf(reader, audience, { ...entity, limit: TEXTS })
    for (const one of await alikeIn(reader, audience, entity)) add(found, one, { reason: 'short form', memoryId: null })
    const proposed = [...found.values()]
      .filter(({ entity: one }) => !known.has(one.id))
      .sort((a, b) => b.evidence.length - a.evidence.length || (a.entity.nameKey < b.entity.nameKey ? -1 : 1))
      .slice(0, MOST_PROPOSALS)
    const proposals: AliasProposal[] = []
    for (const { entity: one, evidence } of proposed) {
      const others = await othersOf(reader, audience, one, evidence)
      proposals.push({
        entityId: one.id,
        name: one.name,
        evidence: evidence.slice(0, MOST_EVIDENCE),
        ambiguousWith: others.filter((other) => !known.has(other)),
      })
    }
    return proposals
  })
}

interface Found {
  readonly entity: SeenEntity
  readonly evidence: Evidence[]
}

function add(found: Map<string, Found>, entity: SeenEntity, evidence: Evidence): void {
  const known = found.get(entity.id)
  if (known) known.evidence.push(evidence)
  else found.set(entity.id, { entity, evidence: [evidence] })
}

/** Returns the entities that texts about one say to be another name of it. Of the keys that a text may mean, the longest that is an entity counts. */
async function statedOf(
  reader: Reader,
  audience: Audience,
  { id, name, nameKey: own, limit }: Pick<SeenEntity, 'id' | 'name' | 'nameKey'> & { readonly limit: number },
): Promise<Map<string, Found>> {
  const texts = await readSeenTexts(reader, audience, id, limit)
  const stated = await new Slices().run(readStated(texts, [name, own]))
  const entities = await readSeenByKeys(reader, audience, [...new Set(stated.flatMap(({ keys }) => keys))])
  const found = new Map<string, Found>()
  for (const { keys, reason, memoryId } of stated) {
    const key = keys.find((one) => one !== own && entities.has(one))
    if (key !== undefined) add(found, entities.get(key)!, { reason, memoryId })
  }
  return found
}

function* readStated(texts: readonly SeenText[], names: readonly string[]): Yielding<Stated[]> {
  const stated: Stated[] = []
  for (const { memoryId, name, text } of texts) {
    for (const alias of aliasesIn(text, [name, ...names])) stated.push({ ...alias, memoryId })
    yield
  }
  return stated
}

interface Stated {
  readonly reason: AliasReason
  readonly memoryId: string
  readonly keys: readonly string[]
}

/** Returns the entities whose name is a short form of this one's, or the reverse. */
async function alikeIn(reader: Reader, audience: Audience, entity: EntityRow): Promise<SeenEntity[]> {
  const shorter = await readSeenByKeys(reader, audience, shortForms(entity.nameKey))
  return [...shorter.values(), ...(await longerOf(reader, audience, entity.nameKey))]
}

/** Returns the entities of which this name is a short form. */
async function longerOf(reader: Reader, audience: Audience, key: string): Promise<SeenEntity[]> {
  const [last] = key.split(/[^\p{L}\p{N}]+/u).slice(-1)
  if (last === undefined || [...last].length < 3) return []
  const rows = await listEntities(reader, audience, { words: [last], limit: MOST_COMPARED, after: undefined })
  return rows.filter((row) => shortForms(row.nameKey).includes(key))
}

/** Returns the ids of further entities that the evidence for a proposed one speaks for as well. */
async function othersOf(
  reader: Reader,
  audience: Audience,
  one: SeenEntity,
  evidence: readonly Evidence[],
): Promise<string[]> {
  const others: SeenEntity[] = []
  if (evidence.some(({ reason }) => reason === 'short form'))
    others.push(...(await longerOf(reader, audience, one.nameKey)))
  if (evidence.some(({ reason }) => reason !== 'short form'))
    for (const { entity } of (await statedOf(reader, audience, { ...one, limit: TEXTS_OF_PROPOSED })).values())
      others.push(entity)
  return [...new Set(others.map(({ id }) => id))].filter((id) => id !== one.id)
}
