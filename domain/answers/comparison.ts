import type { SupersessionLink } from '../life/lineage.js'
import type { RankedMemory } from '../ranking/candidate.js'
import type { Pair } from './alike.js'
import { Groups } from './groups.js'
import { haveOtherValues } from './other-values.js'
import type { Result } from './result.js'
import { statementKey } from './same-words.js'
import { type Statement, statementOf } from './statement.js'

/** Pairs whose words are compared at most, the best results first: some 20 µs each. */
export const MOST_COMPARED = 100

/** Compares what alike results state. Each statement is read once. */
export class Comparison {
  readonly #pairs: readonly Pair[]
  readonly #statements = new Map<string, Statement | null>()

  /** Takes the pairs of `alikePairs`. */
  constructor(pairs: readonly Pair[]) {
    this.#pairs = pairs
  }

  /**
   * Returns the results that say the same as a better ranked one, by the id of that one. What one of `links` names is and has no copies: a chain shows each of its
   * members for what it is. Copies have one subject, title, status and time of validity.
   */
  copiesAmong<R extends Result>(results: readonly R[], links: readonly SupersessionLink[]): Map<string, readonly R[]> {
    const paired = new Set(this.#pairs.flat())
    for (const { oldId, newId } of links) for (const id of [oldId, newId]) paired.delete(id)
    const copies = new Map<string, R[]>()
    const originals = new Map<string, string>()
    for (const result of results) {
      const { row, ranked } = result
      const said = paired.has(row.id) ? statementKey(row.content, row.language) : null
      if (said === null) continue
      const times = [row.validStart, row.validEnd].map((time) => time?.getTime() ?? null)
      const key = JSON.stringify([subjectKey(row), ranked.candidate.status, times, said])
      const original = originals.get(key)
      if (original === undefined) originals.set(key, row.id)
      else copies.set(original, [...(copies.get(original) ?? []), result])
    }
    return copies
  }

  /** Returns the groups of results that may state other values of one thing. `isAsked` returns whether a term is one of the question's. */
  restatementsAmong<R extends Result>(results: readonly R[], isAsked: (term: string) => boolean): R[][] {
    const keyOf = ({ row, ranked }: R) => `${subjectKey(row)} ${audienceKey(row)} ${speakerOf(ranked)}`
    return this.#groups(results, keyOf, (a, b) => haveOtherValues(a, b, isAsked))
  }

  /** Returns the groups of two and more results that have equal keys, and whose statements belong together, after `MOST_COMPARED` comparisons at most. */
  #groups<R extends Result>(
    results: readonly R[],
    keyOf: (result: R) => string,
    belongTogether: (a: Statement, b: Statement) => boolean,
  ): R[][] {
    const keyed = new Map(results.map((result) => [result.row.id, { row: result.row, key: keyOf(result) }]))
    const groups = new Groups<string>()
    let compared = 0
    for (const [idOfA, idOfB] of this.#pairs) {
      const [a, b] = [keyed.get(idOfA), keyed.get(idOfB)]
      if (!a || !b || a.key !== b.key || groups.haveJoined(idOfA, idOfB)) continue
      if (++compared > MOST_COMPARED) break
      const [ofA, ofB] = [this.#statementIn(a.row), this.#statementIn(b.row)]
      if (ofA !== null && ofB !== null && belongTogether(ofA, ofB)) groups.join(idOfA, idOfB)
    }
    return groups.of(results, ({ row }) => row.id).filter(({ length }) => length > 1)
  }

  #statementIn({ id, content, language }: Result['row']): Statement | null {
    let statement = this.#statements.get(id)
    if (statement === undefined) this.#statements.set(id, (statement = statementOf(content, language)))
    return statement
  }
}

/** Returns equal keys for memories that may speak of one thing: with one subject and title. */
function subjectKey({ title, subjectEntityId }: Result['row']): string {
  return JSON.stringify([title, subjectEntityId])
}

function speakerOf({ candidate }: RankedMemory): string | null {
  const { author } = candidate.text
  return author === null || author.isAgent ? null : author.name
}

/** Returns equal keys for memories that have the same readers. */
function audienceKey({ visibility, fleetId, agentId }: Result['row']): string {
  const reader = { scope_org: null, scope_team: fleetId, scope_agent: agentId }[visibility]
  return JSON.stringify([visibility, reader])
}
