import { casual, de, type Parser, type ParsingResult, type Refiner } from 'chrono-node'

/**
 * Returns the parts of one of chrono-node's configurations that are of a class. chrono-node exports none of these classes, so each is known by its
 * name. Throws where there is none, which is while the service starts: another version of chrono-node may name it otherwise.
 */
export function partsOf<Part extends object>(parts: readonly Part[], name: string): Part[] {
  const found = parts.filter(({ constructor }) => constructor.name === name)
  if (found.length === 0)
    throw new Error(`chrono-node has no ${name}: its other versions may have another name for it.`)
  return found
}

function partsWithout<Part extends object>(parts: readonly Part[], names: readonly string[]): Part[] {
  const left = new Set(names.flatMap((name) => partsOf(parts, name)))
  return parts.filter((part) => !left.has(part))
}

/** Parsers of English but those of amounts of time ("2h 30 min ago"), which backtrack without bound (chrono-node 2.10: 85 characters take half a minute). */
export const ENGLISH_PARSERS: readonly Parser[] = partsWithout(casual.parsers, [
  'ENTimeUnitWithinFormatParser',
  'ENTimeUnitAgoFormatParser',
  'ENTimeUnitLaterFormatParser',
  'ENTimeUnitCasualRelativeFormatParser',
])

/** Refiners of English but two that ours replace: one drops years alone, for the other the end of a month is a day. */
export const ENGLISH_REFINERS: readonly Refiner[] = partsWithout(casual.refiners, [
  'UnlikelyFormatFilter',
  'ENEndOfPeriodRefiner',
])

export const OVERLAP_REFINERS: readonly Refiner[] = partsOf(casual.refiners, 'OverlapRemovalRefiner')

export interface RangeMerge extends Refiner {
  mergeResults(between: string, from: ParsingResult, to: ParsingResult): ParsingResult
}

/** Joins the two ends of a span. */
export const RANGE_MERGE = partsOf(de.casual.refiners, 'DEMergeDateRangeRefiner')[0] as RangeMerge

/** Parsers of dates of numbers alone. */
export const [DAY_FIRST, MONTH_FIRST] = [de.casual, casual].map(({ parsers }) =>
  ['ISOFormatParser', 'SlashDateFormatParser'].map((name) => partsOf(parsers, name)[0]!),
) as [Parser[], Parser[]]
