import { inverseFrequency } from './bm25.js'

/**
 * What is less rare names nothing: the two speakers of a talk are in every second memory. Some 9 % of 600 memories, 2 % of 20,000, .5 % of a
 * million.
 */
const LEAST_RARITY = 0.4

/**
 * How much an entity tells one memory from the others: its inverse frequency over that of an entity of one memory, 0..1, and 0 below
 * `LEAST_RARITY`. `linked` of the tenant's `memories` are linked to it.
 */
export function entityRarity(linked: number, memories: number): number {
  if (linked === 0) return 0
  const all = Math.max(memories, linked)
  const rarity = inverseFrequency(all, linked) / inverseFrequency(all, 1)
  return rarity < LEAST_RARITY ? 0 : rarity
}

/**
 * What links to named entities of these rarities say for a memory: an entity of one memory 1, one of hundreds nearly nothing, since all
 * of the subject are linked to it.
 */
export function entityEvidence(rarities: readonly number[]): number {
  return rarities.reduce((sum, rarity) => sum + rarity ** 3, 0)
}
