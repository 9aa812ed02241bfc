import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createMultilingualTokenizer } from './multilingual-pieces.js'
import { type PieceTries, readTries } from './piece-trie.js'
import { createWordPieceTokenizer, type PieceTokenizer } from './word-pieces.js'

/** A matrix with one scale per row; row r belongs to the word piece `firstId + r`. */
export interface PieceTable {
  readonly dimensions: number
  readonly rows: number
  /** Returns the rows of the text's pieces in order, without the pieces that have none. */
  rowsOf(text: string): number[]
  /** Returns true when every piece of the text has a row. */
  knows(text: string): boolean
  /** Adds these rows, each times its scale, to the first values of `sum`. */
  addRows(rows: readonly number[], sum: Float64Array): void
}

/** A table of signed bytes. */
export interface ByteTable extends PieceTable {
  readonly matrix: Int8Array
}

let english: Promise<ByteTable> | undefined
let multilingual: Promise<PieceTable> | undefined

/** Returns the English table of this package (models/static/en-256/README.md), read once per process. */
export function englishTable(): Promise<ByteTable> {
  return (english ??= loadByteTable(staticFolder('en-256')))
}

/** Returns the multilingual table of this package (models/static/multi-256/README.md), read once per process. */
export function multilingualTable(): Promise<PieceTable> {
  return (multilingual ??= loadNibbleTable(staticFolder('multi-256')))
}

/**
 * Reads model.json of format `static-int8/1`, pieces.trie, matrix.i8 and scales.f32. Throws when one is missing or they do
 * not fit together.
 */
export async function loadByteTable(directory: string): Promise<ByteTable> {
  const files = await readTable(directory, { format: 'static-int8/1', matrixFile: 'matrix.i8', valuesPerByte: 1 })
  const { dimensions, matrixBytes, scales } = files
  const matrix = new Int8Array(matrixBytes.buffer, matrixBytes.byteOffset, matrixBytes.length)
  return {
    ...tableOf(files, createWordPieceTokenizer(files.tries)),
    matrix,
    addRows: (rows, sum) => addFours(rows, scales, (four) => addBytes(matrix, dimensions, four, sum)),
  }
}

/**
 * Reads model.json of format `static-int4/1`, pieces.trie, matrix.i4 and scales.f32, and throws likewise. The matrix stays
 * packed: half the memory of bytes, and 11.6 instead of 15.2 µs for 30 pieces, since it is read from memory.
 */
export async function loadNibbleTable(directory: string): Promise<PieceTable> {
  const files = await readTable(directory, { format: 'static-int4/1', matrixFile: 'matrix.i4', valuesPerByte: 2 })
  const { dimensions, matrixBytes: matrix, scales } = files
  return {
    ...tableOf(files, createMultilingualTokenizer(files.tries)),
    addRows: (rows, sum) => addFours(rows, scales, (four) => addNibbles(matrix, dimensions / 2, four, sum)),
  }
}

interface TableFiles {
  readonly dimensions: number
  readonly rows: number
  readonly firstId: number
  readonly matrixBytes: Uint8Array
  readonly scales: Float32Array
  readonly tries: PieceTries
}

interface TableFormat {
  readonly format: string
  readonly matrixFile: string
  readonly valuesPerByte: number
}

async function readTable(directory: string, { format, matrixFile, valuesPerByte }: TableFormat): Promise<TableFiles> {
  const [description, matrixBytes, scaleBytes, packedTries] = await Promise.all([
    readFile(path.join(directory, 'model.json'), 'utf8'),
    readFile(path.join(directory, matrixFile)),
    readFile(path.join(directory, 'scales.f32')),
    readFile(path.join(directory, 'pieces.trie')),
  ])
  const model = JSON.parse(description) as { format: string; dim: number; first_id: number; rows: number }
  if (model.format !== format) throw new Error(`${directory}: format ${model.format}, expected ${format}`)
  const { dim: dimensions, first_id: firstId, rows } = model
  const tries = readTries(packedTries)
  const fits =
    matrixBytes.length * valuesPerByte === rows * dimensions &&
    scaleBytes.length === rows * 4 &&
    tries?.pieces === firstId + rows
  if (!fits)
    throw new Error(`${directory}: ${matrixFile}, scales.f32 and pieces.trie are not the size that model.json says`)
  const scales = Float32Array.from({ length: rows }, (_, row) => scaleBytes.readFloatLE(row * 4))
  return { dimensions, rows, firstId, matrixBytes, scales, tries }
}

function tableOf({ dimensions, rows, firstId }: TableFiles, { encode }: PieceTokenizer) {
  return {
    dimensions,
    rows,
    rowsOf: (text: string) =>
      encode(text)
        .filter((id) => id >= firstId)
        .map((id) => id - firstId),
    knows: (text: string) => encode(text).every((id) => id >= firstId),
  }
}

/** Four rows with their scales: one pass over the sum for four of them, since loading and storing it is what costs. */
interface FourRows {
  readonly rows: readonly [number, number, number, number]
  readonly scales: readonly [number, number, number, number]
}

/** Past the last row, the first of its four is used with scale 0, which adds nothing. */
function addFours(rows: readonly number[], scales: Float32Array, add: (four: FourRows) => void): void {
  for (let first = 0; first < rows.length; first += 4) {
    const a = rows[first]!
    const [b, c, d] = [rows[first + 1], rows[first + 2], rows[first + 3]]
    const scaleOf = (row: number | undefined) => (row === undefined ? 0 : scales[row]!)
    add({ rows: [a, b ?? a, c ?? a, d ?? a], scales: [scales[a]!, scaleOf(b), scaleOf(c), scaleOf(d)] })
  }
}

function addBytes(matrix: Int8Array, width: number, { rows, scales }: FourRows, sum: Float64Array): void {
  const [a, b, c, d] = scales
  const [atA, atB, atC, atD] = [rows[0] * width, rows[1] * width, rows[2] * width, rows[3] * width]
  for (let i = 0; i < width; i++)
    sum[i]! += a * matrix[atA + i]! + b * matrix[atB + i]! + c * matrix[atC + i]! + d * matrix[atD + i]!
}

/** Byte i of a row has value 2i in its low four bits and 2i + 1 in its high ones, each plus 8. */
function addNibbles(matrix: Uint8Array, width: number, { rows, scales }: FourRows, sum: Float64Array): void {
  const [a, b, c, d] = scales
  const eights = 8 * (a + b + c + d)
  const [atA, atB, atC, atD] = [rows[0] * width, rows[1] * width, rows[2] * width, rows[3] * width]
  for (let i = 0; i < width; i++) {
    const [byteA, byteB, byteC, byteD] = [matrix[atA + i]!, matrix[atB + i]!, matrix[atC + i]!, matrix[atD + i]!]
    sum[2 * i]! += a * (byteA & 15) + b * (byteB & 15) + c * (byteC & 15) + d * (byteD & 15) - eights
    sum[2 * i + 1]! += a * (byteA >> 4) + b * (byteB >> 4) + c * (byteC >> 4) + d * (byteD >> 4) - eights
  }
}

/** Returns a folder below models/static. */
function staticFolder(name: string): string {
  return path.join(packageRoot(), 'models', 'static', name)
}

/** Returns the nearest parent folder with a package.json, which is the same for the sources and for dist/. */
function packageRoot(): string {
  const start = path.dirname(fileURLToPath(import.meta.url))
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) throw new Error(`no package.json above ${start}`)
  }
}
