interface Entry {
  readonly value: number
  readonly a: number
  readonly b: number
}

/** Creates a heap that returns the entry of the largest value first; of equal ones the one with the lowest `a`, then `b`. */
export function createHeap() {
  const entries: Entry[] = []
  const isBefore = (x: Entry, y: Entry) =>
    x.value > y.value || (x.value === y.value && (x.a < y.a || (x.a === y.a && x.b < y.b)))

  function push(entry: Entry): void {
    let at = entries.push(entry) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(entry, entries[parent]!)) break
      entries[at] = entries[parent]!
      at = parent
    }
    entries[at] = entry
  }

  function pop(): Entry | undefined {
    const [top] = entries
    const last = entries.pop()
    if (entries.length === 0 || last === undefined) return top
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= entries.length) break
      const right = left + 1
      const child = right < entries.length && isBefore(entries[right]!, entries[left]!) ? right : left
      if (!isBefore(entries[child]!, last)) break
      entries[at] = entries[child]!
      at = child
    }
    entries[at] = last
    return top
  }

  return { push, pop }
}
