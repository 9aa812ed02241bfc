import type { AnalysedText } from './candidate.js'

/**
 * Version of what `encodeText` writes, and of what it is made from: a change of the layout or of the analysis of texts
 * raises it, together with the version of both engines, so that the index that is built anew brings all texts with it
 * (README.md). Until then each recall analyses the texts of another version.
 */
export const TEXT_FORMAT = 6

/** Begins the bytes, in the byte order of the machine, like the arrays: another machine's bytes are refused. */
const MAGIC = (0x63740000 | TEXT_FORMAT) >>> 0
const HEADER_BYTES = 64
const KEY = { at: 48, bytes: 16 } as const

const BY_AGENT = 1
const HAS_AUTHOR = 2
const MENTIONS_TIME = 4

/**
 * Encodes an analysed text: 64 bytes of header, 4 for each term's number and 2 for its count, 2 for each piece, the
 * vector, the author's name in UTF-8. A usual memory takes some 500 bytes, half of them a vector of 256 dimensions.
 */
export function encodeText(text: AnalysedText): Uint8Array<ArrayBuffer> {
  const { terms, pieces, vector, author, textKey } = text
  const name = Buffer.from(author?.name ?? '', 'utf8')
  const sizes = [terms.hashes.length, pieces.length, vector?.bytes.length ?? 0, name.length] as const
  const places = placesOf(...sizes)
  const bytes = new Uint8Array(places.end)
  const { buffer } = bytes
  const header = new DataView(buffer)
  new Uint32Array(buffer, 0, 1)[0] = MAGIC
  header.setUint32(4, text.length)
  header.setFloat64(8, text.at)
  header.setFloat64(16, text.until ?? NaN)
  header.setFloat64(24, text.stated)
  header.setFloat32(32, vector?.scale ?? 0)
  header.setUint32(36, sizes[0])
  for (const [i, size] of sizes.slice(1).entries()) header.setUint16(40 + 2 * i, size)
  header.setUint16(46, flagsOf(text))
  bytes.set(Buffer.from(textKey, 'latin1'), KEY.at)
  new Uint32Array(buffer, HEADER_BYTES, sizes[0]).set(terms.hashes)
  new Uint16Array(buffer, places.counts, sizes[0]).set(terms.counts)
  new Uint16Array(buffer, places.pieces, sizes[1]).set(pieces)
  if (vector) new Int8Array(buffer, places.vector, sizes[2]).set(vector.bytes)
  bytes.set(name, places.name)
  return bytes
}

/**
 * Decodes what `encodeText` wrote, without copying its arrays. Returns null for anything else: bytes of another format or
 * machine, or of another length than they say.
 */
export function decodeText(bytes: Uint8Array<ArrayBuffer>): AnalysedText | null {
  const { buffer } = bytes
  if (bytes.byteOffset !== 0 || bytes.length !== buffer.byteLength || bytes.length < HEADER_BYTES) return null
  if (new Uint32Array(buffer, 0, 1)[0] !== MAGIC) return null
  const header = new DataView(buffer)
  const [terms, pieces, dimensions] = [header.getUint32(36), header.getUint16(40), header.getUint16(42)]
  const nameBytes = header.getUint16(44)
  const places = placesOf(terms, pieces, dimensions, nameBytes)
  if (places.end !== bytes.length) return null
  const flags = header.getUint16(46)
  const until = header.getFloat64(16)
  const read = Buffer.from(buffer)
  return {
    terms: {
      hashes: new Uint32Array(buffer, HEADER_BYTES, terms),
      counts: new Uint16Array(buffer, places.counts, terms),
    },
    length: header.getUint32(4),
    vector:
      dimensions === 0
        ? null
        : { bytes: new Int8Array(buffer, places.vector, dimensions), scale: header.getFloat32(32) },
    pieces: new Uint16Array(buffer, places.pieces, pieces),
    author:
      (flags & HAS_AUTHOR) === 0
        ? null
        : { name: read.toString('utf8', places.name), isAgent: (flags & BY_AGENT) !== 0 },
    stated: header.getFloat64(24),
    mentionsTime: (flags & MENTIONS_TIME) !== 0,
    textKey: read.toString('latin1', KEY.at, KEY.at + KEY.bytes),
    at: header.getFloat64(8),
    until: Number.isNaN(until) ? null : until,
  }
}

function flagsOf({ author, mentionsTime }: AnalysedText): number {
  return (author === null ? 0 : HAS_AUTHOR | (author.isAgent ? BY_AGENT : 0)) | (mentionsTime ? MENTIONS_TIME : 0)
}

/** Returns where each part begins; every array is aligned. */
function placesOf(terms: number, pieces: number, dimensions: number, name: number) {
  const counts = HEADER_BYTES + 4 * terms
  const ofPieces = counts + 2 * terms
  const vector = ofPieces + 2 * pieces
  return { counts, pieces: ofPieces, vector, name: vector + dimensions, end: vector + dimensions + name }
}
