import { withoutSpeaker } from '../text/speakers.js'
import { ofAllLanguages } from './step-words.js'

/** Matches the beginning of a line of a log: its time, level and thread, or fields of these. */
const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[\s:|-]+)?(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\]?[\s:|-]+(?:\[[\w.:/-]{1,40}\]\s+)?)?(?:(?:level|lvl|severity|ts|time|timestamp|host|pid|logger|thread)=\S+\s+)*/u
/** Matches a message that a field of a log quotes. */
const MESSAGE = /^(?:msg|message)=(["'])(.*)\1$/u
/** Matches who writes a line of a chat, or is spoken to: `<ana>`, `@ana`. */
const CHAT = /^(?:<[\p{L}\w.-]{1,30}>\s+|(?:@[\p{L}\w.-]{1,30}[,:]?\s+)+)/u
/** Matches the ticket or the sample that a line is about, and its state: `[#4711] status: open |`, `S-12:`. */
const CASE = new RegExp(
  String.raw`^(?:(?:\[#?\d+\]|#\d+|\p{Lu}{1,5}-?\d+(?=\s*[:|\uff1a])|(?:${ofAllLanguages('cases')})\s+#?\d+)\s*[:|\u00b7\uff1a-]?\s*)?(?:(?:${ofAllLanguages('status')})\s*[:=\uff1a]\s*[\p{L}_-]+(?: \p{L}+)?\s*[|\u00b7]\s*)?`,
  'iu',
)
/** Matches a greeting or a farewell of a letter that is a line of its own. */
const FAREWELL = String.raw`(?:${ofAllLanguages('farewells')})\s*[,.!\u3001\u3002\uff0c\uff01]?`
const LETTER = new RegExp(
  String.raw`^(?:(?:${ofAllLanguages('greetings')})(?: \p{L}+){0,3}\s*[,!\u3001\u3002\uff0c\uff01\uff1a]|${FAREWELL})$`,
  'iu',
)
/** Matches a farewell and the name below it, where a name has no capital. */
const SIGNED = new RegExp(
  String.raw`^${FAREWELL}\n[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2,4}$`,
  'iu',
)

/** Returns the lines of a text without what only frames them: times and levels of logs, names in a chat, tickets, greetings and signatures. */
export function unframedLines(text: string): string[] {
  const lines = text.split(/\n+/).map((line) => line.trim())
  return lines.flatMap((line, i) => {
    if (LETTER.test(line) || isSignature(line, lines[i - 1])) return []
    const bare = withoutSpeaker(line.replace(LOG, '').replace(MESSAGE, '$2')).replace(CHAT, '')
    return [bare.replace(CASE, '') || bare]
  })
}

/** Returns whether a line is the name below a farewell. */
function isSignature(line: string, before: string | undefined): boolean {
  return (
    before !== undefined &&
    ((LETTER.test(before) && /^\p{Lu}\p{Ll}+(?: \p{Lu}[\p{Ll}.]*)?$/u.test(line)) || SIGNED.test(`${before}\n${line}`))
  )
}
