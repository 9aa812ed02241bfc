import type { Embedder } from '../../models/embedder.js'
import { retryAfterOf } from '../../models/model-call.js'
import type { HashedText } from '../../services/indexing/index-entries.js'
import { readVectors, storeVectors } from '../../store/vectors.js'
import type { JobContext } from '../context.js'
import { describeFailure, isolateFailures, isOutage } from '../failures.js'

type TextKey = Pick<HashedText, 'hash'> | null

/** Results of embedding texts, by hex hash. A text is in exactly one of the three. */
interface Results {
  readonly vectors: ReadonlyMap<string, Float32Array>
  readonly waiting: ReadonlySet<string>
  readonly refused: ReadonlyMap<string, string>
}

/** Texts by what an embedder made of them: each has a vector, waits, or is refused. */
export class EmbeddedTexts {
  constructor(
    private readonly results: Results,
    /** True when this call embedded a text and stored its vector. */
    readonly isNew: boolean,
  ) {}

  vectorOf(text: TextKey): Float32Array | null {
    return this.results.vectors.get(hexOf(text)) ?? null
  }

  /** Returns true for a text that must wait because the embedder is unavailable. */
  isWaiting(text: TextKey): boolean {
    return this.results.waiting.has(hexOf(text))
  }

  get isAnyWaiting(): boolean {
    return this.results.waiting.size > 0
  }

  /** Returns why the embedder refuses the text, or null. */
  refusalOf(text: TextKey): string | null {
    return this.results.refused.get(hexOf(text)) ?? null
  }
}

/** Returns true when the serving index's embedder answers; when that of a kept index is unavailable, jobs find out. */
export function isEmbedderReady({ indexes, outages }: JobContext): boolean {
  const { embedder } = indexes.serving()
  return embedder.health().available && outages.embedder(embedder).waitMs() === 0
}

/**
 * Returns the vectors of these texts by this embedder: reads stored ones from PostgreSQL, embeds the others and, when
 * that costs more than reading them again, stores them. Never throws because of the embedder. Null is no text.
 */
export async function embedTexts(
  context: JobContext,
  embedder: Embedder,
  tenantId: string,
  given: readonly (HashedText | null)[],
): Promise<EmbeddedTexts> {
  const texts = new Map(given.flatMap((text) => (text === null ? [] : [[hexOf(text), text]])))
  const { store } = context
  if (embedder.inline) return new EmbeddedTexts(await embedNow(context, embedder, texts), false)
  const hashes = [...texts.values()].map(({ hash }) => hash)
  const known = await store.read({ tenantId }, (reader) => readVectors(reader, embedder.id, hashes))
  const unknown = new Map([...texts].filter(([hex]) => !known.has(hex)))
  const { vectors, ...others } = await embedNow(context, embedder, unknown)
  const fresh = [...vectors].map(([hex, vector]) => ({ textHash: texts.get(hex)!.hash, vector }))
  if (fresh.length > 0) await store.transact({ tenantId }, (writer) => storeVectors(writer, embedder.id, fresh))
  return new EmbeddedTexts({ ...others, vectors: new Map([...known, ...vectors]) }, fresh.length > 0)
}

async function embedNow(
  { outages }: JobContext,
  embedder: Embedder,
  texts: ReadonlyMap<string, HashedText>,
): Promise<Results> {
  const outage = outages.embedder(embedder)
  const away: Results = { vectors: new Map(), refused: new Map(), waiting: new Set(texts.keys()) }
  if (texts.size === 0) return away
  if (!embedder.health().available || outage.waitMs() > 0) return away
  const vectors = new Map<string, Float32Array>()
  const refused = new Map<string, string>()
  try {
    const results = await isolateFailures([...texts], (part) =>
      embedder.embed(
        part.map(([, { text }]) => text),
        'passage',
      ),
    )
    for (const [i, hex] of [...texts.keys()].entries()) {
      const result = results[i]!
      if ('value' in result) vectors.set(hex, result.value)
      else refused.set(hex, describeFailure(result.error))
    }
    outage.recovered()
    return { vectors, refused, waiting: new Set() }
  } catch (error) {
    if (!isOutage(error)) throw error
    outage.failed(retryAfterOf(error))
    return away
  }
}

function hexOf(text: TextKey): string {
  return text?.hash.toString('hex') ?? ''
}
