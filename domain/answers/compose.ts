import { byWriting, orderBySupersession, type SupersessionLink } from '../life/lineage.js'
import { isLive } from '../life/status-moves.js'
import type { Memory } from '../memory-fields.js'
import type { Direction } from '../query.js'
import type { RankedMemory } from '../ranking/candidate.js'
import type { Pair } from './alike.js'
import { otherValue } from './other-value.js'
import { stateTheSame, isPastEvent, type Statement, statementOf } from './statement.js'
import { statementWords } from './statement-words.js'

/** Why a memory is one of a chain: somebody said so, two claims of one predicate differ, or a statement differs in its value alone. */
export type ChainReason = 'superseded' | 'contradicted' | 'conflicted' | 'restated'

export interface ChainLink extends SupersessionLink {
  readonly why: Exclude<ChainReason, 'restated'>
}

/** A result of the ranking, with what composing reads of its row. */
export interface Result {
  readonly ranked: RankedMemory
  readonly row: Pick<
    Memory,
    'id' | 'content' | 'language' | 'subjectEntityId' | 'visibility' | 'fleetId' | 'agentId' | 'createdAt'
  >
}

/** One member of a chain beside the one that is shown. */
export interface ChainMember<R> {
  readonly result: R
  readonly why: ChainReason
  /** The spans in which it and the shown one differ; null where that is not why. */
  readonly differs: { readonly here: string; readonly there: string } | null
}

/** One answer: what is shown, and what is folded under it. */
export interface Answer<R extends Result> {
  /** Has the best score of its chain. */
  readonly result: R
  /** Older ones of its chain, the newest first. */
  readonly earlier: readonly ChainMember<R>[]
  /** Newer ones, where the question asks for a former one; the oldest first. */
  readonly later: readonly ChainMember<R>[]
  /** Others that say the same. */
  readonly copies: readonly R[]
}

export interface Question {
  readonly direction: Direction
  /** Returns whether a term is one of the question's. */
  readonly has: (term: string) => boolean
}

/** Statements of one form that may be about one thing are put in the order of their times only if their scores are as near, and they are so few: more are a list. */
const NEAR_SCORES = 0.96
const MOST_AKIN = 3
const DAY_MS = 86_400_000

/**
 * Composes answers from results, best first: one for each fact, and of several statements about one thing the one that the question asks for, which is the
 * newest unless it asks for a former one. `pairs` are those of `alikePairs`, and `links` supersessions, of these results and others. Nothing
 * is written: the chain is a reading of what the caller sees.
 */
export function compose<R extends Result>(
  results: readonly R[],
  pairs: readonly Pair[],
  links: readonly ChainLink[],
  question: Question,
): Answer<R>[] {
  return new Composition(results, links, question).answersFrom(pairs)
}

interface ValuePair {
  readonly from: string
  readonly to: string
}

class Composition<R extends Result> {
  readonly #statements = new Map<number, Statement | null>()
  /** The position of the result that stands for each, itself where it is no copy. */
  readonly #shown: number[]
  readonly #chains: Groups
  /** Results that may be of one thing. */
  readonly #akin: Groups
  /** Why two members of a chain are, by their positions. */
  readonly #values = new Map<string, ValuePair>()
  readonly #positions: ReadonlyMap<string, number>

  constructor(
    private readonly results: readonly R[],
    private readonly links: readonly ChainLink[],
    private readonly question: Question,
  ) {
    this.#shown = results.map((_, i) => i)
    this.#positions = new Map(results.map(({ row }, i) => [row.id, i]))
    this.#chains = new Groups(results.length + 2 * links.length)
    this.#akin = new Groups(results.length)
  }

  answersFrom(pairs: readonly Pair[]): Answer<R>[] {
    const positions = this.#pairsOfResults(pairs)
    this.#findCopies(positions)
    this.#chainByLinks()
    this.#chainByValues(positions)
    const answers = [...this.#chains.groups(this.#shownPositions())].map((members) => this.#answerOf(members))
    return this.#inOrder(answers)
  }

  /** Returns the positions of the pairs of which both are results, the better one first. */
  #pairsOfResults(pairs: readonly Pair[]): (readonly [number, number])[] {
    return pairs.flatMap(([a, b]) => {
      const [i, j] = [this.#positions.get(a), this.#positions.get(b)]
      if (i === undefined || j === undefined) return []
      return [i < j ? ([i, j] as const) : ([j, i] as const)]
    })
  }

  #shownPositions(): number[] {
    return this.#shown.flatMap((shown, i) => (shown === i ? [i] : []))
  }

  #findCopies(pairs: readonly (readonly [number, number])[]): void {
    for (const [i, j] of pairs) {
      if (this.#shown[i] !== i || this.#shown[j] !== j) continue
      const [a, b] = [this.#statementOf(i), this.#statementOf(j)]
      if (a === null || b === null || !stateTheSame(a, b) || this.#areTwoEvents(i, j)) continue
      // What holds stands for what does not.
      const keepsFirst = this.#isLive(i) || !this.#isLive(j)
      const [kept, copy] = keepsFirst ? [i, j] : [j, i]
      this.#shown.forEach((shown, k) => {
        if (shown === copy) this.#shown[k] = kept
      })
    }
  }

  /** Returns whether two statements tell what happened on two days. */
  #areTwoEvents(i: number, j: number): boolean {
    const statement = this.#statementOf(i)!
    return Math.abs(this.#timeOf(i) - this.#timeOf(j)) > DAY_MS && isPastEvent(statement.words, statement)
  }

  #chainByLinks(): void {
    // A memory of a chain that is no result still joins those before and after it.
    const others = new Map<string, number>()
    const nodeOf = (id: string) => {
      const position = this.#positions.get(id)
      if (position !== undefined) return this.#shown[position]!
      if (!others.has(id)) others.set(id, this.results.length + others.size)
      return others.get(id)!
    }
    for (const { oldId, newId } of this.links) this.#chains.join(nodeOf(oldId), nodeOf(newId))
  }

  #chainByValues(pairs: readonly (readonly [number, number])[]): void {
    /** Where the members of a chain differ: those of another place are of another chain. */
    const places = new Map<number, string>()
    for (const [i, j] of pairs) {
      if (this.#shown[i] !== i || this.#shown[j] !== j || !this.#haveSameSubject(i, j)) continue
      const [a, b] = [this.#statementOf(i), this.#statementOf(j)]
      const value = a && b && otherValue(a, b, this.question.has)
      if (!value) continue
      if (!value.isValue) {
        this.#akin.join(i, j)
        continue
      }
      const known = places.get(this.#chains.of(i)) ?? places.get(this.#chains.of(j)) ?? value.around
      if (known !== value.around) continue
      this.#chains.join(i, j)
      places.set(this.#chains.of(i), value.around)
      this.#values.set(`${i} ${j}`, value)
      this.#values.set(`${j} ${i}`, { from: value.to, to: value.from })
    }
  }

  /** Returns whether two results may speak of one thing to the same readers; a speaker's "I" is another one's "you". */
  #haveSameSubject(i: number, j: number): boolean {
    const [a, b] = [this.results[i]!, this.results[j]!]
    if (a.row.subjectEntityId !== b.row.subjectEntityId || a.row.visibility !== b.row.visibility) return false
    if (a.row.visibility === 'scope_team' && a.row.fleetId !== b.row.fleetId) return false
    if (a.row.visibility === 'scope_agent' && a.row.agentId !== b.row.agentId) return false
    const [ofA, ofB] = [a.ranked.candidate.text.author, b.ranked.candidate.text.author]
    if (ofA?.name === ofB?.name) return true
    const areAgents = (ofA?.isAgent ?? true) && (ofB?.isAgent ?? true)
    return areAgents && !this.#speaksOfItself(i) && !this.#speaksOfItself(j)
  }

  #speaksOfItself(i: number): boolean {
    const statement = this.#statementOf(i)
    if (statement === null) return true
    const speakers = statementWords('speakers', statement.language)
    return statement.words.some(({ plain }) => speakers.has(plain))
  }

  #answerOf(members: readonly number[]): Answer<R> {
    const chain = this.#byTime(members)
    const at = this.#askedFor(chain)
    const shown = chain[at]!
    const best = Math.max(...members.map((i) => this.results[i]!.ranked.score))
    const member = (i: number) => this.#memberOf(i, shown, chain)
    return {
      result: withScore(this.results[shown]!, best),
      earlier: chain.slice(0, at).reverse().map(member),
      later: chain.slice(at + 1).map(member),
      copies: this.#shown.flatMap((kept, i) => (kept === shown && i !== shown ? [this.results[i]!] : [])),
    }
  }

  /** Returns the members of a chain, oldest first: by who superseded whom, then by the time that they are about, then by that of the write. */
  #byTime(members: readonly number[]): readonly number[] {
    if (members.length === 1) return members
    const timed = members.map((i) => {
      const { id, createdAt } = this.results[i]!.row
      return { id, createdAt, at: this.#timeOf(i), i }
    })
    return orderBySupersession(timed, this.links, (a, b) => a.at - b.at || byWriting(a, b)).map(({ i }) => i)
  }

  #timeOf(i: number): number {
    return this.results[i]!.ranked.candidate.text.at
  }

  /** Returns the place in a chain of the member that the question asks for. */
  #askedFor(chain: readonly number[]): number {
    const dates = chain.map((i) => this.results[i]!.ranked.evidence.date)
    const date = Math.max(...dates)
    if (date > 0) return dates.lastIndexOf(date)
    if (this.question.direction === 'first') return 0
    const newest = chain.findLastIndex((i) => this.#isLive(i))
    const holds = newest === -1 ? chain.length - 1 : newest
    return this.question.direction === 'previous' ? Math.max(0, holds - 1) : holds
  }

  #isLive(i: number): boolean {
    return isLive(this.results[i]!.ranked.candidate.status)
  }

  #memberOf(i: number, shown: number, chain: readonly number[]): ChainMember<R> {
    const result = this.results[i]!
    const value = this.#values.get(`${shown} ${i}`)
    const ids = new Set(chain.map((one) => this.results[one]!.row.id))
    const link = this.links.find(
      ({ oldId, newId }) => (oldId === result.row.id && ids.has(newId)) || (newId === result.row.id && ids.has(oldId)),
    )
    return {
      result,
      why: link?.why ?? 'restated',
      differs: value === undefined ? null : { here: value.from, there: value.to },
    }
  }

  /** Sorts answers by score; of those that may be about one thing and are as good, the newer ones first, or the older ones if the question asks for these. */
  #inOrder(answers: readonly Answer<R>[]): Answer<R>[] {
    const byShown = new Map(answers.map((answer) => [this.#positions.get(answer.result.row.id)!, answer]))
    for (const group of this.#akin.groups([...byShown.keys()])) {
      if (group.length === 1 || group.length > MOST_AKIN) continue
      const ordered = this.#byTime(group)
      let best = 0
      for (const i of this.question.direction === 'newest' ? ordered : [...ordered].reverse()) {
        const answer = byShown.get(i)!
        const { score } = answer.result.ranked
        if (score < best && score >= NEAR_SCORES * best)
          byShown.set(i, { ...answer, result: withScore(answer.result, best) })
        best = Math.max(best, score)
      }
    }
    const isOlder = (a: number, b: number) => this.#timeOf(a) - this.#timeOf(b)
    const turned = this.question.direction === 'newest' ? -1 : 1
    return [...byShown]
      .sort(([i, a], [j, b]) => {
        const difference = b.result.ranked.score - a.result.ranked.score
        if (difference !== 0) return difference
        return this.#akin.of(i) === this.#akin.of(j) ? turned * isOlder(i, j) || i - j : i - j
      })
      .map(([, answer]) => answer)
  }

  #statementOf(i: number): Statement | null {
    let statement = this.#statements.get(i)
    if (statement === undefined) {
      const { content, language } = this.results[i]!.row
      this.#statements.set(i, (statement = statementOf(content, language)))
    }
    return statement
  }
}

/** Returns a result with a higher score, which its factor `chain_boost` explains. */
function withScore<R extends Result>(result: R, score: number): R {
  const { ranked } = result
  if (score <= ranked.score || ranked.score <= 0) return result
  const boost = (ranked.parts.chain_boost ?? 1) * (score / ranked.score)
  return { ...result, ranked: { ...ranked, score, parts: { ...ranked.parts, chain_boost: boost } } }
}

/** Disjoint groups of positions (union-find). */
class Groups {
  readonly #parents: Int32Array

  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, i) => i)
  }

  /** Returns the position that stands for a position's group. */
  of(position: number): number {
    const parent = this.#parents[position]!
    return parent === position ? position : (this.#parents[position] = this.of(parent))
  }

  join(a: number, b: number): void {
    const [to, from] = [this.of(a), this.of(b)]
    // The position of a result stands for a group that has one.
    if (to < from) this.#parents[from] = to
    else this.#parents[to] = from
  }

  /** Returns the groups of these positions. */
  groups(positions: readonly number[]): Iterable<number[]> {
    const groups = new Map<number, number[]>()
    for (const position of positions) {
      const root = this.of(position)
      const group = groups.get(root)
      if (group === undefined) groups.set(root, [position])
      else group.push(position)
    }
    return groups.values()
  }
}
