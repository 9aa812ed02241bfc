import type { VisibleRow } from '../../domain/visibility.js'
import { audiencesOfRow, type Totals } from '../audiences.js'
import type { Connection } from './connection.js'

/** Counts of documents, their words and each of their tokens by audience, as a batch changes them. */
export interface CountChanges {
  /** Adds a document, or takes it away with `sign` -1. */
  add(sign: 1 | -1, row: VisibleRow, tokens: readonly string[], words: number): void
  merge(other: CountChanges): void
  readonly audiences: ReadonlyMap<string, Totals>
  readonly tokens: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Documents, whoever reads them. */
  readonly documents: number
}

export function createCountChanges(): CountChanges {
  const audiences = new Map<string, Totals>()
  const tokens = new Map<string, Map<string, number>>()
  let all = 0
  const addTotals = (audience: string, { documents, words }: Totals) => {
    const known = audiences.get(audience)
    audiences.set(audience, { documents: (known?.documents ?? 0) + documents, words: (known?.words ?? 0) + words })
  }
  const addToken = (token: string, audience: string, count: number) => {
    const known = tokens.get(token) ?? new Map<string, number>()
    tokens.set(token, known.set(audience, (known.get(audience) ?? 0) + count))
  }
  return {
    audiences,
    tokens,
    get documents() {
      return all
    },
    add(sign, row, tokensOfRow, words) {
      all += sign
      const distinct = new Set(tokensOfRow)
      for (const audience of audiencesOfRow(row)) {
        addTotals(audience, { documents: sign, words: sign * words })
        for (const token of distinct) addToken(token, audience, sign)
      }
    },
    merge(other) {
      all += other.documents
      for (const [audience, totals] of other.audiences) addTotals(audience, totals)
      for (const [token, counts] of other.tokens)
        for (const [audience, count] of counts) addToken(token, audience, count)
    },
  }
}

/** Stores the changes. Removes counts that reach zero, so that no word of an erased text remains in the file. */
export function saveCounts(connection: Connection, tenant: number, changes: CountChanges): void {
  connection.run('update tenants set documents = documents + ? where number = ?', [changes.documents, tenant])
  for (const [audience, { documents, words }] of changes.audiences) {
    const update = `update audiences set documents = documents + ?, words = words + ?
      where tenant = ? and audience = ? returning number`
    if (connection.all(update, [documents, words, tenant, audience]).length === 0)
      insertAudience(connection, tenant, audience, { documents, words })
    if (documents < 0)
      connection.run('delete from audiences where tenant = ? and audience = ? and documents = 0', [tenant, audience])
  }
  for (const token of [...changes.tokens.keys()].sort()) {
    for (const [audience, count] of changes.tokens.get(token)!) {
      if (count === 0) continue
      connection.run(
        `insert into frequencies (token, audience, documents) values (?, ?, ?)
         on conflict do update set documents = documents + excluded.documents`,
        [token, audience, count],
      )
      if (count < 0)
        connection.run('delete from frequencies where token = ? and audience = ? and documents = 0', [token, audience])
    }
  }
}

/** Gives the audience a number that none has had: what is stored under it (code-blocks.ts) is never another's. */
function insertAudience(connection: Connection, tenant: number, audience: string, totals: Totals): void {
  const [row] = connection.all<[number]>(
    'update tenants set next_audience = next_audience + 1 where number = ? returning next_audience - 1',
    [tenant],
  )
  connection.run('insert into audiences (tenant, audience, number, documents, words) values (?, ?, ?, ?, ?)', [
    tenant,
    audience,
    row![0],
    totals.documents,
    totals.words,
  ])
}
