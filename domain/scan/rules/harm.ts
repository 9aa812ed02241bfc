import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { type Check, rulesOf, type WordMatch } from './combinations.js'
import table from './harm.json' with { type: 'json' }
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** Where scripts of unknown origin come from: a bare address, a paste, a shortener, or a file that is one. */
const SCRIPT_URL =
  /https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|[^\s/]*(?:paste|bit\.ly|tinyurl|t\.co|rb\.gy|is\.gd|glot\.io)[^\s/]*|[^\s)"'`]*\.(?:sh|ps1|bat|py|exe|vbs|js|pl|bin|elf|scr|hta|run))/i

function namesScriptUrl(reading: Reading, _match: Span, sentence: Span): boolean {
  return SCRIPT_URL.test(reading.text.slice(sentence.start, sentence.end))
}

/** "… under ./build": the place is one that is made anew. */
function isNotRebuilt(reading: Reading, match: WordMatch): boolean {
  return !/\.\/|\b(?:under|in|inside|from) (?:the )?(?:`?\.?\/?(?:build|dist|out|target|tmp|cache|coverage|output|logs?|test\w*|sandbox|container))\b/.test(
    reading.lower.slice(match.start, match.end + 60),
  )
}

/** A link that the text shows is no place to send something to. */
function isDestination(reading: Reading, { parts }: WordMatch): boolean {
  const place = parts.at(-1)!
  return !reading.text.endsWith('](', place.start)
}

/** A scanner is installed against malware, and looks for it. */
function isPlanted(reading: Reading, match: Span, sentence: Span): boolean {
  const around = reading.lower.slice(match.start, Math.min(sentence.end, match.end + 24))
  return !/\b(?:for|against|about|from|of|detect\w*|find|scan\w*|remov\w*|block\w*|prevent\w*|protect\w*|analy\w*|gegen|contre|contra|против)\b|防|检测|対策/u.test(
    around,
  )
}

const CHECKS: Readonly<Record<string, Check>> = { isDestination, isNotRebuilt, isPlanted, namesScriptUrl }

/** A line that posts to a host, and what it posts: a file of the machine, or a word in angle brackets that the agent is to fill in. */
const POSTS = /\bcurl\b[^\n]{0,200}\bhttps?:\/\/(?!localhost|127\.|0\.0\.0\.0)[^\n]{0,300}/g
const CARRIES = /(?:-F|--form)\s?["']?\w{1,30}=@|(?:-d|-F|--data(?:-raw|-binary)?|--form)\s[^\n]{0,120}<\w+>/

const filledIn: Rule = {
  code: 'exfiltration',
  severity: 'warn',
  says: 'posts a file, or what the agent is to fill in, to a host',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(POSTS)) if (CARRIES.test(found[0])) yield rangeOf(found)
  },
}

export const HARM_RULES: readonly Rule[] = [...rulesOf(table, CHECKS), filledIn]
