/**
 * The kinds of texts that are searched separately. Each corpus has its own texts, counts and vector neighbourhoods in
 * an index, so that long documents do not affect the ranking of short memories.
 */
export const CORPORA = ['memories', 'documents'] as const
export type Corpus = (typeof CORPORA)[number]
