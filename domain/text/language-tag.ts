import type { Language } from './language.js'

/**
 * Returns the language of a tag of BCP 47: `de` of `de-AT`, `zh` of `zh-Hant-TW`. Old codes and codes of ISO 639-3 that
 * have a shorter one yield that (`iw` is `he`, `deu` is `de`), and a code that `languageOf` does not tell from another
 * yields that one (`nb` is `no`). Returns null for what is no tag, and for a language that Unicode has no name for.
 */
export function languageOfTag(tag: string): Language | null {
  const [code] = tag.toLowerCase().split('-', 1)
  if (!CODE.test(code!) || NO_LANGUAGES.has(code!) || !isTag(tag)) return null
  const { language } = new Intl.Locale(code!)
  return NAMES.of(language) === undefined ? null : (SAME_LANGUAGE.get(language) ?? language)
}

/** Returns the languages of valid tags, each once. */
export function languagesOfTags(tags: readonly string[]): Language[] {
  return [...new Set(tags.map((tag) => languageOfTag(tag)!))]
}

function isTag(text: string): boolean {
  try {
    return Intl.getCanonicalLocales(text).length === 1
  } catch {
    return false
  }
}

const CODE = /^[a-z]{2,3}$/
const NAMES = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' })
/** Codes that say that a text is in no language, in several, or in an unknown one. */
const NO_LANGUAGES: ReadonlySet<string> = new Set(['mis', 'mul', 'und', 'zxx'])
/** Written forms of one language, and codes that `Intl` prefers to those of ISO 639-1. */
const SAME_LANGUAGE: ReadonlyMap<string, Language> = new Map([
  ['nb', 'no'],
  ['nn', 'no'],
  ['fil', 'tl'],
  ['ckb', 'ku'],
  ['yue', 'zh'],
])
