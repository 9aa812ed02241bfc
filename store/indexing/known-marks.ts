import { sql } from 'kysely'
import type { Reader, System } from '../store.js'

/** Marks that PostgreSQL knows of an index: index-marks.md. */
export interface KnownMarks {
  /** The mark that the index has, and the one that it may have by now. */
  readonly marks: readonly string[]
  /** False for an index that was never created, is lost or is dropped. */
  readonly isWhole: boolean
}

const MARK_COLUMNS = sql`array_remove(array[mark, next_mark], null)::text[] as marks,
  made_at is not null and lost_at is null and state in ('serving', 'kept', 'ready', 'backfilling', 'waiting') as "isWhole"`

const UNKNOWN_MARKS: KnownMarks = { marks: [], isWhole: false }

/** Reads the marks in the caller's snapshot. */
export async function readMarks({ db }: Reader | System, buildId: string): Promise<KnownMarks> {
  const { rows } = await sql<KnownMarks>`select ${MARK_COLUMNS} from index_builds where id = ${buildId}`.execute(db)
  return rows[0] ?? UNKNOWN_MARKS
}

/**
 * Reads them with those that the index has had since it had `mark`: all that are kept when that one is kept no more. An index with an older one
 * lacks what had settled by then.
 */
export async function readMarksSince(
  { db }: Reader | System,
  buildId: string,
  mark: string | undefined,
): Promise<KnownMarks> {
  const { rows } = await sql<KnownMarks & { past: string[] }>`
    select ${MARK_COLUMNS}, past_marks::text[] as past from index_builds where id = ${buildId}`.execute(db)
  const [found] = rows
  if (!found) return UNKNOWN_MARKS
  const { marks, past, isWhole } = found
  const all = [...marks, ...past]
  const since = mark === undefined ? -1 : all.indexOf(mark)
  const newer = since < 0 ? past : all.slice(marks.length, since + 1)
  return { marks: [...marks, ...newer], isWhole }
}
