import type { Principal } from '../../domain/principal.js'
import { RECALL_STATUSES } from '../../domain/memory.js'
import { storedType } from '../../domain/memory-draft.js'
import type { RecallFilter } from '../../domain/recall-filter.js'
import { analyse } from '../../domain/text/analysis.js'
import { nameKey, timeTerms } from '../../domain/text/memory-text.js'
import { LONGEST_NAME_WORDS } from '../../domain/text/names/found-name.js'
import { dateName } from '../../domain/text/names/names-in.js'
import { asksWhen } from '../../domain/text/query-words.js'
import type { TimeReference } from '../../domain/text/time-reference.js'
import { timeReferences } from '../../domain/text/time-words.js'
import { audienceOf } from '../../domain/visibility.js'
import { UnavailableError } from '../../runtime/errors.js'
import { usableVector } from '../../search/vectors.js'
import type { ApiContext } from '../context.js'
import type { components } from '../contract/contract.gen.js'
import { requireFleets } from '../memories/fleets.js'

type RecallRequest = components['schemas']['RecallRequest']

/** What a query says before anything is looked up. */
export interface RecallQuery {
  readonly text: string
  readonly terms: readonly string[]
  /** What the keyword leg looks for: the terms, and those of the dates that the query points to. */
  readonly soughtTerms: readonly string[]
  /** Spellings under which the query may name entities of the tenant. */
  readonly nameKeys: readonly string[]
  readonly times: readonly TimeReference[]
  readonly asksWhen: boolean
  readonly filter: RecallFilter
  /** Memories wanted at most. */
  readonly topK: number
}

export function readQuery(principal: Principal, request: RecallRequest, now: number): RecallQuery {
  const fleets = request.fleet_ids ?? []
  requireFleets(principal, fleets)
  const text = request.query.trim()
  const times = timeReferences(text, now)
  const terms = [...new Set(analyse(text))]
  return {
    text,
    terms,
    soughtTerms: [...new Set([...terms, ...timeTerms(times, now)])],
    nameKeys: [...nameKeysIn(text), ...dateKeys(times)],
    times,
    asksWhen: asksWhen(text),
    topK: request.top_k ?? 10,
    filter: {
      audience: audienceOf(principal, fleets),
      now,
      statuses: request.statuses ?? RECALL_STATUSES,
      memoryTypes: request.memory_types?.map(storedType),
      fleetIds: request.fleet_ids,
      agentId: request.filter_agent_id,
      runId: request.run_id,
      createdAfter: instant(request.created_after),
      createdBefore: instant(request.created_before),
      validAt: instant(request.valid_at),
      metadata: request.metadata_filter,
    },
  }
}

/** Days and months are entities too (domain/text/names). */
function dateKeys(times: readonly TimeReference[]): string[] {
  return times.flatMap((time) => dateName(time) ?? [])
}

const MOST_NAMES = 400

/** Every run of up to five words as an entity's name key, in the spellings of `spellingsOf`. */
export function nameKeysIn(text: string): string[] {
  const words = nameKey(text).split(' ')
  const keys = new Set<string>()
  for (let length = 1; length <= LONGEST_NAME_WORDS; length++)
    for (let start = 0; start + length <= words.length && keys.size < MOST_NAMES; start++) {
      const run = words.slice(start, start + length)
      // A run that was met already has its spellings: a query of 5,000 characters that says one thing again and again costs nothing.
      if (!keys.has(run.join(' '))) for (const key of spellingsOf(run)) keys.add(key)
    }
  keys.delete('')
  return [...keys].slice(0, MOST_NAMES)
}

/**
 * As the words stand ("c++", "yahoo!"), without what a sentence puts around them ("dr. smith"), without a possessive, and with
 * no punctuation around any word.
 */
function spellingsOf(words: readonly string[]): string[] {
  const asWritten = words.join(' ')
  const trimmed = asWritten.replace(OPENING, '').replace(CLOSING, '')
  const bare = words.map((word) => word.replace(AROUND_WORD, '').replace(POSSESSIVE, '')).filter((word) => word !== '')
  return [asWritten, trimmed, trimmed.replace(POSSESSIVE, ''), bare.join(' ')]
}

const OPENING = /^[("'\u201c\u2018\u00ab[{<\u00bf\u00a1]+/u
// Tried at the beginning of a run alone: at each of its places, a long one that does not end the text would cost its square.
const CLOSING = /(?<![.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>])[.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>]+$/u
const AROUND_WORD = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu
const POSSESSIVE = /['\u2019]s$/u

/** The query's vector; null when the embedder is away (`away`) or knows nothing of the text. */
export async function vectorOf(
  context: ApiContext,
  text: string,
  signal: AbortSignal,
): Promise<{ vector: Float32Array | null; away: boolean }> {
  try {
    const vector = await context.queryVectors.vectorOf(text, signal)
    return { vector: usableVector(vector), away: false }
  } catch (error) {
    if (error instanceof UnavailableError) return { vector: null, away: true }
    throw error
  }
}

function instant(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Date.parse(text)
}
