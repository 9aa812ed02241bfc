import { type Connection, rollBack } from './connection.js'

/** Pages of one call, some 16 MiB: writes that wait go on between two. */
const PAGES_AT_ONCE = 4_000
/** A file of so many pages may have a page that begins like a B-tree's, and is none. */
const FEWEST_AMBIGUOUS = 2 ** 25
/** The first page begins with the file's header. */
const FILE_HEADER_BYTES = 100

/**
 * Offsets in a page of a B-tree (https://www.sqlite.org/fileformat.html#b_tree_pages), from the beginning of its header: the kind of page, the number of cells, where the cells
 * begin (0 for 65,536), and the bytes of the header by kind, after which the pointers to the cells come, two bytes each.
 */
const [KIND, CELLS, CONTENT] = [0, 3, 5]
const HEADER_BYTES: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }
/** Has as many bytes as the largest page. */
const ZEROS = Buffer.alloc(65_536)

/**
 * Zeroes the space between the pointers and the cells of B-tree pages, from page `from` on, for one call's pages. `secure_delete` overwrites a deleted cell,
 * yet not the copy of it that remains in a page from which it was moved while it lived. Returns the page to go on with, or null at the end of the file.
 *
 * Other pages begin with the number of a page, whose first byte is a kind of B-tree page only in a file of 128 GiB and more: of such a file nothing is zeroed.
 */
export function clearUnusedSpace(connection: Connection, from: number): number | null {
  const [count] = connection.all<[number]>('pragma page_count')[0]!
  if (count >= FEWEST_AMBIGUOUS) return null
  connection.exec('begin immediate')
  try {
    const next = Math.min(from + PAGES_AT_ONCE, count + 1)
    for (let page = from; page < next; page++) clearPage(connection, page)
    connection.exec('commit')
    return next > count ? null : next
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

function clearPage(connection: Connection, page: number): void {
  const [row] = connection.all<[Uint8Array]>('select data from sqlite_dbpage where pgno = ?', [page])
  if (row === undefined) return
  const bytes = Buffer.from(row[0])
  const unused = unusedSpaceOf(bytes, page === 1 ? FILE_HEADER_BYTES : 0)
  if (unused === null || unused.equals(ZEROS.subarray(0, unused.length))) return
  unused.fill(0)
  connection.run('update sqlite_dbpage set data = ? where pgno = ?', [bytes, page])
}

/** Returns the part of a page that no cell uses; null for a page of another kind. */
function unusedSpaceOf(page: Buffer, at: number): Buffer | null {
  const headerBytes = HEADER_BYTES[page[at + KIND]!]
  if (headerBytes === undefined) return null
  const begin = at + headerBytes + 2 * page.readUInt16BE(at + CELLS)
  const end = page.readUInt16BE(at + CONTENT) || 65_536
  return begin <= end && end <= page.length ? page.subarray(begin, end) : null
}
