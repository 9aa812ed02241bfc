/** A script, the letters that are of it, and the language that it says, if it says one. */
export interface Script {
  readonly name: string
  readonly letters: RegExp
  /** Is null where the script is that of several languages, which the detector tells apart. */
  readonly language: string | null
}

/** The scripts of the languages that people write today, in the order in which they are looked for. */
export const SCRIPTS: readonly Script[] = [
  { name: 'Cyrillic', letters: /\p{Script=Cyrillic}/gu, language: null },
  { name: 'Han', letters: /\p{Script=Han}/gu, language: 'zh' },
  { name: 'Kana', letters: /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, language: 'ja' },
  { name: 'Hangul', letters: /\p{Script=Hangul}/gu, language: 'ko' },
  { name: 'Arabic', letters: /\p{Script=Arabic}/gu, language: null },
  { name: 'Devanagari', letters: /\p{Script=Devanagari}/gu, language: null },
  { name: 'Thai', letters: /\p{Script=Thai}/gu, language: 'th' },
  { name: 'Greek', letters: /\p{Script=Greek}/gu, language: 'el' },
  { name: 'Hebrew', letters: /\p{Script=Hebrew}/gu, language: 'he' },
  { name: 'Bengali', letters: /\p{Script=Bengali}/gu, language: 'bn' },
  { name: 'Tamil', letters: /\p{Script=Tamil}/gu, language: 'ta' },
  { name: 'Telugu', letters: /\p{Script=Telugu}/gu, language: 'te' },
  { name: 'Kannada', letters: /\p{Script=Kannada}/gu, language: 'kn' },
  { name: 'Malayalam', letters: /\p{Script=Malayalam}/gu, language: 'ml' },
  { name: 'Gujarati', letters: /\p{Script=Gujarati}/gu, language: 'gu' },
  { name: 'Gurmukhi', letters: /\p{Script=Gurmukhi}/gu, language: 'pa' },
  { name: 'Oriya', letters: /\p{Script=Oriya}/gu, language: 'or' },
  { name: 'Sinhala', letters: /\p{Script=Sinhala}/gu, language: 'si' },
  { name: 'Georgian', letters: /\p{Script=Georgian}/gu, language: 'ka' },
  { name: 'Armenian', letters: /\p{Script=Armenian}/gu, language: 'hy' },
  { name: 'Khmer', letters: /\p{Script=Khmer}/gu, language: 'km' },
  { name: 'Lao', letters: /\p{Script=Lao}/gu, language: 'lo' },
  { name: 'Myanmar', letters: /\p{Script=Myanmar}/gu, language: 'my' },
  { name: 'Ethiopic', letters: /\p{Script=Ethiopic}/gu, language: 'am' },
  { name: 'Tibetan', letters: /\p{Script=Tibetan}/gu, language: 'bo' },
  { name: 'Thaana', letters: /\p{Script=Thaana}/gu, language: 'dv' },
]

/** The languages of a script that the detector knows. Those of the Latin script are all others. */
export const LANGUAGES_OF_SCRIPT: Readonly<Record<string, readonly string[]>> = {
  Cyrillic: ['be', 'bg', 'ru', 'sr', 'uk'],
  Arabic: ['ar', 'fa', 'ku', 'ur'],
  Devanagari: ['hi', 'mr'],
}

/**
 * The letters of the languages that share a script with languages unknown to the detector (Kazakh, Macedonian, Mongolian,
 * Pashto, Sindhi, Uyghur), which it would take for one of these.
 */
export const ALPHABETS: Readonly<Record<string, RegExp>> = {
  be: /^[а-яёіў'’]+$/iu,
  bg: /^[а-ъьюя]+$/iu,
  ru: /^[а-яё]+$/iu,
  sr: /^[а-шђјљњћџ]+$/iu,
  uk: /^[а-щьюяєіїґ'’]+$/iu,
  ar: /^[\u0621-\u063a\u0640-\u0652\u0670\u0671]+$/u,
  fa: /^[\u0621-\u063a\u0640-\u0652\u0670\u0671\u067e\u0686\u0698\u06a9\u06af\u06cc\u06c0\u200c]+$/u,
  ur: /^[\u0621-\u063a\u0640-\u0652\u0670\u0679\u067e\u0686\u0688\u0691\u0698\u06a9\u06af\u06ba\u06be\u06c0-\u06c3\u06cc\u06d2\u06d3\u200c]+$/u,
  ku: /^[\u0621-\u063a\u0640-\u0652\u067e\u0686\u0695\u0698\u06a4\u06a9\u06af\u06b5\u06be\u06c6\u06c7\u06cc\u06ce\u06d5\u200c]+$/u,
}

/** Frequent words by which two languages are told apart that the detector takes for one. */
export interface Neighbour {
  readonly language: string
  readonly words: ReadonlySet<string>
}

/** Lists the languages that the detector takes for one, with words of each. The first is said where there are no such words. */
export const NEIGHBOURS: Readonly<Record<string, readonly Neighbour[]>> = {
  ms: [
    neighbour(
      'id',
      `anda bahwa beda berbagai bisa butuh coba informasi kalau kantor karena ketika layanan mau mobil obat pemerintah persen
      perusahaan polisi provinsi rapat saat saja sedangkan setelah tanggal tapi uang universitas yaitu`,
    ),
    neighbour(
      'ms',
      `apabila awak bahawa beza boleh cuba iaitu ialah jabatan kerajaan kerana khidmat mahu maklumat manakala mesyuarat negeri
      pejabat pelbagai peratus polis sahaja selepas semasa syarikat tarikh ubat universiti wang`,
    ),
  ],
  sr: [
    neighbour('sr', 'био била бити због из ја је када који код му није са само сам се су у ће шта'),
    neighbour('mk', 'биде во го ги е ја кај кога кои кој меѓу ми му нѐ низ ќе со сум тоа тој'),
  ],
}

function neighbour(language: string, words: string): Neighbour {
  return { language, words: new Set(words.split(/\s+/)) }
}

const knownScripts = new Map<string, string | undefined>()

/** Returns the code of ISO 15924 of the script that a language is mostly written in, as CLDR has it; undefined where it has none. */
export function scriptOf(language: string): string | undefined {
  // ICU takes 16 µs to find it.
  if (!knownScripts.has(language)) knownScripts.set(language, new Intl.Locale(language).maximize().script)
  return knownScripts.get(language)
}
