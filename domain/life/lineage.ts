/** One memory took another's place. */
export interface Succession {
  readonly oldId: string
  readonly newId: string
}

/**
 * The members of a chain, oldest first: whatever was displaced comes before what displaced it, and where nothing says, what was
 * written first. A circle (two rows that conflict) is cut at its earliest member.
 */
export function inOrderOfSuccession<T extends { readonly id: string; readonly createdAt: Date }>(
  members: readonly T[],
  successions: readonly Succession[],
): T[] {
  const left = [...members].sort((a, b) => +a.createdAt - +b.createdAt || (a.id < b.id ? -1 : 1))
  const ordered: T[] = []
  while (left.length > 0) {
    const waiting = new Set(left.map(({ id }) => id))
    const isFree = ({ id }: T) =>
      !successions.some((one) => one.newId === id && waiting.has(one.oldId) && one.oldId !== id)
    const next = Math.max(0, left.findIndex(isFree))
    ordered.push(...left.splice(next, 1))
  }
  return ordered
}
