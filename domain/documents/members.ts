import { fieldValue, foundBy } from '../filter-values.js'
import type { DocumentData } from './document.js'
import type { Field } from './fields.js'

/** Rows that the members of all lists of one document have together: as many as its scalar fields. */
const MOST_STORED_MEMBERS = 256
/** Terms that the members of all lists of one document have together in an index; few documents have more. */
export const MOST_INDEXED_MEMBERS = 4096

/** The value of the one row of a list that has too many members; no `fieldValue` is empty. */
export const LONG_LIST = ''

/** Stands in an index for a list with a number or a time among its members, which only the data compares with bounds; no `fieldValue` or `timeValue` is equal to it. */
export const COMPARED_LIST = '5'

/** The members of a document's lists, as they are stored. */
export interface ListMembers {
  /** One row for each distinct scalar member of a list at a top-level key, or one with `LONG_LIST` for the whole list. */
  readonly rows: readonly Field[]
  /** False for a document with more lists than rows, which has none: whoever looks for a member reads its data. */
  readonly stored: boolean
}

/** Returns the members of the lists at top-level keys, at most so many. Short lists come first, so that a long one takes no row from them. */
export function membersOf(data: DocumentData, most = MOST_STORED_MEMBERS): ListMembers {
  const lists = listsOf(data).sort(([a, one], [b, other]) => one.length - other.length || (a < b ? -1 : 1))
  if (lists.length > most) return { rows: [], stored: false }
  let left = most - lists.length
  const rows = lists.flatMap(([key, members]) => {
    if (members.length - 1 > left) return [{ key, value: LONG_LIST }]
    left -= members.length - 1
    return members.map((member) => ({ key, value: fieldValue(member) }))
  })
  return { rows, stored: true }
}

/** Returns the distinct scalar members of each list at a top-level key; leaves out lists that have none. */
function listsOf(data: DocumentData) {
  return Object.entries(data)
    .filter(([, value]) => Array.isArray(value))
    .map(([key, value]) => [key, foundBy(value)] as const)
    .filter(([, members]) => members.length > 0)
}
