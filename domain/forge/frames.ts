import { withoutSpeaker } from '../text/speakers.js'

/** Matches the beginning of a line of a log: its time, level and thread, or fields of these. */
const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]?[\s:|-]+)?(?:\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\]?[\s:|-]+(?:\[[\w.:/-]{1,40}\]\s+)?)?(?:(?:level|lvl|severity|ts|time|timestamp|host|pid|logger|thread)=\S+\s+)*/u
/** Matches a message that a field of a log quotes. */
const MESSAGE = /^(?:msg|message)=(["'])(.*)\1$/u
/** Matches who writes a line of a chat, or is spoken to: `<ana>`, `@ana`. */
const CHAT = /^(?:<[\p{L}\w.-]{1,30}>\s+|(?:@[\p{L}\w.-]{1,30}[,:]?\s+)+)/u
/** Matches the ticket or the sample that a line is about, and its state: `[#4711] status: open |`, `S-12:`. */
const CASE =
  /^(?:(?:\[#?\d+\]|#\d+|\p{Lu}{1,5}-?\d+(?=\s*[:|])|(?:ticket|issue|case|vorgang|caso)\s+#?\d+)\s*[:|\u00b7-]?\s*)?(?:(?:status|state|estado)\s*[:=]\s*[\p{L}_-]+(?: \p{L}+)?\s*[|\u00b7]\s*)?/iu
/** Matches a greeting or a farewell of a letter that is a line of its own. */
const LETTER =
  /^(?:(?:hi|hello|hey|dear|hallo|guten (?:tag|morgen)|liebe[rs]?|moin|hola|buenos d[ií]as|estimad[oa]s?|bonjour)(?: \p{L}+){0,3}\s*[,!]|(?:(?:all the |kind |best |warm )?(?:best|regards|wishes)|cheers|thanks|thank you|thx|sincerely|(?:viele |beste |liebe |mit (?:freundlichen|besten) )?gr(?:\u00fc|u|ue)(?:\u00df|ss)en?|mfg|lg|vg|(?:un )?saludos?|atentamente|cordialement)\s*[,.!]?)$/iu

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
  return before !== undefined && LETTER.test(before) && /^\p{Lu}\p{Ll}+(?: \p{Lu}[\p{Ll}.]*)?$/u.test(line)
}
