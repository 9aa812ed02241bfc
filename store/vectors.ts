import { type RawBuilder, sql } from 'kysely'
import type { Reader, Writer } from './store.js'

/** A vector of one model, keyed by the SHA-256 of the text that was embedded. */
interface TextVector {
  readonly textHash: Buffer
  readonly vector: Float32Array
}

/** Returns the stored vectors of these texts, by text hash in hex. */
export async function readVectors(
  reader: Reader,
  model: string,
  textHashes: readonly Buffer[],
): Promise<Map<string, Float32Array>> {
  if (textHashes.length === 0) return new Map()
  const rows = await reader.db
    .selectFrom('vectors')
    .select(['text_hash', 'vector'])
    .where('tenant_id', '=', reader.tenantId)
    .where('model', '=', model)
    .where('text_hash', '=', sql<Buffer>`any(${textHashes as Buffer[]}::bytea[])`)
    .execute()
  return new Map(rows.map((row) => [row.text_hash.toString('hex'), decodeVector(row.vector)]))
}

/** Stores vectors of texts that memories or documents have; a vector that exists already stays. */
export async function storeVectors(writer: Writer, model: string, vectors: readonly TextVector[]): Promise<void> {
  if (vectors.length === 0) return
  const { tenantId } = writer
  const rows = [...vectors].sort((a, b) => a.textHash.compare(b.textHash))
  await sql`
    insert into vectors (tenant_id, text_hash, model, vector)
    select ${tenantId}, text_hash, ${model}, vector
    from unnest(${rows.map((row) => row.textHash)}::bytea[], ${rows.map((row) => encodeVector(row.vector))}::bytea[])
      as given(text_hash, vector)
    where ${isTextInUse(tenantId, sql`given.text_hash`)}
    order by text_hash
    on conflict do nothing`.execute(writer.db)
}

/** Returns the condition that a memory or a document of the tenant has the text of this hash. */
export function isTextInUse(
  tenantId: string | RawBuilder<unknown>,
  textHash: RawBuilder<unknown>,
): RawBuilder<boolean> {
  const by = (table: 'memories' | 'documents') =>
    sql`exists (select from ${sql.table(table)} h where h.tenant_id = ${tenantId} and h.text_hash = ${textHash})`
  return sql<boolean>`(${by('memories')} or ${by('documents')})`
}

/** Encodes a vector as little-endian float32, on any machine. */
export function encodeVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * 4)
  vector.forEach((value, i) => bytes.writeFloatLE(value, i * 4))
  return bytes
}

export function decodeVector(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length >> 2 }, (_, i) => bytes.readFloatLE(i * 4))
}
