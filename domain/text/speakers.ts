import speakers from './speakers.json' with { type: 'json' }

/** A name by its capitals, of up to three words; or one in a script without capitals, up to eight characters where it has no spaces. */
const NAME = String.raw`\p{Lu}[\p{L}\p{M}'\u2019-]{0,40}(?: \p{Lu}[\p{L}\p{M}'\u2019-]{0,40}){0,2}`
const NAME_WITHOUT_CAPITALS = String.raw`(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\u30fc\u00b7\u30fb]{1,8}?|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}])\p{Lo}[\p{Lo}\p{M}]{0,40})(?: \p{Lo}[\p{Lo}\p{M}]{0,40}){0,2})`
const TIME = String.raw`[(\[\uff08]\d{1,2}[:\uff1a]\d\d(?:[:\uff1a]\d\d)?(?: [ap]m)?[)\]\uff09]`
/** Matches "Ana said, …", "Ana Maria: …", "Ana (10:32): …" and "安娜：…", as transcripts are written. */
const SPEAKER_LABEL = new RegExp(
  String.raw`^(?:${TIME}\s)?(?:(?<name>${NAME})(?: (?:${speakers.said.join('|')})(?!\p{L})|(?: ?${TIME})?(?:: |\uff1a))|(?<other>${NAME_WITHOUT_CAPITALS})(?:${speakers.titles.join('|')})?(?: ?${TIME})?(?:: |\uff1a))`,
  'u',
)

/** Returns the speaker whom the label before a text names, as it is written there, or null. */
export function speakerOf(text: string): string | null {
  const { name, other } = SPEAKER_LABEL.exec(text)?.groups ?? {}
  return name ?? other ?? null
}

/** Matches a label with a time, whose name needs no capital: "[10:32] Ana: ", "ana (10:32): ". Without one, a word before a colon may be any. */
const TIMED_LABEL = new RegExp(
  String.raw`^(?:${TIME}\s(?:${NAME}|${NAME_WITHOUT_CAPITALS})(?:: |\uff1a)|(?:${NAME}|${NAME_WITHOUT_CAPITALS}|[\p{L}\w.-]{1,30}) ?${TIME}(?:\s*[:>-]\s+|\uff1a))`,
  'u',
)

/** Returns a line of a chat without the label that says who wrote it, and when. */
export function withoutSpeaker(line: string): string {
  return line.replace(TIMED_LABEL, '')
}
