import { LRUCache } from 'lru-cache'
import type pg from 'pg'

/** Number of prepared statements. Parsing and planning cost a recall's statements about as much as running them. */
const MAX_NAMED = 200
const MAX_COUNTED = 2_000
const NAMED_AFTER = 3

/**
 * Names the statements that repeat, so that each connection prepares them once. A text that is seen a third time gets a name, and the name
 * that was used least recently is given up, so that neither lists of varying length nor one caller's many filters keep the others from theirs.
 */
export class PreparedStatements {
  readonly #names = new LRUCache<string, string>({ max: MAX_NAMED, dispose: () => this.#givenUp++ })
  readonly #seen = new LRUCache<string, number>({ max: MAX_COUNTED })
  #made = 0
  /** Number of names that were given up. */
  #givenUp = 0
  /** That number when each connection last released what it had prepared. */
  readonly #releasedAt = new WeakMap<pg.ClientBase, number>()

  /** Returns the options for pg's query: a name, or nothing for a statement that is sent unprepared. */
  name(text: string): { name?: string } {
    const known = this.#names.get(text)
    if (known !== undefined) return { name: known }
    const times = (this.#seen.get(text) ?? 0) + 1
    this.#seen.set(text, times)
    if (times < NAMED_AFTER) return {}
    this.#seen.delete(text)
    const name = `cairn_${this.#made++}`
    this.#names.set(text, name)
    return { name }
  }

  /** Has the server forget what this connection prepared under names that were given up; for a connection with nothing under way. */
  release(client: pg.ClientBase): void {
    if ((this.#releasedAt.get(client) ?? 0) === this.#givenUp) return
    this.#releasedAt.set(client, this.#givenUp)
    const { parsedStatements } = (client as unknown as PreparingClient).connection
    const current = new Set(this.#names.values())
    const names = Object.keys(parsedStatements).filter((name) => !current.has(name))
    for (const name of names) {
      delete parsedStatements[name]
      // Where the connection is lost, the next statement notices.
      client.query(`deallocate ${name}`).catch(() => undefined)
    }
  }
}

/** Holds the texts of a connection's prepared statements by name, as pg keeps them. */
interface PreparingClient {
  readonly connection: { readonly parsedStatements: Record<string, string> }
}
