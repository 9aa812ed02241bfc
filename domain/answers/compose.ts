import { byWriting, orderBySupersession, type SupersessionLink } from '../life/lineage.js'
import { isLive } from '../life/status-moves.js'
import type { Direction } from '../query.js'
import { FULL_AGREEMENT } from '../ranking/evidence.js'
import type { Pair } from './alike.js'
import { Groups } from './groups.js'
import { copiesAmong, restatementsAmong } from './comparison.js'
import type { Result } from './result.js'

/** Why a memory is one of a chain: a caller said so, or two claims of one predicate differ. */
export type ChainReason = 'superseded' | 'contradicted'

export interface ChainLink extends SupersessionLink {
  readonly why: ChainReason
}

/** One member of a chain beside the one that is shown. */
export interface ChainMember<R> {
  readonly result: R
  readonly why: ChainReason
}

/** One answer: what is shown, and what is folded under it. */
export interface Answer<R extends Result> {
  /** The shown result, with the best score of its chain. */
  readonly result: R
  /** Others that say the same in the same words, the best ranked first. */
  readonly copies: readonly R[]
  /** Older ones of its chain, the newest first. */
  readonly earlier: readonly ChainMember<R>[]
  /** Newer ones, where the question asks for a former one, or where they are not in force; the oldest first. */
  readonly later: readonly ChainMember<R>[]
}

export interface Question {
  readonly direction: Direction
  /** The instant at which something holds, in Unix milliseconds. */
  readonly now: number
  /** Returns whether a term is one of the question's. */
  readonly has: (term: string) => boolean
}

/** Restatements are put in the order of their times if their scores are as near: which one leads depends on little else than chance then. */
const NEAR_SCORES = 0.96

/**
 * Composes answers from results: one for each chain of supersessions, which shows the member that the question asks for (the newest in force, unless it
 * asks for a former one), and one for each other statement, however often it was made. Statements that may be of one thing with another value are put in the order of their
 * times, and stay apart. `pairs` are those of `alikePairs`, and `links` supersessions, of these results and others. The results of the ranking come
 * best first. Nothing is written: an answer is a reading of what the caller sees.
 */
export function compose<R extends Result>(
  results: readonly R[],
  pairs: readonly Pair[],
  links: readonly ChainLink[],
  question: Question,
): Answer<R>[] {
  const areAlike = pairs.length > 0
  const copies: ReadonlyMap<string, readonly R[]> = areAlike ? copiesAmong(results, pairs, links) : new Map()
  const folded = new Set([...copies.values()].flat())
  const statements = results.filter((result) => !folded.has(result))
  const copiesOf = ({ row }: Result) => copies.get(row.id) ?? []
  const answers = chainsOf(statements, links).map((chain) => answerOf(chain, copiesOf, links, question))
  const shown = answers.map(({ result }) => result)
  return inOrder(answers, areAlike ? restatementsAmong(shown, pairs, question.has) : [], question)
}

/** Groups results that superseded one another, also over memories that are no results. */
function chainsOf<R extends Result>(results: readonly R[], links: readonly ChainLink[]): R[][] {
  const groups = new Groups<string>()
  for (const { oldId, newId } of links) groups.join(oldId, newId)
  return groups.of(results, ({ row }) => row.id)
}

function answerOf<R extends Result>(
  chain: readonly R[],
  copiesOf: (result: R) => readonly R[],
  links: readonly ChainLink[],
  question: Question,
): Answer<R> {
  const members = byTime(chain, links)
  const at = askedFor(members, question)
  const shown = members[at]!
  const scores = members.flatMap((member) => [member, ...copiesOf(member)].map(({ ranked }) => ranked.score))
  const member = (result: R) => ({ result, why: reasonOf(result, links) })
  return {
    result: withScore(shown, Math.max(...scores)),
    copies: copiesOf(shown),
    earlier: members.slice(0, at).reverse().map(member),
    later: members.slice(at + 1).map(member),
  }
}

/** Sorts the members of a chain, oldest first: by who superseded whom, then by the time that they are about, then by that of the write. */
function byTime<R extends Result>(members: readonly R[], links: readonly SupersessionLink[]): readonly R[] {
  if (members.length === 1) return members
  const timed = members.map((result) => {
    const { id, createdAt } = result.row
    return { id, createdAt, at: timeOf(result), result }
  })
  return orderBySupersession(timed, links, (a, b) => a.at - b.at || byWriting(a, b)).map(({ result }) => result)
}

function timeOf({ ranked }: Result): number {
  return ranked.candidate.text.at
}

/** Returns the place in a chain of the member that the question asks for: of the time that it names, or the first one, or what holds, or what held before. */
function askedFor(chain: readonly Result[], { direction, now }: Question): number {
  const dates = chain.map(({ ranked }) => ranked.evidence.date)
  const date = Math.max(...dates)
  if (date >= FULL_AGREEMENT) return dates.lastIndexOf(date)
  if (direction === 'first') return 0
  const isInForce = ({ row }: Result) => row.validStart === null || +row.validStart <= now
  const live = chain.findLastIndex((result) => isLive(result.ranked.candidate.status) && isInForce(result))
  // What supersedes a memory from some later time on has made it outdated already.
  const current = live === -1 ? Math.max(0, chain.findLastIndex(isInForce)) : live
  return direction === 'previous' ? Math.max(0, current - 1) : current
}

function reasonOf({ row }: Result, links: readonly ChainLink[]): ChainReason {
  const link = links.find(({ oldId, newId }) => oldId === row.id || newId === row.id)
  return link?.why ?? 'superseded'
}

/**
 * Sorts answers by score; `restatements`, which may state other values of one thing, by their times where their scores differ by little: the newest first, or the
 * oldest if the question asks for a former one.
 */
function inOrder<R extends Result>(
  answers: readonly Answer<R>[],
  restatements: readonly R[][],
  { direction }: Question,
): Answer<R>[] {
  const restated = restatements.map((group) => {
    const ordered = byTime(group, [])
    return direction === 'newest' ? ordered.toReversed() : ordered
  })
  const lifted = new Map(answers.map((answer) => [answer.result.row.id, answer]))
  for (const group of restated) {
    let best = 0
    for (const result of group.toReversed()) {
      const { score } = result.ranked
      if (score < best && score >= NEAR_SCORES * best) {
        const answer = lifted.get(result.row.id)!
        lifted.set(result.row.id, { ...answer, result: withScore(result, best) })
      }
      best = Math.max(best, score)
    }
  }
  const place = new Map(restated.flatMap((group) => group.map(({ row }, i) => [row.id, i])))
  const compare = (a: R, b: R) =>
    b.ranked.score - a.ranked.score || (place.get(a.row.id) ?? 0) - (place.get(b.row.id) ?? 0)
  return [...lifted.values()].sort((a, b) => compare(a.result, b.result))
}

/** Returns a result with a higher score, which its factor `chain_boost` explains. */
function withScore<R extends Result>(result: R, score: number): R {
  const { ranked } = result
  if (score <= ranked.score || ranked.score <= 0) return result
  const boost = (ranked.parts.chain_boost ?? 1) * (score / ranked.score)
  return { ...result, ranked: { ...ranked, score, parts: { ...ranked.parts, chain_boost: boost } } }
}
