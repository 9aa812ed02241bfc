import { writeFileSync } from 'node:fs'
import type { Cleanup } from './cleanup.js'
import { createEnvironment } from './environment.js'
import { measureNames } from './multilingual/names.js'
import { measureFacts } from './multilingual/recall.js'
import { measureXquad } from './multilingual/xquad.js'
import { type QualityMeasurement, type QualityOptions, reportMissed, speedOf } from './quality.js'
import type { Column, Figures } from './retrieval-figures.js'
import { startService } from './service.js'

interface MultilingualOptions extends QualityOptions {
  /** Folder of XQuAD's files; with it they are measured instead of the facts and names of the bench. */
  readonly xquad?: string
  readonly langs: readonly string[]
  readonly every: number
}

/**
 * Measures recall quality through the public interface in several languages and across them, and the names found in
 * labelled sentences. The least values count for questions in the language of the memories. Resolves to false when a
 * figure is too low.
 */
export async function benchMultilingual(options: MultilingualOptions, cleanup: Cleanup): Promise<boolean> {
  const { xquad: folder, langs: languages, every, topK } = options
  const written: Record<string, unknown> = folder === undefined ? { names: reportNames() } : {}
  let reached = true
  for (const profile of options.profiles) {
    const service = await startService(await createEnvironment(profile, cleanup, options.settings), { cleanup })
    const parts =
      folder === undefined
        ? await measureFacts(service, topK)
        : await measureXquad(service, { folder, languages, every, topK })
    await service.stop()
    console.log(`\nmultilingual, ${profile}`)
    console.table(folder === undefined ? factRows(parts) : xquadRows(parts, languages))
    for (const [name, part] of Object.entries(parts)) {
      const { questions, 'R@1': first, 'R@5': five, 'R@10': ten } = part.figures.rows().all!
      console.log(
        `${name}: R@1 ${first} R@5 ${five} R@10 ${ten} over ${questions} questions`,
        JSON.stringify(speedOf(part)),
      )
    }
    reached = reportMissed(profile, parts.same.figures.rows().all!, options.least) && reached
    written[profile] = mapValues(parts, (part) => ({ table: part.figures.rows(), speed: speedOf(part) }))
  }
  if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify(written, null, 2)}\n`)
  return reached
}

function reportNames() {
  const names = measureNames()
  console.log('names in labelled sentences; a name is right when both of its ends are')
  console.table(names.figures)
  return names
}

type Parts = Readonly<Record<string, QualityMeasurement>>

/** Returns R@1 / R@5 by language, for each part and kind of question. */
function factRows(parts: Parts): Record<string, Record<string, string>> {
  const rows: Record<string, Record<string, string>> = {}
  for (const [part, { figures }] of Object.entries(parts))
    for (const [category, of] of Object.entries(figures.rows())) {
      const [language = '', kind] = category.split(' ')
      if (kind !== undefined) rows[language] = { ...rows[language], [`${part}, ${kind}`]: pair(of, 'R@1', 'R@5') }
    }
  return rows
}

/** Returns R@1 / R@10, in rows by the language of the paragraphs and columns by that of the questions. */
function xquadRows(parts: Parts, languages: readonly string[]): Record<string, Record<string, string>> {
  const tables = Object.values(parts).map(({ figures }) => figures.rows())
  const figuresOf = (category: string) => tables.find((table) => table[category] !== undefined)![category]!
  const row = (held: string) =>
    Object.fromEntries(
      languages.map((asked) => [`asked in ${asked}`, pair(figuresOf(`${asked} ${held}`), 'R@1', 'R@10')]),
    )
  return Object.fromEntries(languages.map((held) => [held, row(held)]))
}

function pair(figures: Figures, first: Column, second: Column): string {
  return `${figures[first].toFixed(2)} / ${figures[second].toFixed(2)}`
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, of: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, of(value)]))
}
