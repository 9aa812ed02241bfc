/** Sums over the questions of one kind. */
interface Sums {
  questions: number
  r5: number
  r10: number
  n5: number
  n10: number
}

/** R@k: share of a question's evidence among the first k memories. N@k: nDCG@k with binary relevance. Means over questions. */
export interface Figures {
  readonly questions: number
  readonly 'R@5': number
  readonly 'R@10': number
  readonly 'N@5': number
  readonly 'N@10': number
}

export interface FigureTable {
  /**
   * `found` holds, per rank, how many pieces of not yet found evidence that memory stands for (a memory stands for several
   * when they have the same text); `wanted` is how many there are.
   */
  add(category: string, found: readonly number[], wanted: number): void
  /** By category, with `all`. */
  rows(): Record<string, Figures>
}

export function createFigureTable(): FigureTable {
  const sums = new Map<string, Sums>()
  return {
    add(category, found, wanted) {
      for (const name of ['all', category]) {
        const row = sums.get(name) ?? { questions: 0, r5: 0, r10: 0, n5: 0, n10: 0 }
        sums.set(name, row)
        row.questions += 1
        row.r5 += recallAt(5, found, wanted)
        row.r10 += recallAt(10, found, wanted)
        row.n5 += gainAt(5, found, wanted)
        row.n10 += gainAt(10, found, wanted)
      }
    },
    rows: () => Object.fromEntries([...sums].map(([name, row]) => [name, meansOf(row)])),
  }
}

function recallAt(k: number, found: readonly number[], wanted: number): number {
  return found.slice(0, k).reduce((sum, hits) => sum + hits, 0) / wanted
}

function gainAt(k: number, found: readonly number[], wanted: number): number {
  const discount = (rank: number) => 1 / Math.log2(rank + 2)
  const gain = found.slice(0, k).reduce((sum, hits, rank) => sum + (hits > 0 ? discount(rank) : 0), 0)
  let ideal = 0
  for (let rank = 0; rank < Math.min(k, wanted); rank++) ideal += discount(rank)
  return gain / ideal
}

function meansOf({ questions, r5, r10, n5, n10 }: Sums): Figures {
  const mean = (sum: number) => Number((sum / questions).toFixed(4))
  return { questions, 'R@5': mean(r5), 'R@10': mean(r10), 'N@5': mean(n5), 'N@10': mean(n10) }
}
