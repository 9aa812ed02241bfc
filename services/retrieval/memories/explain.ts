import type { Answer } from '../../../domain/answers/compose.js'
import type { AnalysedQuery, Evidence, SecondStage } from '../../../domain/ranking/candidate.js'
import { occurrencesOf, termHash } from '../../../domain/ranking/hashed-terms.js'
import { WEIGHTS } from '../../../domain/ranking/weights.js'
import { wordMatcher, type WordMatch, type WordPieces } from '../../../domain/ranking/word-matches.js'
import type { components } from '../../../contract/types.js'
import { embeddedText } from '../../../domain/text/memory-text.js'
import type { RankedRow } from './compose.js'
import type { MemoryCandidates } from './candidates.js'
import type { LoadedMemories } from './load.js'
import type { ResultRows } from './results.js'

export type Explanation = components['schemas']['Explanation']
type EvidenceKind = Explanation['evidence'][number]['kind']

interface ExplanationInput {
  readonly query: AnalysedQuery
  readonly candidates: MemoryCandidates
  readonly loaded: LoadedMemories
  readonly shown: ResultRows
  readonly space: WordPieces
}

/** Returns a function that explains a result: which legs found it, what its score is made of, and which word matched which. */
export function explainer({
  query,
  candidates,
  loaded,
  shown: { rows, others },
  space,
}: ExplanationInput): (answer: Answer<RankedRow>) => Explanation {
  // Entities are named as the caller sees them.
  const names = new Map([...rows.values()].flatMap((row) => row.entityLinks.map((link) => [link.entityId, link.name])))
  const texts = new Map([...others, ...rows.values()].map((row) => [row.id, embeddedText(row)]))
  const asked = query.groups.map((terms) => terms.map((term) => ({ term, hash: termHash(term) })))
  const matchesOf = wordMatcher(query.words, (id) => texts.get(id), space)
  return ({ result: { ranked }, earlier, later }) => {
    const { candidate, evidence, secondStage } = ranked
    const found = [...(candidates.found.get(candidate.id) ?? ['context' as const])]
    const words = matchesOf(candidate)
    const shares = sharesOf(evidence)
    const entities = loaded.matchedEntities(candidate.id).flatMap((id) => names.get(id) ?? [])
    return {
      summary: [...summaryLinesOf(found, shares, words, candidate.id), ...describeMove(secondStage)].join(' '),
      legs: found,
      evidence: shares,
      words: words.map(({ memoryId, ...match }) => ({ ...match, memory_id: memoryId })),
      matched_terms: asked.flatMap(
        (terms) => terms.find(({ hash }) => occurrencesOf(hash, candidate.text.terms) > 0)?.term ?? [],
      ),
      matched_entities: entities,
      neighbours: candidate.neighbours.filter((id): id is string => id !== null && texts.has(id)),
      ...(secondStage && { second_stage: secondStage }),
      chain: [...later.toReversed(), ...earlier].map(({ result, why }) => ({ memory_id: result.row.id, why })),
    }
  }
}

const EVIDENCE_KINDS: Readonly<Record<keyof Evidence, EvidenceKind>> = {
  softCoverage: 'soft_coverage',
  informativeness: 'informativeness',
  run: 'run',
  date: 'date',
  time: 'time',
  meaning: 'meaning',
  author: 'author',
  coverage: 'coverage',
  keyword: 'keyword',
  entity: 'entity',
  hop: 'hop',
}

function sharesOf(evidence: Evidence): Explanation['evidence'] {
  return (Object.keys(EVIDENCE_KINDS) as (keyof Evidence)[])
    .filter((name) => evidence[name] > 0)
    .map((name) => ({ kind: EVIDENCE_KINDS[name], strength: evidence[name], adds: WEIGHTS[name] * evidence[name] }))
    .sort((a, b) => b.adds - a.adds)
}

const SOURCE_PHRASES: Readonly<Record<Explanation['legs'][number], string>> = {
  vector: 'by meaning',
  keyword: 'by words',
  entity: 'by an entity',
  hop: 'by an entity that it shares with a memory about an entity of the query',
  pending: 'among those not indexed yet',
  context: 'beside a hit in its run',
  recent: 'among the newest',
  successor: 'as what superseded another',
}
/** Word matches that the summary lists at most. */
const MAX_WORD_MATCHES = 5

function summaryLinesOf(
  legs: Explanation['legs'],
  evidence: Explanation['evidence'],
  words: readonly WordMatch[],
  id: string,
): string[] {
  const matches = words
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, MAX_WORD_MATCHES)
    .map(({ word, matched, similarity, memoryId }) => {
      const place = memoryId === id ? '' : ' beside it'
      return `"${word}" matches "${matched}"${place} (${similarity.toFixed(2)})`
    })
  const strongest = evidence.slice(0, 3).map(({ kind, adds }) => `${kind.replace('_', ' ')} ${adds.toFixed(2)}`)
  return [
    `Found ${legs.map((leg) => SOURCE_PHRASES[leg]).join(' and ')}.`,
    ...(matches.length > 0 ? [`${matches.join(', ')}.`] : []),
    ...(strongest.length > 0 ? [`Most of its score: ${strongest.join(', ')}.`] : []),
  ]
}

function describeMove(secondStage: SecondStage | undefined): string[] {
  if (!secondStage || secondStage.from === secondStage.to) return []
  return [`The second stage moved it from place ${secondStage.from} to ${secondStage.to}.`]
}
