import type { AudienceRange, Totals } from '../audiences.js'
import type { Connection } from './connection.js'

/** Returns the numbers of the audiences in these ranges (`audienceRanges`). */
export function readAudienceNumbers(
  connection: Connection,
  tenant: number,
  ranges: readonly AudienceRange[],
): number[] {
  return connection
    .all<[number]>(
      `select a.number
       from json_each(?) r cross join audiences a on a.tenant = ? and a.audience between r.value ->> 0 and r.value ->> 1`,
      [JSON.stringify(ranges), tenant],
    )
    .map(([number]) => number)
}

/** Returns the number of the tenant's documents in these ranges of audiences, and of their words. */
export function readTotals(connection: Connection, tenant: number, ranges: readonly AudienceRange[]): Totals {
  const [row] = connection.all<[number, number]>(
    `select coalesce(sum(a.documents), 0), coalesce(sum(a.words), 0)
     from json_each(?) r cross join audiences a on a.tenant = ? and a.audience between r.value ->> 0 and r.value ->> 1`,
    [JSON.stringify(ranges), tenant],
  )
  return { documents: row![0], words: row![1] }
}

/** Returns the number of documents in these ranges with each token; a token that none has is absent. */
export function readFrequencies(
  connection: Connection,
  tokens: readonly string[],
  ranges: readonly AudienceRange[],
): Map<string, number> {
  return new Map(
    connection.all<[string, number]>(
      `select f.token, sum(f.documents)
       from json_each(?) t cross join json_each(?) r
         cross join frequencies f on f.token = t.value and f.audience between r.value ->> 0 and r.value ->> 1
       group by f.token`,
      [JSON.stringify(tokens), JSON.stringify(ranges)],
    ),
  )
}
