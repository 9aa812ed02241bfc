/** Returns where the lines of a text begin. */
export function lineStartsOf(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Returns the line of a position, from 1. */
export function lineAt(starts: readonly number[], position: number): number {
  return countUpTo(starts, position, (start) => start)
}

/** Returns how many items of an ascending list are not greater than a value. */
export function countUpTo<T>(items: readonly T[], value: number, of: (item: T) => number): number {
  let low = 0
  let high = items.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (of(items[middle]!) <= value) low = middle + 1
    else high = middle
  }
  return low
}
