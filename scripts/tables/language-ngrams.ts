/**
 * Packs the n-grams of the language detector eld, database `small` (https://github.com/nitotm/efficient-language-detector-js,
 * Copyright 2023 Nito T.M., Apache License 2.0), as domain/text/ngram-scores.ts reads them. The package does not export
 * them, so its files are read.
 */
interface Database {
  readonly languages: Readonly<Record<string, string>>
  /** Scores by the place of a language; a byte of an n-gram is a character of the dictionary. */
  readonly ngrams: Readonly<Record<string, Readonly<Record<string, number>>>>
}

const NOTICE =
  'Packed by scripts/tables/ from the n-grams of eld 2.1.0 (https://github.com/nitotm/efficient-language-detector-js), Copyright 2023 Nito T.M., Apache License 2.0'

export async function languageNgrams(): Promise<string> {
  const { ngramsData } = (await import(fileOfEld('ngrams/small.js'))) as { ngramsData: Database }
  const { dictionary } = (await import(fileOfEld('dictionary.js'))) as { dictionary: readonly string[] }
  const byteOf = new Map(Object.entries(dictionary).map(([byte, character]) => [character, Number(byte)]))
  const ngrams = Object.entries(ngramsData.ngrams)
    .map(([ngram, scores]) => ({ ...keyOf(ngram, byteOf), scores: Object.entries(scores) }))
    .sort((a, b) => a.where - b.where || a.bytes - b.bytes)
  const packed = ngrams.flatMap(({ bytes, where, scores }) => [
    ...uint32(bytes),
    where | (scores.length << 2),
    ...scores.flatMap(([language, score]) => [Number(language), score]),
  ])
  const languages = Object.values(ngramsData.languages)
  return `${JSON.stringify({ notice: NOTICE, languages, count: ngrams.length, ngrams: Buffer.from(packed).toString('base64') })}\n`
}

function fileOfEld(path: string): string {
  return new URL(path, new URL('..', import.meta.resolve('eld/small'))).href
}

/** A space before or after the bytes says that the n-gram begins or ends a word. */
function keyOf(ngram: string, byteOf: ReadonlyMap<string, number>): { bytes: number; where: number } {
  const where = (ngram.startsWith(' ') ? 1 : 0) + (ngram.endsWith(' ') ? 2 : 0)
  const bytes = [...ngram.trim()].map((character) => byteOf.get(character)!)
  return { bytes: Buffer.from([...bytes, 0, 0, 0, 0]).readUInt32BE(), where }
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
