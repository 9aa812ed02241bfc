/** One memory superseded another. */
export interface SupersessionLink {
  readonly oldId: string
  readonly newId: string
}

interface ChainMember {
  readonly id: string
  readonly createdAt: Date
}

/**
 * Sorts the members of a chain oldest first: a superseded memory precedes the one that superseded it; otherwise those are sorted by `compare`, by
 * default the earlier written one comes first. A cycle (two memories that conflict) is broken at its earliest member.
 */
export function orderBySupersession<T extends ChainMember>(
  members: readonly T[],
  supersessionLinks: readonly SupersessionLink[],
  compare: (a: T, b: T) => number = byWriting,
): T[] {
  const left = [...members].sort(compare)
  const older = new Map<string, string[]>()
  for (const { id } of left) older.set(id, [])
  for (const { oldId, newId } of supersessionLinks) if (oldId !== newId) older.get(newId)?.push(oldId)
  const waiting = new Set(left.map(({ id }) => id))
  const ordered: T[] = []
  while (left.length > 0) {
    const isFree = ({ id }: T) => !older.get(id)!.some((oldId) => waiting.has(oldId))
    const [next] = left.splice(Math.max(0, left.findIndex(isFree)), 1)
    waiting.delete(next!.id)
    ordered.push(next!)
  }
  return ordered
}

/** Compares memories by the time of their writing: of the same millisecond by id, which ascends in the order of the writes. */
export function byWriting(a: ChainMember, b: ChainMember): number {
  return +a.createdAt - +b.createdAt || (a.id < b.id ? -1 : 1)
}
