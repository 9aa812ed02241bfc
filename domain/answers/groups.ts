/** Disjoint groups (union-find); what joined no other is a group of its own. */
export class Groups<T> {
  readonly #parents = new Map<T, T>()

  join(a: T, b: T): void {
    const [to, from] = [this.#rootOf(a), this.#rootOf(b)]
    if (to !== from) this.#parents.set(from, to)
  }

  haveJoined(a: T, b: T): boolean {
    return this.#rootOf(a) === this.#rootOf(b)
  }

  /** Returns the members by group, in their order. */
  of<M>(members: readonly M[], keyOf: (member: M) => T): M[][] {
    const groups = new Map<T, M[]>()
    for (const member of members) {
      const root = this.#rootOf(keyOf(member))
      const group = groups.get(root)
      if (group === undefined) groups.set(root, [member])
      else group.push(member)
    }
    return [...groups.values()]
  }

  #rootOf(member: T): T {
    const parent = this.#parents.get(member)
    if (parent === undefined) return member
    const root = this.#rootOf(parent)
    this.#parents.set(member, root)
    return root
  }
}
