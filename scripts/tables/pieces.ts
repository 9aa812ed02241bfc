/** Packs a vocabulary of word pieces as models/piece-trie.ts reads it: two tries, of what begins words and what continues them. */
import { withoutMarks } from '../../models/multilingual-pieces.js'

/** Maps pieces to their ids, 0 or greater. */
type Pieces = ReadonlyMap<string, number>

const CONTINUATION = '##'
const DEEPEST = 255

export interface VocabularyOptions {
  /** Lets a piece also answer to its form without marks, unless that is a piece itself. */
  readonly bareForms: boolean
}

/**
 * Returns the packed tries of a vocabulary, which has one piece per line, whose number from 0 is its id. Before them are
 * the number of bytes in all and that of pieces.
 */
export function packVocabulary(text: string, { bareForms }: VocabularyOptions): Buffer {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const { heads, tails } = headsAndTails(lines)
  const tries = [heads, tails].map((pieces) => packPieces(bareForms ? withBareForms(pieces) : pieces))
  const bytes = tries.reduce((sum, { length }) => sum + length, 8)
  return Buffer.concat([uint32s([bytes, lines.length]), ...tries])
}

/** Pieces that continue a word are written `##piece`. */
function headsAndTails(lines: readonly string[]) {
  const heads = new Map<string, number>()
  const tails = new Map<string, number>()
  for (const [id, piece] of lines.entries())
    if (piece.startsWith(CONTINUATION) && piece !== CONTINUATION) tails.set(piece.slice(CONTINUATION.length), id)
    else heads.set(piece, id)
  return { heads, tails }
}

function withBareForms(pieces: Pieces): Pieces {
  const all = new Map(pieces)
  for (const [piece, id] of pieces) {
    const bare = withoutMarks(piece)
    if (bare !== '' && !all.has(bare)) all.set(bare, id)
  }
  return all
}

/**
 * Packs a trie, whose nodes have the order of a breadth-first walk: the numbers of nodes and pieces, each node's
 * character, each node's number of children twice, plus 1 for a piece, and the pieces' values in the order of their nodes.
 * Throws for a piece of more than 255 UTF-16 units.
 */
export function packPieces(pieces: Pieces): Buffer {
  const sorted = [...pieces.keys()].sort()
  const [characters, children, values]: number[][] = [[0], [], []]
  // The sorted pieces that begin with a node.
  let level = [{ from: 0, to: sorted.length }]
  for (let depth = 0; level.length > 0; depth++) {
    const next = []
    for (const { from, to } of level) {
      // The piece that ends here comes before those that go on.
      const isPiece = from < to && sorted[from]!.length === depth
      if (isPiece) values!.push(pieces.get(sorted[from]!)!)
      const before = next.length
      for (let at = isPiece ? from + 1 : from, end; at < to; at = end) {
        if (depth === DEEPEST) throw new Error(`a piece has more than ${DEEPEST} characters`)
        end = endOfRun(sorted, at, to, depth)
        characters!.push(sorted[at]!.charCodeAt(depth))
        next.push({ from: at, to: end })
      }
      children!.push((next.length - before) * 2 + (isPiece ? 1 : 0))
    }
    level = next
  }
  return Buffer.concat([
    uint32s([children!.length, values!.length]),
    uint16s(characters!),
    uint16s(children!),
    uint32s(values!),
  ])
}

/** Returns the end of the sorted pieces from `start` that have the same character at `depth`. */
function endOfRun(sorted: readonly string[], start: number, end: number, depth: number): number {
  const character = sorted[start]!.charCodeAt(depth)
  let at = start + 1
  while (at < end && sorted[at]!.charCodeAt(depth) === character) at++
  return at
}

function uint16s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, 2 * i)
  return bytes
}

function uint32s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i)
  return bytes
}
