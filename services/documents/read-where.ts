import { conditionsOf, type FieldCondition, unmatchableKey } from '../../domain/documents/fields.js'
import type { FilterValue } from '../../domain/filter-values.js'
import { InvalidArgumentsError } from '../../runtime/errors.js'

/** Parses a filter on top-level keys. Throws InvalidArgumentsError where no document can match it. */
export function readWhere(where: Readonly<Record<string, FilterValue>> = {}): FieldCondition[] {
  const unmatchable = unmatchableKey(where)
  if (unmatchable) throw InvalidArgumentsError.at(['where', unmatchable.key], `Cannot match: ${unmatchable.reason}.`)
  return conditionsOf(where)
}
