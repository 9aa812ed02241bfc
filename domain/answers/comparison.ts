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

/**
 * Returns the results that say the same as a better ranked one, by the id of that one. What one of `links` names is and has no copies: a chain shows each of its
 * members for what it is. Copies have one subject, title, status and time of validity. `pairs` are those of `alikePairs`.
 */
export function copiesAmong<R extends Result>(
  results: readonly R[],
  pairs: readonly Pair[],
  links: readonly SupersessionLink[],
): Map<string, readonly R[]> {
  const paired = new Set(pairs.flat())
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

/**
 * Returns the groups of results that may state other values of one thing, after `MOST_COMPARED` comparisons at most. `isAsked` returns whether a term is one of
 * the question's.
 */
export function restatementsAmong<R extends Result>(
  results: readonly R[],
  pairs: readonly Pair[],
  isAsked: (term: string) => boolean,
): R[][] {
  const byId = new Map(results.map((result) => [result.row.id, { row: result.row, key: thingKey(result) }]))
  const statements = new Map<string, Statement | null>()
  const statementIn = ({ id, content, language }: Result['row']) => {
    let statement = statements.get(id)
    if (statement === undefined) statements.set(id, (statement = statementOf(content, language)))
    return statement
  }
  const groups = new Groups<string>()
  let compared = 0
  for (const [idOfA, idOfB] of pairs) {
    const [a, b] = [byId.get(idOfA), byId.get(idOfB)]
    if (!a || !b || a.key !== b.key || groups.haveJoined(idOfA, idOfB)) continue
    if (++compared > MOST_COMPARED) break
    const [ofA, ofB] = [statementIn(a.row), statementIn(b.row)]
    if (ofA && ofB && haveOtherValues(ofA, ofB, isAsked)) groups.join(idOfA, idOfB)
  }
  return groups.of(results, ({ row }) => row.id).filter(({ length }) => length > 1)
}

/** Returns equal keys for results that may speak of one thing to the same readers: with one subject, title and speaker. */
function thingKey({ row, ranked }: Result): string {
  return `${subjectKey(row)} ${audienceKey(row)} ${speakerOf(ranked)}`
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
