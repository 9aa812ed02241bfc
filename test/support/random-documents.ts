import {
  alternativesOf,
  fieldValue,
  type FilterValue,
  foundBy,
  isScalar,
  type Scalar,
} from '../../domain/filter-values.js'

interface NamedDocument {
  readonly doc_id: string
  readonly data: Readonly<Record<string, unknown>>
}

const VALUES: readonly Scalar[] = [null, true, false, 0, -1, 1.5, '', '1', 'a', 'x'.repeat(200)]

interface RandomDocuments {
  readonly count: number
  readonly values?: readonly Scalar[]
  /** Further members of each list. */
  readonly padding?: readonly Scalar[]
}

/** Returns documents, and queries of them with the names that a scan finds, in their order. */
export function randomDocuments({ count, values = VALUES, padding = [] }: RandomDocuments) {
  let seed = 7
  const pick = <T>(list: readonly T[]): T => list[(seed = (seed * 48_271) % 2_147_483_647) % list.length]!
  const happens = () => pick([true, false, false])
  const rows = Array.from({ length: count }, (_, i): NamedDocument => {
    const data: Record<string, unknown> = { i }
    for (const key of ['p', 'q', 'r'])
      if (!happens()) data[key] = happens() ? [pick(values), pick(values), [pick(values)], ...padding] : pick(values)
    return { doc_id: `d${String(i).padStart(4, '0')}`, data }
  })
  const queries = Array.from({ length: 40 }, () => {
    const where: Record<string, FilterValue> = {}
    for (const key of ['p', 'q'])
      if (pick([1, 2]) === 1) where[key] = happens() ? [pick(values), pick(values)] : pick(values)
    const query = {
      where,
      order_by: pick(['r', 'p', 'doc_id', 'created_at']),
      order: pick(['asc', 'desc'] as const),
      limit: pick([1, 7, 50]),
    }
    return { query, found: scan(rows, query) }
  })
  return { rows, queries }
}

function scan(
  rows: readonly NamedDocument[],
  query: { where: Record<string, FilterValue>; order_by: string; order: 'asc' | 'desc' },
): string[] {
  const sign = query.order === 'asc' ? 1 : -1
  const valueOf = ({ doc_id, data }: NamedDocument) => {
    if (query.order_by === 'doc_id' || query.order_by === 'created_at') return doc_id
    const value = data[query.order_by]
    return isScalar(value) ? fieldValue(value) : null
  }
  return rows
    .filter(({ data }) =>
      Object.entries(query.where).every(([key, value]) =>
        alternativesOf(value).some((one) => foundBy(data[key]).includes(one)),
      ),
    )
    .sort((one, other) => {
      const [a, b] = [valueOf(one), valueOf(other)]
      if ((a === null) !== (b === null)) return a === null ? 1 : -1
      const byValue = Buffer.compare(Buffer.from(a ?? ''), Buffer.from(b ?? ''))
      return sign * (byValue || Number(one.data.i) - Number(other.data.i))
    })
    .map(({ doc_id }) => doc_id)
}
