import { LONG_LIST, COMPARED_LIST } from '../../../domain/documents/members.js'
import { fieldValue } from '../../../domain/filter-values.js'
import type { FilterExpression, FilterLeaf } from '../../../domain/filters/expression.js'
import type { IndexCondition } from '../../../domain/filters/index-condition.js'
import { indexedBoundFleet } from '../../../domain/skills/fleet-bound.js'
import {
  docIdTerm,
  keyTerm,
  memberTerm,
  metadataTerm,
  UNLISTED_TERM,
  updateTerm,
} from '../../../search/search-index.js'
import { boundsOf, type Leaf, termRange } from '../filters.js'

/**
 * Returns a condition that every document meets of which the filter is true, as an engine evaluates it. It may hold for others, whose lists have no terms: their
 * rows decide.
 */
export function documentCondition(expression: FilterExpression): IndexCondition {
  return condition(expression, true)
}

/** Returns a condition that every document meets of which the expression has the wanted value. */
function condition(expression: FilterExpression, isWanted: boolean): IndexCondition {
  switch (expression.kind) {
    case 'and':
    case 'or':
      return {
        kind: (expression.kind === 'and') === isWanted ? 'and' : 'or',
        of: expression.of.map((one) => condition(one, isWanted)),
      }
    case 'not':
      return condition(expression.of, !isWanted)
    default: {
      const { met, unknown } = leafTerms(expression)
      if (!isWanted) return { kind: 'not', of: met }
      return unknown.length === 0 ? met : { kind: 'or', of: [met, { kind: 'terms', anyOf: unknown }] }
    }
  }
}

/** Holds what an index knows of a condition. */
interface LeafTerms {
  /** Holds for documents that meet it for certain. */
  readonly met: IndexCondition
  /** Terms of documents that may meet it too. */
  readonly unknown: readonly string[]
}

function leafTerms(leaf: FilterLeaf): LeafTerms {
  switch (leaf.kind) {
    case 'any of':
      return anyOfTerms(leaf)
    case 'exists':
      return existsTerms(leaf)
    case 'range':
      return rangeTerms(leaf)
    case 'valid at':
      throw new Error('a document is valid at no time')
  }
}

function anyOfTerms({ field, values }: Leaf<'any of'>): LeafTerms {
  if ('key' in field) {
    const { key } = field
    const terms = values.map(fieldValue).flatMap((value) => [metadataTerm(key, value), memberTerm(key, value)])
    return { met: { kind: 'terms', anyOf: terms }, unknown: [memberTerm(key, LONG_LIST), UNLISTED_TERM] }
  }
  const texts = values as readonly string[]
  const met: IndexCondition =
    field.column === 'doc_id'
      ? { kind: 'terms', anyOf: texts.map(docIdTerm) }
      : { kind: 'column', column: 'fleet_id', anyOf: texts.flatMap((fleet) => [fleet, indexedBoundFleet(fleet)]) }
  return { met, unknown: [] }
}

function existsTerms({ field }: Leaf<'exists'>): LeafTerms {
  if ('key' in field) return { met: { kind: 'terms', anyOf: [keyTerm(field.key)] }, unknown: [UNLISTED_TERM] }
  // Every document has the other columns.
  return { met: { kind: 'has', column: field.column === 'fleet_id' ? 'fleet_id' : 'created_at' }, unknown: [] }
}

function rangeTerms(leaf: Leaf<'range'>): LeafTerms {
  const { field, from, to } = leaf
  if ('key' in field)
    return { met: termRange(field.key, leaf), unknown: [memberTerm(field.key, COMPARED_LIST), UNLISTED_TERM] }
  if (field.column === 'created_at')
    return { met: { ...boundsOf(leaf), kind: 'times', column: 'created_at' }, unknown: [] }
  const met: IndexCondition = {
    kind: 'terms between',
    from: { term: updateTerm(from?.value ?? -Infinity), includes: from?.includes ?? true },
    to: { term: updateTerm(to?.value ?? Infinity), includes: to?.includes ?? true },
  }
  return { met, unknown: [] }
}
