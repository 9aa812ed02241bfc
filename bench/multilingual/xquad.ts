import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AskedQuestion, createQualityMeasurement, type QualityMeasurement, recallAll } from '../quality.js'
import type { ServiceAccess } from '../service.js'
import { type EvidenceText, loadTexts } from './tenant.js'

export interface XquadOptions {
  /** Folder of the files `xquad.LANGUAGE.json`, as published. */
  readonly folder: string
  readonly languages: readonly string[]
  /** Asks only each n-th question. */
  readonly every: number
  readonly topK: number
}

/** XQuAD's file of one language; paragraphs and questions stand in the same order in every language. */
interface XquadFile {
  readonly data: readonly {
    readonly paragraphs: readonly { readonly context: string; readonly qas: readonly { readonly question: string }[] }[]
  }[]
}

interface XquadSet {
  readonly language: string
  readonly paragraphs: readonly EvidenceText[]
  readonly questions: readonly { readonly text: string; readonly evidence: readonly string[] }[]
}

/**
 * Asks XQuAD's questions in each language of the paragraphs in each: each language is a tenant, each paragraph a memory.
 * Resolves to the measurements `same` and `across`, by categories such as `de en` (asked in German, English paragraphs).
 */
export async function measureXquad(service: ServiceAccess, options: XquadOptions) {
  const sets = options.languages.map((language) => readXquad(options.folder, language))
  const measured = { same: createQualityMeasurement(), across: createQualityMeasurement() }
  for (const held of sets) {
    const tenant = await loadTexts(service, `xquad-${held.language}`, held.paragraphs, measured.same)
    for (const asked of sets) {
      const category = `${asked.language} ${held.language}`
      const questions: AskedQuestion[] = asked.questions
        .filter((_, i) => i % options.every === 0)
        .map((question) => ({ ...question, ...tenant, category }))
      const part: QualityMeasurement = asked === held ? measured.same : measured.across
      await recallAll(service.client, questions, options.topK, part)
    }
  }
  return measured
}

/** Reads the paragraphs and questions of one language. */
export function readXquad(folder: string, language: string): XquadSet {
  const { data } = JSON.parse(readFileSync(join(folder, `xquad.${language}.json`), 'utf8')) as XquadFile
  const paragraphs = data.flatMap((article) => article.paragraphs)
  return {
    language,
    paragraphs: paragraphs.map(({ context }, i) => ({ text: context, piece: `paragraph ${i}` })),
    questions: paragraphs.flatMap(({ qas }, i) =>
      qas.map(({ question }) => ({ text: question, evidence: [`paragraph ${i}`] })),
    ),
  }
}
