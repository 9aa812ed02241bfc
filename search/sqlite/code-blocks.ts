import type { VisibleRow } from '../../domain/visibility.js'
import { firstAudienceOf } from '../audiences.js'
import { type Connection, bytesOf, wordsOf } from './connection.js'
import type { VectorCodec } from './vector-codec.js'

/**
 * The codes of a tenant's vectors, in blocks of consecutive documents: each has a slot at the place of its rowid, with
 * the code and the number of the audience that reads it; 0 stands for an empty slot. A block that changes gets the
 * tenant's next version, by which a reader knows what to read again. A block never goes: an empty one is empty bytes.
 */
export interface BlockShape {
  readonly codec: VectorCodec
  /** Words of 32 bits of one slot: the code, then the audience. */
  readonly slotWords: number
  /** A power of two, and its logarithm. */
  readonly slots: number
  readonly slotBits: number
}

/** Bytes of a block at most: a single write rewrites one. */
const BLOCK_BYTES = 2 ** 14

export function blockShape(codec: VectorCodec): BlockShape {
  const slotWords = 2 * codec.words + 1
  const slotBits = Math.max(0, Math.floor(Math.log2(BLOCK_BYTES / (4 * slotWords))))
  return { codec, slotWords, slots: 2 ** slotBits, slotBits }
}

/** Slots as they are to be, by the document's rowid; null empties it. */
export type SlotChanges = Map<number, Slot | null>

export interface Slot {
  readonly code: Uint32Array
  readonly audience: string
}

/** Returns the slot of a document; null where it has no vector, or where nobody ever sees it. */
export function slotOf({ codec }: BlockShape, row: VisibleRow, vector: Float32Array | null): Slot | null {
  const audience = firstAudienceOf(row)
  return vector === null || audience === null ? null : { code: codec.encode(vector), audience }
}

/** Returns a document's place among those of its tenant, from its rowid. */
function placeOf({ slots }: BlockShape, rowid: number): { readonly block: number; readonly slot: number } {
  const counter = rowid % 2 ** 32
  return { block: Math.floor(counter / slots), slot: counter % slots }
}

/** Stores the changes of a batch: every block once. The audiences must have been counted (`saveCounts`). */
export function saveSlots(connection: Connection, tenant: number, shape: BlockShape, changes: SlotChanges): void {
  if (changes.size === 0) return
  const numbers = audienceNumbersOf(connection, tenant, changes)
  const [row] = connection.all<[number]>(
    'update tenants set codes_version = codes_version + 1 where number = ? returning codes_version',
    [tenant],
  )
  for (const [block, ofBlock] of byBlock(shape, changes)) {
    const number = tenant * 2 ** 32 + block
    const words = new Uint32Array(shape.slots * shape.slotWords)
    words.set(readBlock(connection, number))
    for (const [rowid, slot] of ofBlock) {
      const at = placeOf(shape, rowid).slot * shape.slotWords
      words.fill(0, at, at + shape.slotWords)
      if (slot !== null) words.set([...slot.code, numbers.get(slot.audience)!], at)
    }
    connection.run(
      `insert into code_blocks (number, tenant, version, codes) values (?, ?, ?, ?)
       on conflict do update set version = excluded.version, codes = excluded.codes`,
      [number, tenant, row![0], bytesOf(withoutEmptyEnd(words, shape))],
    )
  }
}

function byBlock(shape: BlockShape, changes: SlotChanges): Map<number, [rowid: number, slot: Slot | null][]> {
  const blocks = new Map<number, [number, Slot | null][]>()
  for (const change of changes) {
    const { block } = placeOf(shape, change[0])
    const known = blocks.get(block)
    if (known) known.push(change)
    else blocks.set(block, [change])
  }
  return blocks
}

function audienceNumbersOf(connection: Connection, tenant: number, changes: SlotChanges): Map<string, number> {
  const audiences = new Set([...changes.values()].flatMap((slot) => slot?.audience ?? []))
  return new Map(
    connection.all<[string, number]>(
      'select a.audience, a.number from json_each(?) w cross join audiences a on a.tenant = ? and a.audience = w.value',
      [JSON.stringify([...audiences]), tenant],
    ),
  )
}

function withoutEmptyEnd(words: Uint32Array, { slotWords }: BlockShape): Uint32Array {
  let end = words.length
  while (end > 0 && words[end - 1] === 0) end -= slotWords
  return words.subarray(0, end)
}

function readBlock(connection: Connection, number: number): Uint32Array {
  const [row] = connection.all<[Uint8Array]>('select codes from code_blocks where number = ?', [number])
  return row === undefined ? new Uint32Array(0) : wordsOf(row[0])
}

/** Returns whether the document's slot holds exactly this. */
export function holdsSlot(connection: Connection, shape: BlockShape, rowid: number, expected: Slot | null): boolean {
  const tenant = Math.floor(rowid / 2 ** 32)
  const { block, slot } = placeOf(shape, rowid)
  const at = slot * shape.slotWords
  const stored = readBlock(connection, tenant * 2 ** 32 + block).subarray(at, at + shape.slotWords)
  if (expected === null) return stored.every((word) => word === 0)
  const [row] = connection.all<[number]>('select number from audiences where tenant = ? and audience = ?', [
    tenant,
    expected.audience,
  ])
  return stored.length > 0 && [...expected.code, row?.[0]].every((word, i) => word === stored[i])
}
