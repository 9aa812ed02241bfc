/**
 * The kinds of texts that are searched separately. Each corpus has its own texts, counts and vector neighbourhoods in
 * an index, so that long documents do not affect the ranking of short memories.
 */
export const SPACES = ['memories', 'documents'] as const
export type Space = (typeof SPACES)[number]
