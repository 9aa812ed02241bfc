import fc from 'fast-check'

/** A memory as a filter sees it. Times are Unix milliseconds. */
export interface FilteredRow {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly tags: readonly string[]
  readonly memory_type: 'fact' | 'plan' | 'rule'
  readonly status: 'active' | 'pending' | 'outdated'
  readonly agent_id: string | null
  readonly fleet_id: string | null
  readonly run_id: string | null
  readonly entity_id: readonly string[]
  readonly created_at: number
  readonly ts_valid_start: number | null
  readonly ts_valid_end: number | null
}

/** Texts that are times, with their Unix milliseconds. */
const TIMES: Readonly<Record<string, number>> = {
  '2026-01-31': Date.UTC(2026, 0, 31),
  '2026-01-31T00:00:00Z': Date.UTC(2026, 0, 31),
  '2026-01-31T08:00:00.5+09:00': Date.UTC(2026, 0, 30, 23, 0, 0, 500),
  '2024-02-29t23:59z': Date.UTC(2024, 1, 29, 23, 59),
  '2026-06-01T12:00:00.123999999-0330': Date.UTC(2026, 5, 1, 15, 30, 0, 123),
  '0001-01-01': Date.parse('0001-01-01T00:00:00Z'),
  '9999-12-31T23:59:59.999999+14': Date.parse('9999-12-31T09:59:59.999Z'),
}
/** Texts that look like times, and are none. */
const NO_TIMES = [
  '2026-02-30',
  '2025-02-29',
  '0000-01-01',
  '2026-01-31T08:00:00',
  '2026-01-31T24:00Z',
  '2026-1-3',
  '٢٠٢٦-٠١-٣١',
]
const TEXTS = [
  '',
  'ops',
  'db',
  '2',
  'Ωmega "quoted" \\ %_',
  'x'.repeat(700),
  `${'x'.repeat(700)}y`,
  '2c000000000000000',
]
const NUMBERS = [0, -0, 1, 2, 2.5, -1, -2.5, 1e21, 1e300, 5e-324, -1.5e-7, 9007199254740991]
const SCALARS: readonly unknown[] = [...Object.keys(TIMES), ...NO_TIMES, ...TEXTS, ...NUMBERS, true, false, null]
const KEYS = ['k', 'k.l', '', '__proto__', 'q"\\u', 'ü'.repeat(30), 'long '.repeat(100)]
export const ENTITIES = ['10000000-0000-4000-8000-00000000000a', '10000000-0000-4000-8000-00000000000b']
const INSTANTS = [...Object.values(TIMES), Date.UTC(2026, 2, 1)]

const scalar = fc.constantFrom(...SCALARS)
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 3, arbitrary: fc.array(scalar, { maxLength: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>([['ops', 2]], { a: 2 }, [{ a: 2 }]) },
)
const keyed = (keys: readonly string[]) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...keys), value), { selector: ([key]) => key, maxLength: 4 })
    .map((entries) => named(...entries))

/** Returns an object of own properties, whatever their names are. */
function named(...entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const text = entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()
  return JSON.parse(`{${text}}`) as Record<string, unknown>
}

const orNull = <T>(...values: readonly T[]) => fc.constantFrom(null, ...values)

export const filteredRow: fc.Arbitrary<FilteredRow> = fc.record({
  metadata: keyed(KEYS),
  tags: fc.subarray(['deploy', 'billing']),
  memory_type: fc.constantFrom('fact', 'plan', 'rule'),
  status: fc.constantFrom('active', 'pending', 'outdated'),
  agent_id: orNull('ana', 'ben'),
  fleet_id: orNull('red', 'blue'),
  run_id: orNull('one', 'two'),
  entity_id: fc.subarray(ENTITIES),
  created_at: fc.constantFrom(...INSTANTS),
  ts_valid_start: orNull(Date.UTC(2024, 1, 29, 23, 59), Date.UTC(2026, 0, 31)),
  ts_valid_end: orNull(Date.UTC(2026, 0, 31, 1), Date.UTC(2026, 5, 1, 15, 30, 0, 123)),
})

const time = fc.constantFrom(...Object.keys(TIMES))

/** Returns operators with one bound or two. */
function bounds(bound: fc.Arbitrary<unknown>) {
  return fc
    .tuple(fc.constantFrom('gt', 'gte', null), bound, fc.constantFrom('lt', 'lte', null), bound)
    .filter(([lower, , upper]) => lower !== null || upper !== null)
    .map(([lower, from, upper, to]) => ({ ...(lower && { [lower]: from }), ...(upper && { [upper]: to }) }))
}

function names(column: string, ...values: readonly string[]) {
  const one = fc.constantFrom(...values, values[0]!)
  const operators = fc.oneof(
    one,
    fc.array(one, { minLength: 1, maxLength: 3 }).map((list) => ({ in: list })),
    fc.boolean().map((exists) => ({ exists })),
  )
  return operators.map((of) => ({ [column]: of }))
}

/** Returns conditions on keys, whose fields begin with this name. */
function onKeys(prefix: string) {
  const operators = fc.oneof(
    scalar,
    fc.array(scalar, { minLength: 1, maxLength: 5 }).map((list) => ({ in: list })),
    fc.boolean().map((exists) => ({ exists })),
    bounds(fc.constantFrom(...NUMBERS)),
    bounds(time),
  )
  return fc.tuple(fc.constantFrom(...KEYS), operators).map(([key, of]) => named([`${prefix}.${key}`, of]))
}

/** Returns conditions on when a row began to be something. */
function onTimes(...columns: readonly string[]) {
  const operators = fc.oneof(
    bounds(time),
    fc.boolean().map((exists) => ({ exists })),
  )
  return fc.tuple(fc.constantFrom(...columns), operators).map(([name, of]) => ({ [name]: of }))
}

const leaf = fc.oneof(
  { weight: 8, arbitrary: onKeys('metadata') },
  names('tags', 'deploy', 'billing', 'none'),
  names('memory_type', 'fact', 'plan', 'semantic'),
  names('status', 'active', 'outdated', 'archived'),
  names('agent_id', 'ana', 'nobody'),
  names('fleet_id', 'red', 'blue'),
  names('run_id', 'one', 'two'),
  names('entity_id', ...ENTITIES.map((id) => id.toUpperCase())),
  onTimes('created_at', 'ts_valid_start', 'ts_valid_end'),
  time.map((text) => ({ valid_at: text })),
)

/** Returns filters of at most four levels. */
function filtersOf(leaves: fc.Arbitrary<object>): fc.Arbitrary<object> {
  return fc.letrec<{ filter: object }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 3, arbitrary: leaves },
      { weight: 1, arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((and) => ({ and })) },
      { weight: 1, arbitrary: fc.array(tie('filter'), { minLength: 1, maxLength: 2 }).map((or) => ({ or })) },
      { weight: 1, arbitrary: tie('filter').map((not) => ({ not })) },
    ),
  })).filter
}

export const randomFilter = filtersOf(leaf)

/** Returns whether the row meets the filter, by the contract's words alone. */
export function meets(filter: object, row: FilteredRow): boolean {
  const [[name, of]] = Object.entries(filter) as [[string, unknown]]
  if (name === 'and') return (of as object[]).every((one) => meets(one, row))
  if (name === 'or') return (of as object[]).some((one) => meets(one, row))
  if (name === 'not') return !meets(of as object, row)
  if (name === 'valid_at') {
    const at = TIMES[of as string]!
    return (row.ts_valid_start ?? -Infinity) <= at && at < (row.ts_valid_end ?? Infinity)
  }
  const has = valueOf(row, name)
  const members = Array.isArray(has) ? (has as unknown[]) : [has]
  if (typeof of !== 'object' || of === null) return members.some((one) => isEqual(name, one, of))
  const { in: values, exists, ...ends } = of as { in?: unknown[]; exists?: boolean } & Record<string, unknown>
  if (values) return values.some((wanted) => members.some((one) => isEqual(name, one, wanted)))
  if (exists !== undefined) return exists === isThere(name, has)
  return members.some((one) =>
    Object.entries(ends).every(([end, bound]) => isWithin(end, comparable(name, one, bound), bound)),
  )
}

function valueOf(row: FilteredRow, name: string): unknown {
  const key = keyOf(name)
  if (key === null) return row[name as Exclude<keyof FilteredRow, 'metadata'>]
  return Object.hasOwn(row.metadata, key) ? row.metadata[key] : undefined
}

/** Returns the key that a field of a memory or a document names; null for a column. */
function keyOf(name: string): string | null {
  return /^(?:metadata|data)\.([^]*)$/.exec(name)?.[1] ?? null
}

function isThere(name: string, has: unknown): boolean {
  if (name === 'tags' || name === 'entity_id') return (has as unknown[]).length > 0
  return has !== undefined && has !== null
}

function isEqual(name: string, has: unknown, wanted: unknown): boolean {
  if (name === 'memory_type' && wanted === 'semantic') return has === 'fact'
  if (name === 'entity_id') return has === String(wanted).toLowerCase()
  return has === wanted
}

/** Returns what of a value is compared with the bound; null for what is of another kind. */
function comparable(name: string, has: unknown, bound: unknown): number | null {
  if (keyOf(name) === null || typeof bound === 'number') return typeof has === 'number' ? has : null
  return typeof has === 'string' && Object.hasOwn(TIMES, has) ? TIMES[has]! : null
}

function isWithin(end: string, value: number | null, bound: unknown): boolean {
  if (value === null) return false
  const limit = typeof bound === 'number' ? bound : TIMES[bound as string]!
  return { gt: value > limit, gte: value >= limit, lt: value < limit, lte: value <= limit }[end]!
}

/** A document as a filter sees it. Times are Unix milliseconds. */
export interface FilteredDocument {
  readonly data: Readonly<Record<string, unknown>>
  readonly doc_id: string
  readonly fleet_id: string | null
}

const DOC_IDS = ['a', 'b', 'c.d', 'e_f']
/** Characters of a key of a document at most. */
const LONGEST_KEY = 200

/** Returns documents of one collection, each with a name of its own. */
export function filteredDocuments(count: number, seed: number): FilteredDocument[] {
  const data = keyed(KEYS.filter((key) => key.length <= LONGEST_KEY))
  return fc
    .sample(fc.record({ data, fleet_id: orNull('red', 'blue') }), { numRuns: count, seed })
    .map((row, i) => ({ ...row, doc_id: DOC_IDS[i] ?? `d${i}` }))
}

/** Filters on documents. */
export const randomDocumentFilter = filtersOf(
  fc.oneof(
    { weight: 6, arbitrary: onKeys('data') },
    names('doc_id', ...DOC_IDS),
    names('fleet_id', 'red', 'blue', 'green'),
    onTimes('created_at', 'updated_at'),
  ),
)

/** Returns whether a document that was written, and changed last, at `now` meets the filter, by the contract's words alone. */
export function documentMeets(filter: object, { data, ...columns }: FilteredDocument, now: number): boolean {
  return meets(filter, { ...columns, metadata: data, created_at: now, updated_at: now } as unknown as FilteredRow)
}
