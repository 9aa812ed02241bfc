import type { Reading } from '../text/reading.js'
import { rangeOf } from './matches.js'
import type { Match, Rule } from './rule.js'

/** The longest comment that is looked into at once; a longer one is cut there. */
const LONGEST = 4_000
const ADDRESSES =
  /\b(?:ai|a\.i\.|assistants?|agents?|llms?|language models?|models?|claude|gpt|chatgpt|copilot|gemini|system|bots?|you must|your task|you are|you should|KI|modell|IA|asistente|agente|ассистент\w*|агент\w*|модел\w*|ИИ)\b|助手|智能体|模型|エージェント|アシスタント|مساعد|وكيل|에이전트/iu
const ACTS: ReadonlySet<string> = new Set([
  'execute',
  'send',
  'delete',
  'ignore',
  'reveal',
  'approve',
  'disable',
  'download',
  'unknowingly',
  'persona',
  'grant',
  'claim',
  'obey',
  'secretly',
])

/** A comment that rendering hides, and that gives orders to whoever reads the source. */
const hiddenComment: Rule = {
  code: 'hidden_comment',
  severity: 'critical',
  says: 'has a comment that is not rendered and gives orders to an agent',
  *find(reading: Reading): Iterable<Match> {
    for (const span of commentsOf(reading.text)) {
      const text = reading.text.slice(span.start, span.end)
      if (!ADDRESSES.test(text)) continue
      const orders = reading
        .hitsIn(span)
        .filter(
          ({ concept, start }) =>
            ACTS.has(concept) && (concept !== 'execute' || ADDRESSES.test(reading.text.slice(span.start, start + 20))),
        )
      if (orders.length === 0 || UPKEEP.test(text) || MARK.test(text)) continue
      // What stands in backticks is shown.
      const isShown = reading.text.endsWith('`<!--', span.start) && reading.text.startsWith('-->`', span.end)
      const isGrave = orders.some(({ concept }) => !MILD.has(concept)) || reading.hitsIn(span, 'sensitive').length > 0
      yield { ...span, severity: isShown ? 'info' : isGrave ? 'critical' : 'warn' }
    }
  },
}

/** Acts that authors also ask of each other: "only include common patterns". */
const MILD: ReadonlySet<string> = new Set(['reveal', 'download', 'persona'])
/** The mark of a tool around what it writes: `tool:begin name`. */
const MARK = /^[\s\w:./@-]{0,80}\b(?:begin|start|end)\b[\s\w:./@-]{0,80}$/i
/** Notes about the upkeep of a document. */
const UPKEEP =
  /^\W{0,8}(?:TODO|FIXME|NOTE to (?:editors|maintainers)|prettier|markdownlint|eslint|vale|cspell|toc|copyright|licen[cs]e|SPDX|generated|auto-?generated|maintainers?:|editors?:|reviewers?:|docs?:)/i

function* commentsOf(text: string): Iterable<{ start: number; end: number }> {
  for (let at = text.indexOf('<!--'); at !== -1;) {
    const close = text.indexOf('-->', at + 4)
    const end = close === -1 ? Math.min(text.length, at + LONGEST) : Math.min(close, at + LONGEST)
    yield { start: at + 4, end }
    at = text.indexOf('<!--', end)
  }
  for (const found of text.matchAll(/^[ \t]{0,3}\[[^\]\n]{0,40}\]:[ \t]{0,4}(?:#|<>)[ \t]{0,4}[("'](.{1,2000})[)"']/gm))
    yield rangeOf(found)
}

const HIDING_STYLE =
  /<[a-z][\w-]{0,20}\s[^<>]{0,200}?(?:display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01](?:px|pt|em|%)?\s?[;"']|opacity\s?:\s?0(?:\.0\d*)?\s?[;"']|color\s?:\s?(?:#f{3}\b|#f{6}\b|white|transparent)|(?:left|top|text-indent)\s?:\s?-\d{3,}|height\s?:\s?[01](?:px)?\s?[;"']|\shidden(?=[\s>]))[^<>]{0,200}>([^<]{0,2000})/gi

/** Styles that hide on any ground. */
const HIDES =
  /display\s?:\s?none|visibility\s?:\s?hidden|font-size\s?:\s?[01]|opacity\s?:\s?0|transparent|-\d{3,}|\shidden[\s>]/i

/** Text in elements that a style makes invisible. */
const hiddenStyle: Rule = {
  code: 'hidden_style',
  severity: 'critical',
  says: 'has text that a style makes invisible',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(HIDING_STYLE)) {
      const words = found[1]!.match(/[\p{L}]{2,}/gu)?.length ?? 0
      const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{6}/u.test(found[1]!)
      if (words < 3 && !unspaced) continue
      // White on a colour is seen.
      if (/background/i.test(found[0]) && !HIDES.test(found[0])) continue
      const span = rangeOf(found)
      const block = reading.blockAt({ start: span.start, end: span.start + 1 })
      yield { ...span, severity: block?.kind === 'code' || reading.text[span.start - 1] === '`' ? 'info' : 'critical' }
    }
  },
}

const TARGET =
  /!\[[^\]\n]{0,300}\]\(\s{0,3}<?(https?:\/\/(?:[^\s)>{]|\{[^{}\n]{0,160}\}|\{){1,1500})|<img\b[^<>]{0,300}?\ssrc\s?=\s?["']?(https?:\/\/[^\s"'>]{1,1500})|(?<!!)\[[^\]\n]{0,300}\]\(\s{0,3}<?(https?:\/\/[^\s)>]{1,1500})/gi
const PRIVATE_NAME =
  /conversation|history|chat|secret|token|password|api_?key|\benv\b|environ|prompt|context|user_?(?:input|data|message|name|info)|messages?\b|transcript|cookie|credential|session|summary|memory|memories|email|private|base64|data\b|content|answer|leak|exfil|stolen|file/i
const PLACEHOLDER =
  /\{\{?[^{}]{1,80}\}?\}|\$\{?\(?[A-Za-z_][^/&]{0,60}|<[A-Za-z_][\w -]{1,60}>|\[[A-Za-z_][\w -]{1,60}\]|%[A-Z_]{3,}%|__[A-Z_]{3,}__|\b(?:BASE64|DATA|CONVERSATION|SECRET|HISTORY|PAYLOAD|SUMMARY|TOKEN|API_?KEY|PASSWORD)(?:_\w+)?\b/

const SECRET_NAME =
  /conversation|history|chat|secret|token|password|api_?key|\benv\b|environ|prompt|context|messages?\b|transcript|cookie|credential|session|memory|memories|base64|leak|exfil|stolen|everything/i
const FILLED_REACH = 400

/** Returns whether the text beside an image says to put what was talked about in place of a word of its address. */
function isFilledLater(reading: Reading, values: string, { start, end }: { start: number; end: number }): boolean {
  const word = /=([A-Z][A-Z_]{3,30})(?=&|$)/.exec(values)?.[1]
  if (word === undefined) return false
  const from = Math.max(0, start - FILLED_REACH)
  const beside = [reading.text.slice(from, start), reading.text.slice(end, end + FILLED_REACH)]
  const offset = beside[0]!.indexOf(word)
  const at = offset === -1 ? end + beside[1]!.indexOf(word) : from + offset
  if (offset === -1 && at < end) return false
  return reading
    .hitsIn({ start: Math.max(0, at - 120), end: at + 160 })
    .some(({ concept }) => concept === 'talk' || concept === 'sensitive')
}

/** An image (or link) whose address is to be filled with what the agent knows. Showing it sends the data. */
const carryingImage: Rule = {
  code: 'exfiltration_image',
  severity: 'critical',
  says: 'has an image or a link whose address carries data out',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(TARGET)) {
      const url = found[1] ?? found[2] ?? found[3] ?? ''
      const isImage = found[3] === undefined
      const query = url.replace(/^https?:\/\/[^/?#]*/i, '')
      const from = query.search(/[?#]/)
      const values = from === -1 ? '' : query.slice(from + 1)
      const placeholder = PLACEHOLDER.exec(values)?.[0]
      const inPath = isImage && placeholder === undefined ? PLACEHOLDER.exec(query)?.[0] : undefined
      const span = rangeOf(found)
      if (placeholder !== undefined && PRIVATE_NAME.test(`${placeholder} ${values.slice(0, 200)}`)) yield span
      else if (inPath !== undefined && SECRET_NAME.test(inPath)) yield span
      else if (isImage && isFilledLater(reading, values, span)) yield span
      else if (isImage && /[?&][\w-]{1,40}=[A-Za-z0-9+/_%-]{80,}/.test(query)) yield { ...span, severity: 'warn' }
      else if (/document\.cookie|localStorage/.test(url + reading.text.slice(span.end, span.end + 60))) yield span
    }
  },
}

const ACTIVE =
  /<script\b[^<>]{0,300}>|\bjavascript:\s?[a-z(]|<iframe\b[^<>]{0,300}\ssrc|\son(?:error|load|click|mouseover)\s?=\s?["'][^"'\n]{0,200}(?:fetch|document\.|eval|XMLHttp|location)/gi

const activeContent: Rule = {
  code: 'exfiltration_image',
  severity: 'critical',
  says: 'has active content that runs where it is rendered',
  *find(reading: Reading): Iterable<Match> {
    for (const found of reading.text.matchAll(ACTIVE)) {
      const span = rangeOf(found)
      const kind = reading.blockAt(span)?.kind ?? 'paragraph'
      const after = reading.text.slice(span.start, span.end + 400)
      const isGrave =
        /document\.cookie|localStorage|fetch\(|XMLHttpRequest|sendBeacon|eval\(|location\s?=|src\s?=\s?["']?http/i.test(
          after,
        ) && !/^<script\b[^<>]{0,200}\sintegrity\s?=\s?["']sha\d{3}-/i.test(after)
      if (kind !== 'code' && reading.text[span.start - 1] !== '`')
        yield { ...span, severity: isGrave ? 'critical' : 'warn' }
      else if (/document\.cookie/.test(after) && /fetch\(|new Image|sendBeacon|XMLHttp/.test(after)) yield span
    }
  },
}

export const RENDERING_RULES: readonly Rule[] = [hiddenComment, hiddenStyle, carryingImage, activeContent]
