/** Scores of one question. R@k: share of its evidence among the first k memories. N@k: nDCG@k with binary relevance. */
export interface Scores {
  readonly 'R@1': number
  readonly 'R@5': number
  readonly 'R@10': number
  readonly 'N@5': number
  readonly 'N@10': number
  /** One over the rank of the first evidence; 0 when none was found. */
  readonly MRR: number
}

export const COLUMNS = ['R@1', 'R@5', 'R@10', 'N@5', 'N@10', 'MRR'] as const satisfies readonly (keyof Scores)[]
export type Column = (typeof COLUMNS)[number]

/** Means over questions. */
export interface Figures extends Scores {
  readonly questions: number
}

export interface FigureTable {
  /** Adds a question; see `scoresOf`. */
  add(category: string, found: readonly number[], wanted: number): void
  /** Returns the figures by category, with `all`. */
  rows(): Record<string, Figures>
}

export function createFigureTable(): FigureTable {
  const added = new Map<string, Scores[]>()
  return {
    add(category, found, wanted) {
      const scores = scoresOf(found, wanted)
      for (const name of ['all', category]) {
        const of = added.get(name) ?? []
        of.push(scores)
        added.set(name, of)
      }
    },
    rows: () => Object.fromEntries([...added].map(([name, scores]) => [name, meansOf(scores)])),
  }
}

/**
 * Returns the scores of one question. `found` contains, for each rank, how many pieces of evidence not found before
 * that memory stands for (a memory stands for several when they have the same text); `wanted` is how many there are.
 */
export function scoresOf(found: readonly number[], wanted: number): Scores {
  const first = found.findIndex((hits) => hits > 0)
  return {
    'R@1': recallAt(1, found, wanted),
    'R@5': recallAt(5, found, wanted),
    'R@10': recallAt(10, found, wanted),
    'N@5': gainAt(5, found, wanted),
    'N@10': gainAt(10, found, wanted),
    MRR: first === -1 ? 0 : 1 / (first + 1),
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

function meansOf(scores: readonly Scores[]): Figures {
  const mean = (column: Column) =>
    Number((scores.reduce((sum, score) => sum + score[column], 0) / scores.length).toFixed(4))
  return {
    questions: scores.length,
    'R@1': mean('R@1'),
    'R@5': mean('R@5'),
    'R@10': mean('R@10'),
    'N@5': mean('N@5'),
    'N@10': mean('N@10'),
    MRR: mean('MRR'),
  }
}
