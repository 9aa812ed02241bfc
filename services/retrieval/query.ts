import { alternativesOf, type FilterValue } from '../../domain/filter-values.js'
import type { FilterExpression } from '../../domain/filters/expression.js'
import type { IndexCondition } from '../../domain/filters/index-condition.js'
import type { Principal } from '../../domain/principal.js'
import type { Query } from '../../domain/query.js'
import { analyseQuery } from '../../domain/text/analysis.js'
import { type Language, languageOf } from '../../domain/text/language.js'
import { tellingWords, termsOfGroups } from '../../domain/text/query-words.js'
import { Slices } from '../../runtime/slices.js'
import type { SearchContext } from './context.js'
import { withOtherNames } from './filters.js'

/** Holds what reading a query needs besides its request. */
export interface QueryOptions {
  /** Unix milliseconds. */
  readonly now: number
  /** Returns the languages that a query might be in whose own is uncertain. */
  readonly frequent: () => Promise<readonly Language[]>
  /** Adds the other names of the things that a filter names. */
  readonly withOtherNames: (expression: FilterExpression) => Promise<FilterExpression>
}

export function queryOptions({ store, tenantLanguages, clock }: SearchContext, principal: Principal): QueryOptions {
  return {
    now: clock.now(),
    frequent: () => tenantLanguages.ofQueries(store, principal),
    withOtherNames: (expression) => withOtherNames(store, principal, expression),
  }
}

/** Returns the text of a query with its language and the words that are looked for. */
export async function readWords(
  given: string,
  { frequent }: QueryOptions,
): Promise<Pick<Query, 'text' | 'language' | 'languages' | 'groups' | 'terms' | 'leftOut'>> {
  const text = given.trim()
  const language = languageOf(text)
  const languages = language === null ? await frequent() : [language]
  const { groups, leftOut } = tellingWords(await new Slices().run(analyseQuery(text, language, languages)))
  return { text, language, languages, groups, terms: termsOfGroups(groups), leftOut }
}

/** Returns values that top-level keys must have as an expression. */
export function equalitiesOf(filter: Readonly<Record<string, FilterValue>>): FilterExpression[] {
  return Object.entries(filter).map(([key, value]) => ({
    kind: 'any of',
    field: { key },
    values: alternativesOf(value),
  }))
}

/** Returns the expression that all of these are true; undefined for none. */
export function allOf<Condition extends FilterExpression | IndexCondition>(
  of: readonly Condition[],
): Condition | undefined {
  return of.length > 1 ? ({ kind: 'and', of } as unknown as Condition) : of[0]
}
