/** The two tries of a vocabulary of word pieces: what begins words and what continues them. */
export interface PieceTries {
  readonly heads: PieceTrie
  readonly tails: PieceTrie
  /** Pieces of the vocabulary; ids are below. */
  readonly pieces: number
}

const UINT16 = 2
const UINT32 = 4

/** Reads tries that scripts/tables/pieces.ts packed; null when they do not have the length that they say. */
export function readTries(packed: Buffer): PieceTries | null {
  if (packed.length < UINT32 || packed.readUInt32LE(0) !== packed.length) return null
  const heads = new PieceTrie(packed, 2 * UINT32)
  return { heads, tails: new PieceTrie(packed, heads.end), pieces: packed.readUInt32LE(UINT32) }
}

/** Value of a node that begins pieces and is none itself. */
const NO_PIECE = -1

/**
 * Finds the longest piece at a place of a text: a trie in four typed arrays, 11 bytes a node. With a map, each lookup
 * would cut out and hash every length of a piece: twice the time for Thai, whose words are not apart.
 *
 * Nodes have the order of a breadth-first walk, so the children of node n are those from `firstChild[n]` to
 * `firstChild[n + 1]`, in the order of their characters. Node 0 is the root.
 */
export class PieceTrie {
  /** Place of the first byte after the packed trie. */
  readonly end: number
  readonly #character: Uint16Array
  readonly #firstChild: Uint32Array
  readonly #value: Int32Array
  readonly #depth: Uint8Array

  /** Reads a trie that begins at `start`. */
  constructor(packed: Buffer, start: number) {
    const nodes = packed.readUInt32LE(start)
    const characters = start + 2 * UINT32
    const children = characters + nodes * UINT16
    let value = children + nodes * UINT16
    this.#character = new Uint16Array(nodes)
    this.#firstChild = new Uint32Array(nodes + 1)
    this.#value = new Int32Array(nodes).fill(NO_PIECE)
    this.#depth = new Uint8Array(nodes)
    let next = 1
    for (let node = 0; node < nodes; node++) {
      this.#character[node] = packed.readUInt16LE(characters + node * UINT16)
      this.#firstChild[node] = next
      const twiceChildren = packed.readUInt16LE(children + node * UINT16)
      this.#depth.fill(this.#depth[node]! + 1, next, next + (twiceChildren >> 1))
      next += twiceChildren >> 1
      if (twiceChildren % 2 === 0) continue
      this.#value[node] = packed.readUInt32LE(value)
      value += UINT32
    }
    this.#firstChild[nodes] = next
    this.end = value
  }

  /** Returns the node of the longest piece that begins at `start`; 0 for none. */
  longest(text: string, start: number): number {
    let longest = 0
    for (let node = 0, at = start; at < text.length; at++) {
      node = this.#child(node, text.charCodeAt(at))
      if (node === 0) break
      if (this.#value[node] !== NO_PIECE) longest = node
    }
    return longest
  }

  valueOf(node: number): number {
    return this.#value[node]!
  }

  /** Returns the length of a node's piece in UTF-16 units. */
  lengthOf(node: number): number {
    return this.#depth[node]!
  }

  /** Returns the child with the character; 0 for none. */
  #child(node: number, character: number): number {
    let low = this.#firstChild[node]!
    let high = this.#firstChild[node + 1]!
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#character[middle]! < character) low = middle + 1
      else high = middle
    }
    return low < this.#firstChild[node + 1]! && this.#character[low] === character ? low : 0
  }
}
