import type { Embedder } from '../../models/embedder.js'
import { readVectors, storeVectors } from '../../store/indexing/vectors.js'
import { retryAfterOf } from '../../models/model-call.js'
import { describeFailure, isolateFailures, isOutage } from '../isolate.js'
import type { JobContext } from '../jobs.js'

/** Results by text hash in hex. A text is in exactly one of the three. */
export interface EmbeddedTexts {
  readonly vectors: ReadonlyMap<string, Float32Array>
  /** Texts that must wait because the embedder is unavailable. */
  readonly waiting: ReadonlySet<string>
  /** Texts that the embedder refuses, with the reason. */
  readonly refused: ReadonlyMap<string, string>
  /** True when this call embedded a text and stored its vector. */
  readonly isNew: boolean
}

/** Embedded text of a memory or a document, with the key of its vectors. */
export interface HashedText {
  readonly hash: Buffer
  readonly text: string
}

interface Text extends HashedText {
  readonly hex: string
}

/** Returns a text's key in `EmbeddedTexts`; '' for none. */
export function hexOf(text: Pick<HashedText, 'hash'> | null): string {
  return text?.hash.toString('hex') ?? ''
}

/**
 * Returns the vectors of these texts by this embedder: reads stored ones from PostgreSQL, embeds the others and, when
 * that costs more than reading them again, stores them. Never throws because of the embedder.
 */
export async function embedTexts(
  context: JobContext,
  embedder: Embedder,
  tenantId: string,
  given: readonly HashedText[],
): Promise<EmbeddedTexts> {
  const texts = distinct(given)
  const { store } = context
  if (embedder.inline) return { ...(await embedNow(context, embedder, texts)), isNew: false }
  const known = await store.read({ tenantId }, (reader) =>
    readVectors(
      reader,
      embedder.id,
      texts.map((text) => text.hash),
    ),
  )
  const embedded = await embedNow(
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

function distinct(given: readonly HashedText[]): Text[] {
  return [...new Map(given.map((text) => [hexOf(text), { ...text, hex: hexOf(text) }])).values()]
}

async function embedNow(
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
    const results = await isolateFailures(texts, (part) =>
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
    outage.failed(retryAfterOf(error))
    return away
  }
}
