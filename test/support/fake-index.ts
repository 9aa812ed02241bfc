import type { Corpus } from '../../domain/corpus.js'
import { UnavailableError } from '../../runtime/errors.js'
import type { IndexChange, IndexDocument, IndexOutcome, SearchIndex } from '../../search/search-index.js'

export interface FakeIndex extends SearchIndex {
  /** Returns live documents and tombstones (null) of a tenant by id; of memories, unless documents are asked for. */
  documents(tenantId: string, corpus?: Corpus): Map<string, { seq: number; document: IndexDocument | null }>
  /** Every call of `write`, by tenant and size. */
  readonly calls: { tenantId: string; size: number }[]
  /** While true every call fails as if the engine were unavailable. */
  isAway: boolean
  /** Refuses an item when this returns a reason. */
  refuse: (change: IndexChange) => string | null
  /** Fails a whole call, not as an outage, when it contains this item. */
  breaksOn: string | null
  /** Deletes the index from outside. */
  lose(): void
  /** Runs before a call takes effect, which waits for it. */
  before: (tenantId: string, changes: readonly IndexChange[]) => Promise<void>
}

/**
 * Creates an index in memory with external versions, for what a real engine does not do on demand: outages and
 * refusals.
 */
export function createFakeIndex(): FakeIndex {
  const tenants = new Map<string, Map<string, { seq: number; document: IndexDocument | null }>>()
  const documents = (tenantId: string, corpus: Corpus = 'memories') => {
    const key = `${corpus} ${tenantId}`
    const known = tenants.get(key) ?? new Map()
    tenants.set(key, known)
    return known
  }

  let mark: string | null = null
  const index: FakeIndex = {
    engine: 'sqlite',
    calls: [],
    isAway: false,
    refuse: () => null,
    breaksOn: null,
    before: () => Promise.resolve(),
    documents,
    make(first) {
      mark ??= first
      return Promise.resolve()
    },
    marks: () => Promise.resolve(mark === null ? null : [mark]),
    remark(known, next) {
      if (index.isAway) return Promise.reject(new UnavailableError('search'))
      const isOurs = mark !== null && (mark === next || known.includes(mark))
      if (isOurs) mark = next
      return Promise.resolve(isOurs)
    },
    lose() {
      mark = null
      tenants.clear()
    },
    for: (tenantId, corpus) => ({
      search: () => Promise.resolve({ legs: {}, failed: [], statistics: null, mark }),
      async write(changes) {
        index.calls.push({ tenantId, size: changes.length })
        if (index.isAway) throw new UnavailableError('search')
        await index.before(tenantId, changes)
        if (changes.some((change) => change.id === index.breaksOn)) throw new TypeError('cannot take this')
        return changes.map((change) => apply(documents(tenantId, corpus), change))
      },
      compare: () => Promise.reject(new UnavailableError('search')),
      listIds: () => Promise.reject(new UnavailableError('search')),
      countOf: (ids) => Promise.resolve(ids.filter((id) => documents(tenantId, corpus).get(id)?.document).length),
      count: () =>
        Promise.resolve([...documents(tenantId, corpus).values()].filter(({ document }) => document !== null).length),
    }),
    purgeTombstones: () => Promise.resolve(0),
    expunge: () => Promise.resolve(),
    health: () => Promise.resolve(index.isAway ? { reason: 'unreachable', detail: 'away' } : null),
    describe(corpus = 'memories') {
      const held = [...tenants]
        .filter(([key]) => key.startsWith(`${corpus} `))
        .flatMap(([, rows]) => [...rows.values()])
      return Promise.resolve({ name: 'fake', documents: held.filter(({ document }) => document !== null).length })
    },
    remove: () => Promise.resolve(index.lose()),
    stop: () => Promise.resolve(),
  }

  function apply(known: ReturnType<typeof documents>, { id, seq, document }: IndexChange): IndexOutcome {
    const reason = index.refuse({ id, seq, document })
    if (reason !== null) return { id, outcome: 'refused', reason }
    const present = known.get(id)
    if (!present || present.seq < seq) known.set(id, { seq, document })
    return { id, outcome: 'written' }
  }

  return index
}
