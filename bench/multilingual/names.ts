import { nameKey } from '../../domain/text/memory-text.js'
import type { FoundName } from '../../domain/text/names/found-name.js'
import { namesIn } from '../../domain/text/names/names-in.js'
import { readData, TEXT, TEXTS } from '../data-file.js'
import { type Language, LANGUAGES, perLanguage } from './facts.js'

interface LabelledSentence {
  readonly text: string
  /** The readings of each name, any of which is right. */
  readonly names: readonly (readonly string[])[]
}

/** Sentences with the names that a careful reader would link, by their language. */
export const SENTENCES: Readonly<Record<Language, readonly LabelledSentence[]>> = readSentences()

const AT = Date.UTC(2026, 0, 5)
const find: (text: string, at: number, language: Language) => FoundName[] = namesIn

export interface NameFigures {
  readonly sentences: number
  /** Number of labelled names. */
  readonly names: number
  readonly precision: number
  readonly recall: number
}

/** A sentence in which names were missed or found wrongly. */
interface NameFault {
  readonly language: Language
  readonly text: string
  readonly wrong: readonly string[]
  readonly missed: readonly string[]
}

/** Finds names in the labelled sentences. Returns the figures by language, with `all`, and each fault. Dates do not count. */
export function measureNames(): { figures: Record<string, NameFigures>; faults: readonly NameFault[] } {
  const results = LANGUAGES.flatMap((language) => SENTENCES[language].map((sentence) => compare(language, sentence)))
  const of = (language: Language) => sum(results.filter((result) => result.language === language))
  return {
    figures: { all: sum(results), ...perLanguage(of) },
    faults: results
      .filter(({ wrong, missed }) => wrong.length + missed.length > 0)
      .map(({ language, text, wrong, missed }) => ({ language, text, wrong, missed })),
  }
}

function compare(language: Language, { text, names }: LabelledSentence) {
  const found = find(text, AT, language)
    .filter(({ type }) => type !== 'date')
    .map(({ name }) => name)
  const foundKeys = new Set(found.map(nameKey))
  const rightKeys = new Set(names.flat().map(nameKey))
  const wrong = found.filter((name) => !rightKeys.has(nameKey(name)))
  const missed = names.filter((readings) => !readings.some((reading) => foundKeys.has(nameKey(reading))))
  return { language, text, found: found.length, names: names.length, wrong, missed: missed.map(([name]) => name!) }
}

function sum(results: readonly ReturnType<typeof compare>[]): NameFigures {
  const total = (of: (result: ReturnType<typeof compare>) => number) =>
    results.reduce((sum, result) => sum + of(result), 0)
  const [found, names] = [total((one) => one.found), total((one) => one.names)]
  const share = (part: number, whole: number) => (whole === 0 ? 1 : Number((part / whole).toFixed(4)))
  return {
    sentences: results.length,
    names,
    precision: share(found - total(({ wrong }) => wrong.length), found),
    recall: share(names - total(({ missed }) => missed.length), names),
  }
}

function readSentences() {
  const sentences = { elements: { properties: { text: TEXT, names: TEXTS } } } as const
  const data = readData('multilingual/names.yaml', { properties: perLanguage(() => sentences) })
  return perLanguage((language) =>
    data[language].map(({ text, names }) => ({ text, names: names.map((name) => name.split(' | ')) })),
  )
}
