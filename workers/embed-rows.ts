import { embeddedText } from '../domain/text/memory-text.js'
import type { Embedder } from '../models/embedder.js'
import type { IndexedMemory } from '../store/indexing/index-rows.js'
import { readVectors, storeVectors } from '../store/indexing/vectors.js'
import { describeFailure, isolate, isOutage } from './isolate.js'
import type { JobContext } from './jobs.js'

/** By text hash in hex. A text is in exactly one of the three. */
export interface EmbeddedTexts {
  readonly vectors: ReadonlyMap<string, Float32Array>
  /** Texts that must wait: the embedder is away. */
  readonly waiting: ReadonlySet<string>
  /** Texts that the embedder refuses, and why. */
  readonly refused: ReadonlyMap<string, string>
  /** True when this call was what gave a text its vector, which is kept now. */
  readonly isNew: boolean
}

type EmbeddedMemory = Pick<IndexedMemory, 'textHash' | 'title' | 'content'>

interface Text {
  readonly hash: Buffer
  readonly hex: string
  readonly text: string
}

/**
 * The vectors of these memories by this embedder: known ones from Postgres, the others embedded and, when that costs
 * more than reading them again, kept. Never throws because of the embedder.
 */
export async function embedRows(
  context: JobContext,
  embedder: Embedder,
  tenantId: string,
  memories: readonly EmbeddedMemory[],
): Promise<EmbeddedTexts> {
  const texts = distinctTexts(memories)
  const { store } = context
  if (embedder.inline) return { ...(await embedTexts(context, embedder, texts)), isNew: false }
  const known = await store.read({ tenantId }, (reader) =>
    readVectors(
      reader,
      embedder.id,
      texts.map((text) => text.hash),
    ),
  )
  const embedded = await embedTexts(
    context,
    embedder,
    texts.filter((text) => !known.has(text.hex)),
  )
  const fresh = texts.flatMap(({ hash, hex }) => {
    const vector = embedded.vectors.get(hex)
    return vector ? [{ textHash: hash, vector }] : []
  })
  if (fresh.length > 0) await store.transact({ tenantId }, (writer) => storeVectors(writer, embedder.id, fresh))
  return { ...embedded, vectors: new Map([...known, ...embedded.vectors]), isNew: fresh.length > 0 }
}

function distinctTexts(memories: readonly EmbeddedMemory[]): Text[] {
  const texts = new Map<string, Text>()
  for (const memory of memories) {
    const hex = memory.textHash.toString('hex')
    if (!texts.has(hex)) texts.set(hex, { hash: memory.textHash, hex, text: embeddedText(memory) })
  }
  return [...texts.values()]
}

async function embedTexts(
  { outages }: JobContext,
  embedder: Embedder,
  texts: readonly Text[],
): Promise<Omit<EmbeddedTexts, 'isNew'>> {
  const outage = outages.embedder(embedder)
  const vectors = new Map<string, Float32Array>()
  const refused = new Map<string, string>()
  const away = { vectors, refused, waiting: new Set(texts.map((text) => text.hex)) }
  if (texts.length === 0) return away
  if (!embedder.health().available || outage.waitMs() > 0) return away
  try {
    const results = await isolate(texts, (part) =>
      embedder.embed(
        part.map(({ text }) => text),
        'passage',
      ),
    )
    results.forEach((result, i) => {
      const { hex } = texts[i]!
      if ('value' in result) vectors.set(hex, result.value)
      else refused.set(hex, describeFailure(result.error))
    })
    outage.recovered()
    return { vectors, refused, waiting: new Set() }
  } catch (error) {
    if (!isOutage(error)) throw error
    outage.failed()
    return away
  }
}
