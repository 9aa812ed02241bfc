import { nearestWord } from '../runtime/near-word.js'

/** Words of other services for what is called otherwise here. The first that there is, is meant. */
const OTHER_WORDS: Readonly<Record<string, readonly string[]>> = {
  add: ['write', 'set'],
  archive: ['transition'],
  create: ['write', 'set'],
  save: ['write', 'set'],
  store: ['write', 'set'],
  remember: ['write'],
  insert: ['write'],
  put: ['write', 'set'],
  upsert: ['write', 'set'],
  bulk: ['write_many'],
  get: ['read', 'list'],
  fetch: ['read', 'list'],
  show: ['read', 'list'],
  find: ['search', 'query'],
  recall: ['search'],
  query: ['search', 'where'],
  retrieve: ['search', 'read'],
  filter: ['query', 'where', 'metadata_filter'],
  edit: ['update'],
  patch: ['update'],
  modify: ['update'],
  remove: ['delete'],
  forget: ['delete'],
  rate: ['feedback', 'outcome'],
  ack: ['acknowledge'],
  accept: ['approve'],
  text: ['content', 'query'],
  memory: ['content'],
  message: ['content'],
  memories: ['items'],
  documents: ['items'],
  q: ['query'],
  limit: ['top_k'],
  k: ['top_k', 'limit'],
  top_k: ['limit'],
  type: ['memory_type', 'entity_type'],
  types: ['memory_types'],
  importance: ['weight'],
  tags: ['metadata'],
  entities: ['entity_links'],
  name: ['doc_id', 'query'],
  key: ['doc_id'],
  slug: ['doc_id'],
  value: ['data', 'content'],
  content: ['data'],
  helpful: ['outcome'],
}

/** Returns which of `choices` is meant by a word that is none of them; null for none. */
export function didYouMean(given: string, choices: readonly string[]): string | null {
  // Models put the tool before its op.
  const word = given
    .slice(-100)
    .toLowerCase()
    .replace(/^.*[.:/]/, '')
    .replaceAll('-', '_')
    .trim()
  const others = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word]! : []
  const meant = [word, ...others].find((other) => choices.includes(other))
  return meant ?? nearestWord(word, choices)
}
