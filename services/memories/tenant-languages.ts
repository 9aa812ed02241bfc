import { LRUCache } from 'lru-cache'
import type { LanguageCounts } from '../../domain/text/language.js'
import type { Reader } from '../../store/store.js'
import { readLanguageCounts } from '../../store/tenants/language-counts.js'

/** Most tenants that a process remembers: 20 languages each, some 2 MB. */
const MOST_TENANTS = 2_000
const REMEMBERED_MS = 60_000
/** Texts of a tenant below which its counts still change much with each, and are read each time. */
const FEWEST_TEXTS = 100

/** The languages that each tenant writes, remembered for a minute: they decide close calls about others of its texts. */
export class TenantLanguages {
  readonly #counts = new LRUCache<string, LanguageCounts>({ max: MOST_TENANTS, ttl: REMEMBERED_MS })

  async of(reader: Reader): Promise<LanguageCounts> {
    const remembered = this.#counts.get(reader.tenantId)
    if (remembered !== undefined) return remembered
    const counts = await readLanguageCounts(reader)
    const texts = [...counts.values()].reduce((sum, count) => sum + count, 0)
    if (texts >= FEWEST_TEXTS) this.#counts.set(reader.tenantId, counts)
    return counts
  }
}
