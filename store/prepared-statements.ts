/** Number of prepared statements. Parsing and planning cost a recall's statements about as much as running them. */
const MAX_NAMED = 200
const MAX_COUNTED = 2_000
const NAMED_AFTER = 3

/**
 * Names the statements that repeat, so that each connection prepares them once. Names are never released, because a
 * connection keeps what it has prepared: the first 200 texts that are seen a third time get one, and lists of varying
 * length do not flood the server.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>()
  readonly #seen = new Map<string, number>()

  /** Returns the options for pg's query: a name, or nothing for a statement that is sent unprepared. */
  name(text: string): { name?: string } {
    const known = this.#names.get(text)
    if (known !== undefined) return { name: known }
    if (this.#names.size >= MAX_NAMED) return {}
    const times = (this.#seen.get(text) ?? 0) + 1
    if (times < NAMED_AFTER) {
      if (this.#seen.size >= MAX_COUNTED) this.#seen.clear()
      this.#seen.set(text, times)
      return {}
    }
    this.#seen.delete(text)
    const name = `cairn_${this.#names.size}`
    this.#names.set(text, name)
    return { name }
  }
}
