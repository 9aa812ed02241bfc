import { readData, TEXT } from '../data-file.js'

/** The languages of the facts and of the sentences with names. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'it', 'nl', 'ru', 'zh', 'ja', 'ko', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]

/** Languages in which only questions are asked, with the language of the facts that answer them. */
const ASKED_ONLY = { 'zh-Hant': 'zh' } as const satisfies Readonly<Record<string, Language>>

/** `near` shares words with the fact, `far` as few as a native speaker may choose. */
export const KINDS = ['near', 'far'] as const
export type Questions = Readonly<Record<(typeof KINDS)[number], string>>

/** Facts by their names, which are the same in every language. */
export const FACTS: Readonly<Record<Language, Readonly<Record<string, string>>>> = perLanguage((language) =>
  Object.fromEntries(Object.entries(readFacts(language)).map(([name, { text }]) => [name, text])),
)

export interface AskedLanguage {
  /** An IETF tag such as `zh-Hant`. */
  readonly tag: string
  /** The language of the facts. */
  readonly language: Language
  /** Questions by the name of the fact that answers them. */
  readonly questions: Readonly<Record<string, Questions>>
}

export const ASKED: readonly AskedLanguage[] = [
  ...LANGUAGES.map((language) => ({ tag: language, language, questions: readFacts(language) })),
  ...Object.entries(ASKED_ONLY).map(([tag, language]) => ({
    tag,
    language,
    questions: readData(`multilingual/facts/${tag}.yaml`, { values: { properties: { near: TEXT, far: TEXT } } }),
  })),
]

export function perLanguage<T>(of: (language: Language) => T): Record<Language, T> {
  return Object.fromEntries(LANGUAGES.map((language) => [language, of(language)])) as Record<Language, T>
}

function readFacts(language: Language) {
  return readData(`multilingual/facts/${language}.yaml`, {
    values: { properties: { text: TEXT, near: TEXT, far: TEXT } },
  })
}
