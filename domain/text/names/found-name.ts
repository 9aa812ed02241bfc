/** The kind of a found name, which is the entity's type in the link. */
export type FoundNameType =
  | 'name'
  | 'term'
  | 'identifier'
  | 'commit'
  | 'version'
  | 'port'
  | 'path'
  | 'host'
  | 'ip'
  | 'url'
  | 'email'
  | 'handle'
  | 'date'

export interface FoundName {
  /** The name as written in the text; for a date `2023-05-07` or `2023-05`. */
  readonly name: string
  readonly type: FoundNameType
}

/** Number of words that a query's names are looked up by (services/retrieval/memories/query.ts). */
export const LONGEST_NAME_WORDS = 5
/** Length in UTF-16 units: the contract's limit for names that callers give. */
export const LONGEST_NAME = 200
