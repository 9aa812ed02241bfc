import { inverseFrequency } from './bm25.js'

/**
 * Less rare entities distinguish nothing: the two speakers of a talk are in every second memory. The limit is some 9 %
 * of 600 memories and 2 % of 20,000. From some 240,000 on recall leaves entities out earlier, those of more than 2,000 links
 * (store/memories/queried-entities.ts): .2 % of a million.
 */
export const LEAST_RARITY = 0.4

/**
 * Returns how well an entity distinguishes memories: its inverse frequency divided by that of an entity of one memory,
 * 0..1, and 0 below `LEAST_RARITY`. `linked` of the `memories` that the caller may see are linked to it.
 */
export function entityRarity(linked: number, memories: number): number {
  if (linked === 0) return 0
  const all = Math.max(memories, linked)
  const rarity = inverseFrequency(all, linked) / inverseFrequency(all, 1)
  return rarity < LEAST_RARITY ? 0 : rarity
}

/**
 * Returns the evidence of links to named entities of these rarities: 1 for an entity of one memory, nearly nothing for
 * one of hundreds, since all memories on the subject are linked to it.
 */
export function entityEvidence(rarities: readonly number[]): number {
  return rarities.reduce((sum, rarity) => sum + rarity ** 3, 0)
}
