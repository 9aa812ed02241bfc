import type { Random } from '../random.js'

/** One memory as its writer knows it. */
export interface Entry {
  readonly id: string
  readonly tenantId: string
  content: string
  /** `changing` means that a change or a deletion has been sent and is not answered yet. */
  state: 'kept' | 'changing' | 'deleted'
  /** Counts the changes, so that a reader notices one that came meanwhile. */
  version: number
  /** Time at which its deletion was acknowledged, by `performance.now()`. */
  deletedAt: number | null
}

/** Records what the service acknowledged, and what must therefore exist, or be gone, whatever fails. */
export class Ledger {
  readonly #byId = new Map<string, Entry>()
  /** Entries in the order of their acknowledgement. */
  readonly #entries: Entry[] = []
  acknowledged = 0

  add(tenantId: string, id: string, content: string): void {
    const entry: Entry = { id, tenantId, content, state: 'kept', version: 0, deletedAt: null }
    this.#byId.set(id, entry)
    this.#entries.push(entry)
    this.acknowledged++
  }

  find(id: string): Entry | undefined {
    return this.#byId.get(id)
  }

  of(tenantId: string): Entry[] {
    return this.#entries.filter((entry) => entry.tenantId === tenantId)
  }

  /**
   * Picks one of the tenant's current memories: one of the newest twenty, or any. Returns undefined when a few attempts
   * find none.
   */
  pickKept(tenantId: string, random: Random): Entry | undefined {
    const entries = this.#entries
    for (let tries = 0; tries < 20 && entries.length > 0; tries++) {
      const from = random.chance(0.4) ? Math.max(0, entries.length - 20) : 0
      const entry = entries[random.whole(from, entries.length - 1)]!
      if (entry.tenantId === tenantId && entry.state === 'kept') return entry
    }
    return undefined
  }

  get size(): number {
    return this.#entries.length
  }
}
