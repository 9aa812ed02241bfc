import type { Span } from '../text/chunks.js'
import type { Reading } from '../text/reading.js'
import { type Combination, ruleOf, type WordMatch } from './combinations.js'
import type { Rule } from './rule.js'

/** Where scripts of unknown origin come from: a bare address, a paste, a shortener, or a file that is one. */
const SCRIPT_URL =
  /https?:\/\/(?:\d{1,3}(?:\.\d{1,3}){3}|[^\s/]*(?:paste|bit\.ly|tinyurl|t\.co|rb\.gy|is\.gd)[^\s/]*|[^\s)"'`]*\.(?:sh|ps1|bat|py|exe|vbs|js|pl|bin|elf|scr|hta|run))/i

function namesScriptUrl(reading: Reading, _match: Span, sentence: Span): boolean {
  return SCRIPT_URL.test(reading.text.slice(sentence.start, sentence.end))
}

function isNotForbiddenPlace(reading: Reading, match: WordMatch): boolean {
  // "Create an empty database": the word is an adjective.
  const action = match.parts[0]!
  // "Before deleting, …"
  if (/^(?:前|之前|以前|后|之后|时|の前|する前|後|の後)/.test(reading.lower.slice(action.end, action.end + 4)))
    return false
  if (/\b(?:an?|the|is|are|be|when|if|not|of) $/.test(reading.lower.slice(Math.max(0, action.start - 6), action.start)))
    return false
  return !/\.\/|\b(?:under|in|inside|from) (?:the )?(?:`?\.?\/?(?:build|dist|out|target|tmp|cache|coverage|output|logs?))\b/.test(
    reading.lower.slice(match.start, match.end + 60),
  )
}

/** The safeguard is what is switched off, and not where something is: "in the sandbox". */
function isObject(reading: Reading, { parts }: WordMatch): boolean {
  const safeguard = parts[1]!
  return !/\b(?:in|inside|within|from|under) (?:the |a |your )?$/.test(
    reading.lower.slice(Math.max(0, safeguard.start - 14), safeguard.start),
  )
}

/** A scanner is installed against malware, and looks for it. */
function isPlanted(reading: Reading, match: Span, sentence: Span): boolean {
  const around = reading.lower.slice(match.start, Math.min(sentence.end, match.end + 24))
  return !/\b(?:for|against|about|from|of|detect\w*|find|scan\w*|remov\w*|block\w*|prevent\w*|protect\w*|analy\w*|gegen|contre|contra|против)\b|防|检测|対策/u.test(
    around,
  )
}

/** Harm that is asked for in words, and not as a command. */
const COMBINATIONS: readonly Combination[] = [
  {
    code: 'harmful_instruction',
    says: 'asks to destroy what cannot be replaced',
    of: [['delete'], ['wholeTarget']],
    within: 80,
    unless: ['limited'],
    when: isNotForbiddenPlace,
  },
  {
    code: 'harmful_instruction',
    says: 'asks to plant malicious software or a hidden access',
    of: [['add', 'download', 'execute'], ['malware']],
    within: 70,
    when: isPlanted,
  },
  {
    code: 'harmful_instruction',
    says: 'asks to send money or goods to an account that it names',
    of: [['send'], ['money'], ['wallet']],
    within: 110,
  },
  {
    code: 'shell_safeguard_disabled',
    says: 'asks to switch off a safeguard',
    of: [['disable'], ['safeguard']],
    within: 80,
    when: isObject,
  },
  {
    code: 'shell_piped_download',
    says: 'asks to download a script and run it unread',
    of: [['download'], ['execute']],
    within: 220,
    unless: ['inspect'],
    when: namesScriptUrl,
  },
  {
    code: 'shell_persistence',
    says: "asks to admit somebody else's key",
    of: [['add', 'remember'], ['foreignKey'], ['loginKey']],
    within: 140,
  },
  {
    code: 'shell_persistence',
    says: 'asks for something hidden that starts by itself',
    of: [['add'], ['startup'], ['secretly', 'unknowingly', 'malware', 'outsider']],
    within: 160,
  },
  {
    code: 'exfiltration',
    says: 'asks to send secrets or private data elsewhere',
    of: [['send'], ['sensitive'], ['outside', 'outsider']],
    within: 170,
    unless: ['auth', 'redact', 'ownAddress'],
  },
  {
    code: 'exfiltration',
    says: 'asks to send credentials to somebody else',
    of: [['send'], ['credential'], ['outsider']],
    within: 150,
    unless: ['auth', 'redact', 'ownAddress'],
  },
  {
    code: 'exfiltration',
    says: 'asks to send what its user wrote elsewhere',
    of: [['send'], ['talk'], ['outsider', 'outside']],
    within: 170,
  },
  {
    code: 'exfiltration_image',
    says: 'asks for an image or a link that carries data out',
    of: [['image'], ['talk', 'sensitive', 'credential'], ['outside', 'outsider'], ['send', 'add', 'reveal']],
    within: 260,
  },
]

export const HARM_RULES: readonly Rule[] = COMBINATIONS.map(ruleOf)
