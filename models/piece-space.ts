import { LRUCache } from 'lru-cache'
import { ASCII_TEXT } from '../domain/text/words.js'
import { englishTable } from './piece-table.js'

/**
 * Similarity of word pieces by the vectors of the English table, whichever embedder is used. A piece is a row of the
 * table.
 */
export interface PieceSpace {
  /**
   * Returns the first 256 distinct pieces of a text that have a row in the table, in the order of their first
   * occurrence.
   */
  piecesOf(text: string): Uint16Array
  /** Returns false for a folded word of other letters than the table's, which are `a` to `z`, and for one without all its pieces in it. */
  knows(word: string): boolean
  /** Returns the cosine of the piece and each of the others, in steps of .004: 0 to 1. */
  similaritiesTo(piece: number, others: Uint16Array): Float32Array
}

/** Cached rows of a query's pieces: 30 KB each. Their similarities are computed on demand. */
const MOST_KEPT = 512
/**
 * Maximum distinct pieces of a text: some 1,500 characters. More would make one long memory as expensive to compare as
 * twenty.
 */
const MOST_PIECES = 256
const UNKNOWN = 255
const STEPS = 254

export async function createPieceSpace(): Promise<PieceSpace> {
  const table = await englishTable()
  const { matrix, dimensions, rows } = table
  const lengths = lengthsOf(matrix, rows, dimensions)
  const kept = new LRUCache<number, Uint8Array>({ max: MOST_KEPT })

  function similaritiesOf(piece: number): Uint8Array {
    let row = kept.get(piece)
    if (row === undefined) kept.set(piece, (row = new Uint8Array(rows).fill(UNKNOWN)))
    return row
  }

  function similarity(a: number, b: number): number {
    const [atA, atB] = [a * dimensions, b * dimensions]
    let [even, odd] = [0, 0]
    for (let i = 0; i + 1 < dimensions; i += 2) {
      even += matrix[atA + i]! * matrix[atB + i]!
      odd += matrix[atA + i + 1]! * matrix[atB + i + 1]!
    }
    if (dimensions % 2 === 1) even += matrix[atA + dimensions - 1]! * matrix[atB + dimensions - 1]!
    const product = even + odd
    return product <= 0 ? 0 : Math.min(STEPS, Math.round((STEPS * product) / (lengths[a]! * lengths[b]!)))
  }

  return {
    piecesOf(text) {
      const pieces = new Set<number>()
      for (const row of table.rowsOf(text)) if (pieces.add(row).size === MOST_PIECES) break
      return Uint16Array.from(pieces)
    },
    knows: (word) => ASCII_TEXT.test(word) && table.knows(word),
    similaritiesTo(piece, others) {
      const steps = similaritiesOf(piece)
      const similarities = new Float32Array(others.length)
      for (let i = 0; i < others.length; i++) {
        const other = others[i]!
        if (steps[other] === UNKNOWN) steps[other] = other === piece ? STEPS : similarity(piece, other)
        similarities[i] = steps[other]! / STEPS
      }
      return similarities
    },
  }
}

/** Returns the length of each row; 1 for a row of zeros, so that it is similar to nothing. */
function lengthsOf(matrix: Int8Array, rows: number, dimensions: number): Float32Array {
  const lengths = new Float32Array(rows)
  for (let row = 0; row < rows; row++) {
    let squares = 0
    for (let i = row * dimensions; i < (row + 1) * dimensions; i++) squares += matrix[i]! * matrix[i]!
    lengths[row] = Math.sqrt(squares) || 1
  }
  return lengths
}
