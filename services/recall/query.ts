import type { Principal } from '../../domain/principal.js'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { storedType } from '../../domain/memory-draft.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { analyse } from '../../domain/text/analysis.js'
import { nameKey, timeTerms } from '../../domain/text/memory-text.js'
import { LONGEST_NAME_WORDS } from '../../domain/text/names/found-name.js'
import { dateName } from '../../domain/text/names/names-in.js'
import { isTemporalQuestion } from '../../domain/text/query-words.js'
import type { TimeReference } from '../../domain/text/time-reference.js'
import { timeReferences } from '../../domain/text/time-expressions.js'
import { audienceOf } from '../../domain/visibility.js'
import { UnavailableError } from '../../runtime/errors.js'
import { usableVector } from '../../search/vectors.js'
import type { ServiceContext } from '../context.js'
import type { components } from '../../contract/contract.gen.js'
import { requireFleets } from '../memories/fleets.js'

type RecallRequest = components['schemas']['RecallRequest']

/** A recall request, parsed, before anything is looked up. */
export interface RecallQuery {
  readonly text: string
  readonly terms: readonly string[]
  /** Terms that the keyword leg searches for: `terms`, and the terms of the dates that the query refers to. */
  readonly keywordTerms: readonly string[]
  /** Spellings under which the query may name entities of the tenant. */
  readonly nameKeys: readonly string[]
  readonly times: readonly TimeReference[]
  readonly isTemporalQuestion: boolean
  readonly filter: RecallFilter
  /** Memories to return at most. */
  readonly topK: number
}

/** Parses a recall request. Throws TrustError when it names another fleet than the caller's below trust 2. */
export function readQuery(principal: Principal, request: RecallRequest, now: number): RecallQuery {
  const fleets = request.fleet_ids ?? []
  requireFleets(principal, fleets)
  const text = request.query.trim()
  const times = timeReferences(text, now)
  const terms = [...new Set(analyse(text))]
  return {
    text,
    terms,
    keywordTerms: [...new Set([...terms, ...timeTerms(times, now)])],
    nameKeys: [...nameKeysIn(text), ...dateKeys(times)],
    times,
    isTemporalQuestion: isTemporalQuestion(text),
    topK: request.top_k ?? 10,
    filter: {
      audience: audienceOf(principal, fleets),
      now,
      statuses: request.statuses ?? RECALL_STATUSES,
      memoryTypes: request.memory_types?.map(storedType),
      fleetIds: request.fleet_ids,
      agentId: request.filter_agent_id,
      runId: request.run_id,
      createdAfter: parseInstant(request.created_after),
      createdBefore: parseInstant(request.created_before),
      validAt: parseInstant(request.valid_at),
      metadata: request.metadata_filter,
    },
  }
}

/** Returns the names of the dates, because days and months are entities too (domain/text/names). */
function dateKeys(times: readonly TimeReference[]): string[] {
  return times.flatMap((time) => dateName(time) ?? [])
}

const MAX_NAME_KEYS = 400

/** Returns the name key of every sequence of up to five words, in the spellings of `spellingsOf`; 400 keys at most. */
export function nameKeysIn(text: string): string[] {
  const words = nameKey(text).split(' ')
  const keys = new Set<string>()
  for (let length = 1; length <= LONGEST_NAME_WORDS; length++)
    for (let start = 0; start + length <= words.length && keys.size < MAX_NAME_KEYS; start++) {
      const run = words.slice(start, start + length)
      // A sequence that occurred before has its spellings already: a query of 5,000 characters that repeats itself costs nothing.
      if (!keys.has(run.join(' '))) for (const key of spellingsOf(run)) keys.add(key)
    }
  keys.delete('')
  return [...keys].slice(0, MAX_NAME_KEYS)
}

/**
 * Returns the words as written ("c++", "yahoo!"), without the punctuation around them ("dr. smith"), without a possessive, and without
 * punctuation around any single word.
 */
function spellingsOf(words: readonly string[]): string[] {
  const asWritten = words.join(' ')
  const trimmed = asWritten.replace(OPENING_PUNCTUATION, '').replace(CLOSING_PUNCTUATION, '')
  const bare = words
    .map((word) => word.replace(PUNCTUATION_AROUND_WORD, '').replace(POSSESSIVE, ''))
    .filter((word) => word !== '')
  return [asWritten, trimmed, trimmed.replace(POSSESSIVE, ''), bare.join(' ')]
}

const OPENING_PUNCTUATION = /^[("'\u201c\u2018\u00ab[{<\u00bf\u00a1]+/u
// The lookbehind lets the match start at the first character of a run of signs only: a long run that does not end the text would otherwise
// take quadratic time.
const CLOSING_PUNCTUATION = /(?<![.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>])[.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>]+$/u
const PUNCTUATION_AROUND_WORD = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu
const POSSESSIVE = /['\u2019]s$/u

/** Returns the query's vector; null when the embedder is unavailable (`isEmbedderDown`) or knows no word of the text. */
export async function vectorOf(
  context: ServiceContext,
  text: string,
  signal: AbortSignal,
): Promise<{ vector: Float32Array | null; isEmbedderDown: boolean }> {
  try {
    const vector = await context.queryVectors.vectorOf(text, signal)
    return { vector: usableVector(vector), isEmbedderDown: false }
  } catch (error) {
    if (error instanceof UnavailableError) return { vector: null, isEmbedderDown: true }
    throw error
  }
}

function parseInstant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
