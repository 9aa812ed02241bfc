import { type AskedQuestion, createQualityMeasurement, recallAll } from '../quality.js'
import type { ServiceAccess } from '../service.js'
import { ASKED, type AskedLanguage, FACTS, KINDS, type Language, LANGUAGES } from './facts.js'
import { type EvidenceText, type LoadedTenant, loadTexts } from './tenant.js'

/**
 * Asks the questions about the facts: `same` in the language of the tenant's facts, `to en` in another language of
 * English facts, `from en` in English of another language's facts, and `mixed` of a tenant with the facts in all
 * languages, where a fact and its translations are equally right. The categories are a language and a kind of question,
 * such as `de near`; the language is that of the question, and with `from en` that of the facts.
 */
export async function measureFacts(service: ServiceAccess, topK: number) {
  const [same, toEnglish, fromEnglish, mixed] = Array.from({ length: 4 }, createQualityMeasurement)
  const parts = { same: same!, 'to en': toEnglish!, 'from en': fromEnglish!, mixed: mixed! }
  const english = ASKED.find(({ tag }) => tag === 'en')!
  const ask = (questions: readonly AskedQuestion[], part: keyof typeof parts) =>
    recallAll(service.client, questions, topK, parts[part])

  for (const language of LANGUAGES) {
    const tenant = await loadTexts(service, `facts-${language}`, factsIn(language), parts.same)
    for (const asked of ASKED) {
      if (asked.language === language) await ask(questionsOf(asked, tenant), 'same')
      else if (language === 'en') await ask(questionsOf(asked, tenant), 'to en')
      else if (asked === english) await ask(questionsOf(english, tenant, language), 'from en')
    }
  }
  const tenant = await loadTexts(service, 'facts-mixed', LANGUAGES.flatMap(factsIn), parts.mixed)
  for (const asked of ASKED) await ask(questionsOf(asked, tenant), 'mixed')
  return parts
}

function factsIn(language: Language): EvidenceText[] {
  return Object.entries(FACTS[language]).map(([piece, text]) => ({ text, piece }))
}

function questionsOf({ tag, questions }: AskedLanguage, tenant: LoadedTenant, row = tag): AskedQuestion[] {
  return Object.entries(questions).flatMap(([fact, texts]) =>
    KINDS.map((kind) => ({ ...tenant, text: texts[kind], category: `${row} ${kind}`, evidence: [fact] })),
  )
}
