import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createWordPieceTokenizer, loadVocabulary, type WordPieceTokenizer } from './word-pieces.js'

const FORMAT = 'static-int8/1'

/** A matrix of signed bytes with one scale per row; row r belongs to the word piece `firstId + r`. */
export interface PieceTable {
  readonly dimensions: number
  readonly rows: number
  readonly firstId: number
  readonly matrix: Int8Array
  readonly scales: Float32Array
  readonly tokenizer: WordPieceTokenizer
}

let builtIn: Promise<PieceTable> | undefined

/** Returns the table that is part of this package (models/static/en-256/README.md), read once per process. */
export function builtInTable(): Promise<PieceTable> {
  return (builtIn ??= loadPieceTable(path.join(packageRoot(), 'models', 'static', 'en-256')))
}

/** Reads model.json, vocab.txt, matrix.i8 and scales.f32. Throws when one is missing or they do not fit together. */
export async function loadPieceTable(directory: string): Promise<PieceTable> {
  const [description, matrixBytes, scaleBytes, vocabulary] = await Promise.all([
    readFile(path.join(directory, 'model.json'), 'utf8'),
    readFile(path.join(directory, 'matrix.i8')),
    readFile(path.join(directory, 'scales.f32')),
    loadVocabulary(path.join(directory, 'vocab.txt')),
  ])
  const model = JSON.parse(description) as { format: string; dim: number; first_id: number; rows: number }
  if (model.format !== FORMAT) throw new Error(`${directory}: format ${model.format}, expected ${FORMAT}`)
  if (matrixBytes.length !== model.rows * model.dim || scaleBytes.length !== model.rows * 4) {
    throw new Error(`${directory}: matrix.i8 and scales.f32 are not the size that model.json says`)
  }
  const scales = Float32Array.from({ length: model.rows }, (_, row) => scaleBytes.readFloatLE(row * 4))
  const matrix = new Int8Array(matrixBytes.buffer, matrixBytes.byteOffset, matrixBytes.length)
  const tokenizer = createWordPieceTokenizer(vocabulary)
  return { dimensions: model.dim, rows: model.rows, firstId: model.first_id, matrix, scales, tokenizer }
}

/** Returns the nearest parent folder with a package.json, which is the same for the sources and for dist/. */
function packageRoot(): string {
  const start = path.dirname(fileURLToPath(import.meta.url))
  for (let folder = start; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, 'package.json'))) return folder
    if (folder === path.dirname(folder)) throw new Error(`no package.json above ${start}`)
  }
}
