/**
 * What is searched together stands together: each space has its own texts, counts and neighbourhoods in an index, so that long
 * documents do not weigh on the ranks of short memories.
 */
export const SPACES = ['memories', 'documents'] as const
export type Space = (typeof SPACES)[number]
