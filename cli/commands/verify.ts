import Table from 'cli-table3'
import type { components } from '../../contract/types.js'
import { printable, printJson } from '../printable.js'
import { type ServiceClient, retryOptions } from '../service-client.js'

type Verification = components['schemas']['IndexVerification']
type Difference = components['schemas']['IndexDifference']

export interface VerifyOptions {
  readonly tenant?: string
  readonly sample?: number
  readonly seed?: number
  readonly repair?: boolean
  readonly json?: boolean
}

/** Wait before the first repetition of a request: after six seconds in all the command gives up. */
const RETRY_MS = 50
const CORPORA = ['memories', 'documents'] as const
const KINDS = ['missing', 'differs', 'orphan'] as const
/** Number of differences whose ids are shown. */
const SHOWN = 1_000

/**
 * Compares PostgreSQL with the index, and returns the exit code: 0 when they are consistent, 1 when something differs. Throws the first
 * refusal of a repair, and the last of the retries otherwise.
 */
export async function verify(admin: ServiceClient, options: VerifyOptions): Promise<number> {
  const sum = {
    memories: { rows: 0, entries: 0, in_flight: 0, missing: 0, differs: 0, orphan: 0 },
    documents: { rows: 0, entries: 0, in_flight: 0, missing: 0, differs: 0, orphan: 0 },
  }
  const shown: Difference[] = []
  let differences = 0
  let enqueued = 0
  const { tenant, sample, seed, repair } = options
  const request = { tenant_id: tenant, sample, seed, repair }
  // The answer of a repair is the only one that names what was repaired: a second request would find nothing.
  const policy = repair ? {} : retryOptions(RETRY_MS)
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Verification = await admin.verifyIndex({ ...request, cursor }, policy)
    for (const corpus of CORPORA)
      for (const count of ['rows', 'entries', 'in_flight'] as const) sum[corpus][count] += page[corpus][count]
    for (const { corpus, difference } of page.differences) sum[corpus][difference]++
    shown.push(...page.differences.slice(0, SHOWN - shown.length))
    differences += page.differences.length
    enqueued += page.enqueued
    cursor = page.next_cursor
    if (process.stderr.isTTY) console.error(`${sum.memories.rows} memories, ${sum.documents.rows} documents`)
  }
  const found = { ...sum, enqueued, differences: shown, truncated: differences > shown.length }
  if (options.json) printJson({ consistent: differences === 0, ...found })
  else print(found)
  return differences === 0 ? 0 : 1
}

type Counts = Record<(typeof KINDS)[number] | 'rows' | 'entries' | 'in_flight', number>
interface Found extends Record<(typeof CORPORA)[number], Counts> {
  readonly enqueued: number
  readonly differences: readonly Difference[]
  /** True when there are more differences than these. */
  readonly truncated: boolean
}

function print(found: Found): void {
  const table = new Table({
    head: ['', 'rows', 'entries', 'in flight', ...KINDS],
    style: { head: [], border: [] },
  })
  for (const corpus of CORPORA) {
    const { rows, entries, in_flight: inFlight, ...kinds } = found[corpus]
    table.push([corpus, rows, entries, inFlight, ...KINDS.map((kind) => kinds[kind])])
  }
  console.log(table.toString())
  for (const { tenant_id: tenant, corpus, id, difference } of found.differences)
    console.log(printable(`${difference} ${tenant} ${corpus} ${id}`))
  if (found.truncated) console.log(`Only the first ${SHOWN} differences are named; the table counts all of them.`)
  if (found.enqueued > 0)
    console.log(`${found.enqueued} differences are enqueued; the workers repair them in the background.`)
}
