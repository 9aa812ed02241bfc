import type { Checked } from '../../../contract/types.js'
import { directionOf } from '../../../domain/answers/direction.js'
import { type FilterValue, unmatchableIn } from '../../../domain/filter-values.js'
import type { FilterExpression } from '../../../domain/filters/expression.js'
import { parseInstant, parseOffsetInstant } from '../../../domain/instant.js'
import { storedType } from '../../../domain/memory-draft.js'
import { RECALL_STATUSES } from '../../../domain/memory.js'
import type { Principal } from '../../../domain/principal.js'
import type { RecallQuery } from '../../../domain/query.js'
import type { RecallFilter } from '../../../domain/recall-filter.js'
import { withoutSuffixes } from '../../../domain/text/affixes.js'
import { nameKey, timeTerms } from '../../../domain/text/memory-text.js'
import { languagesOfTags } from '../../../domain/text/language-tag.js'
import { LONGEST_NAME_WORDS } from '../../../domain/text/names/found-name.js'
import { dateName } from '../../../domain/text/names/names-in.js'
import { isFunctionWord, isTemporalQuestion } from '../../../domain/text/query-words.js'
import { timeReferences } from '../../../domain/text/time-expressions.js'
import type { TimeReference } from '../../../domain/text/time-reference.js'
import { fixedZone, namedZone, type TimeZone, UTC, wallTimeOf } from '../../../domain/text/time-zone.js'
import { audienceOf } from '../../../domain/visibility.js'
import { InvalidArgumentsError } from '../../../runtime/errors.js'
import { languageTerm } from '../../../search/search-index.js'
import { requireFleets } from '../../access/trust.js'
import { memoryCondition, readMemoryFilter } from '../filters.js'
import { allOf, equalitiesOf, type QueryOptions, readWords } from '../query.js'

type RecallRequest = Checked<'RecallRequest'>

/** Parses a recall request. Throws TrustError when it names another fleet than the caller's below trust 2. */
export async function readQuery(
  principal: Principal,
  request: RecallRequest,
  options: QueryOptions,
): Promise<RecallQuery> {
  requireFleets(principal, request.fleet_ids ?? [])
  const { zone, wallNow } = readMoment(request, options.now)
  const words = await readWords(request.query, options)
  const given = expressionOf(principal, request)
  const { text, language } = words
  const times = timeReferences(text, wallNow, language)
  return {
    ...words,
    keywordTerms: [...new Set([...words.terms, ...timeTerms(times, wallNow, zone)])],
    nameKeys: [...nameKeysIn(text), ...dateKeys(times)],
    times,
    zone,
    isTemporalQuestion: isTemporalQuestion(text, language),
    direction: request.compose === false ? null : directionOf(text, language),
    topK: request.top_k ?? 10,
    filter: filterOf(principal, request, options.now, given && (await options.withOtherNames(given))),
  }
}

/**
 * Returns the moment that words about time are read at: the caller's, else that at which rows are taken, else the present, in the zone that the request names, else that of the
 * caller's moment, else UTC. Nothing else goes by it: what has expired and how fresh a memory is depend on the service's clock alone.
 */
function readMoment(request: RecallRequest, now: number): { zone: TimeZone; wallNow: number } {
  const given = request.now == null ? null : parseOffsetInstant(request.now)
  const named = request.timezone == null ? null : namedZone(request.timezone)
  const zone = named ?? (given === null ? UTC : fixedZone(given.offset))
  return { zone, wallNow: wallTimeOf(given?.instant ?? instantOf(request.known_at) ?? now, zone) }
}

function filterOf(
  principal: Principal,
  request: RecallRequest,
  now: number,
  expression: FilterExpression | undefined,
): RecallFilter {
  const languages = request.languages && languagesOfTags(request.languages)
  const knownAt = instantOf(request.known_at)
  const before = [instantOf(request.created_before), knownAt === undefined ? undefined : knownAt + 1].filter(
    (at) => at !== undefined,
  )
  return {
    audience: audienceOf(principal, request.fleet_ids ?? []),
    now,
    statuses: request.statuses ?? RECALL_STATUSES,
    memoryTypes: request.memory_types?.map(storedType),
    fleetIds: request.fleet_ids,
    agentId: request.filter_agent_id,
    runId: request.run_id,
    createdAfter: instantOf(request.created_after),
    // What was written later takes no place of a hit.
    createdBefore: before.length === 0 ? undefined : Math.min(...before),
    knownAt,
    validAt: instantOf(request.valid_at),
    languages,
    expression,
    condition: allOf([
      ...(expression ? [memoryCondition(expression)] : []),
      ...(languages ? [{ kind: 'terms', anyOf: languages.map(languageTerm) } as const] : []),
    ]),
  }
}

/** Returns what the caller's filters ask for together. Throws InvalidArgumentsError for what cannot be evaluated. */
function expressionOf(
  principal: Principal,
  { metadata_filter: metadata = {}, filter }: RecallRequest,
): FilterExpression | undefined {
  requireMatchable(metadata)
  return allOf([...equalitiesOf(metadata), ...(filter ? [readMemoryFilter(principal, filter, ['filter'])] : [])])
}

/** Most bytes of a memory's `metadata` as JSON. */
const MOST_METADATA = 16 * 1024

function requireMatchable(filter: Readonly<Record<string, FilterValue>>): void {
  const key = unmatchableIn(filter, MOST_METADATA)
  if (key !== null)
    throw InvalidArgumentsError.at(['metadata_filter', key], 'Cannot match: `metadata` has at most 16 KiB as JSON.')
}

/** Returns the names of the dates, because days and months are entities too (domain/text/names). */
function dateKeys(times: readonly TimeReference[]): string[] {
  return times.flatMap((time) => dateName(time) ?? [])
}

function instantOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseInstant(text)!
}

const MAX_NAME_KEYS = 400

/** Returns the name key of every sequence of up to five words but function words, in the spellings of `spellingsOf`; 400 keys at most. */
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
  for (const key of keys) if (isFunctionWord(key)) keys.delete(key)
  return [...keys].slice(0, MAX_NAME_KEYS)
}

/**
 * Returns the words as written ("c++", "yahoo!"), without the punctuation around them ("dr. smith"), without a possessive or a Turkish suffix, and without
 * punctuation around any single word.
 */
function spellingsOf(words: readonly string[]): string[] {
  const asWritten = words.join(' ')
  const trimmed = asWritten.replace(OPENING_PUNCTUATION, '').replace(CLOSING_PUNCTUATION, '')
  const bare = words
    .map((word) => withoutPossessive(word.replace(PUNCTUATION_AROUND_WORD, '')))
    .filter((word) => word !== '')
  return [asWritten, trimmed, withoutPossessive(trimmed), bare.join(' ')]
}

function withoutPossessive(words: string): string {
  if (!APOSTROPHE.test(words)) return words
  return withoutSuffixes(words, ['tr']).replace(POSSESSIVE, '')
}

const OPENING_PUNCTUATION = /^[("'\u201c\u2018\u00ab[{<\u00bf\u00a1]+/u
// The lookbehind lets the match start at the first character of a run of signs only: a long run that does not end the text would otherwise
// take quadratic time.
const CLOSING_PUNCTUATION = /(?<![.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>])[.,;:!?\u2026)"'\u201d\u2019\u00bb\]}>]+$/u
const PUNCTUATION_AROUND_WORD = /^[^\p{L}\p{N}]+|(?<=[\p{L}\p{N}])[^\p{L}\p{N}]+$/gu
const APOSTROPHE = /['\u2019]/
const POSSESSIVE = /['\u2019]s$/u
