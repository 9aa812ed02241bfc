import { LRUCache } from 'lru-cache'
import type { Principal } from '../../domain/principal.js'
import { frequentLanguages, type Language, type LanguageCounts } from '../../domain/text/language.js'
import type { Reader, Store } from '../../store/store.js'
import { readLanguageCounts } from '../../store/tenants/language-counts.js'

/** Most tenants that a process remembers: 20 languages each, some 2 MB. */
const MOST_TENANTS = 2_000
const REMEMBERED_MS = 60_000
/** Texts of a tenant below which its counts still change much with each, and every write reads them. */
const FEWEST_TEXTS = 100
/** Time for which the searches of such a tenant remember them. */
const FEW_REMEMBERED_MS = 1_000

/**
 * The languages that each tenant writes, remembered for a minute. They decide close calls about others of its texts, and are those in which
 * its queries of unknown language are read.
 */
export class TenantLanguages {
  readonly #counts = new LRUCache<string, LanguageCounts>({ max: MOST_TENANTS })

  async of(reader: Reader): Promise<LanguageCounts> {
    const remembered = this.#counts.get(reader.tenantId)
    return remembered !== undefined && areMany(remembered) ? remembered : this.#read(reader)
  }

  /** Returns the languages in which a query of this tenant is read whose own is uncertain. */
  async ofQueries(store: Pick<Store, 'readAtOnce'>, principal: Principal): Promise<readonly Language[]> {
    const remembered = this.#counts.get(principal.tenantId)
    return frequentLanguages(remembered ?? (await store.readAtOnce(principal, (reader) => this.#read(reader))))
  }

  async #read(reader: Reader): Promise<LanguageCounts> {
    const counts = await readLanguageCounts(reader)
    this.#counts.set(reader.tenantId, counts, { ttl: areMany(counts) ? REMEMBERED_MS : FEW_REMEMBERED_MS })
    return counts
  }
}

function areMany(counts: LanguageCounts): boolean {
  return [...counts.values()].reduce((sum, count) => sum + count, 0) >= FEWEST_TEXTS
}
