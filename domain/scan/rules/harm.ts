import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { type Check, rulesOf, type WordMatch } from './combinations.js'
import table from './harm.json' with { type: 'json' }
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

/** Places of keys, tokens and sessions: a text that has several of them read collects them. */
const PRIVATE_PLACE =
  /(?:~|\$HOME|\/root|\/home\/\w+)?\/?\.(?:ssh|aws|gnupg|kube|docker|config\/(?:gcloud|gh|google-chrome|chromium|BraveSoftware)|azure|mozilla|netrc|npmrc|pypirc|git-credentials|env|bash_history|zsh_history|gem\/credentials)\b[\w./*-]{0,60}|\b(?:Login Data|logins\.json|cookies\.sqlite|key4\.db|Local State|wallet\.dat|id_rsa|id_ed25519|keychain|localStorage|document\.cookie)\b/g
const MOST_APART = 1_500
const FEWEST_PLACES = 3

const collecting: Rule = {
  code: 'exfiltration',
  severity: 'warn',
  says: 'has the places read where keys, tokens and sessions are kept',
  *find(reading: Reading): Iterable<Match> {
    const seen: { place: string; span: Span }[] = []
    for (const found of reading.text.matchAll(PRIVATE_PLACE)) {
      const span = { start: found.index, end: found.index + found[0].length }
      const sentence = reading.sentences[reading.sentenceAt(span)]
      if (!sentence || !reading.hitsIn({ start: sentence.start, end: span.start }, 'take').length) continue
      seen.push({ place: found[0].toLowerCase(), span })
      const near = seen.filter((other) => span.start - other.span.start <= MOST_APART)
      if (new Set(near.map(({ place }) => place)).size < FEWEST_PLACES) continue
      yield near[0]!.span
      return
    }
  },
}

export const HARM_RULES: readonly Rule[] = [...rulesOf(table, CHECKS), collecting]
