import { chunksOf, type Span } from './chunks.js'

const ENDS = new Set(['.', '!', '?', '\u3002', '\u061f', '\u06d4', '\u0964', '\uff61'])
/** Words before a full stop that does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s("'`])(?:e\.g|i\.e|etc|vs|cf|z\.b|d\.h|bzw|p\.ej|ej|ex|p\.ex|approx|incl|no|nr|sr|mr|dr|\u0442\.\u0435|\u043d\u0430\u043f\u0440)$/i

/** Splits prose where a sentence ends. Full stops inside backticks, names and numbers, and that of an item's number, do not end one. */
export function splitSentences(text: string, span: Span): Span[] {
  const found: Span[] = []
  let start = span.start
  const marker = /^[ \t>]{0,24}\d{1,3}[.)][ \t]/.exec(text.slice(span.start, span.start + 30))?.[0].length ?? 0
  for (let i = span.start + marker; i < span.end; i++) {
    const sign = text[i]!
    if (sign === '`') {
      const close = text.indexOf('`', i + 1)
      if (close !== -1 && close < span.end && close - i < 400) i = close
      continue
    }
    if (!ENDS.has(sign) || !endsSentence(text, i)) continue
    let end = i + 1
    while (end < span.end && /["'`)\]*_]/.test(text[end]!)) end++
    pushTrimmed(text, { start, end }, found)
    start = end
    i = end - 1
  }
  pushTrimmed(text, { start, end: span.end }, found)
  return found
}

function endsSentence(text: string, at: number): boolean {
  const sign = text[at]!
  if (sign > '\u2000' || sign === '\u061f' || sign === '\u06d4' || sign === '\u0964') return true
  const next = text[at + 1]
  if (next !== undefined && next > '\u2e7f' && sign !== '.') return true
  if (next !== undefined && !/[\s"'`)\]*_]/.test(next)) return false
  if (/["'`)\]*_]/.test(next ?? '') && !/[\s"'`)\]*_]/.test(text[at + 2] ?? ' ')) return false
  if (sign !== '.') return true
  // A lone dot is a path ("rm -r ."), and a digit before it with one after is a number.
  if (/\s/.test(text[at - 1] ?? ' ')) return !/^\s*(?:[-|&;><]|$)/.test(text.slice(at + 1, at + 6))
  return !ABBREVIATION.test(text.slice(Math.max(0, at - 8), at))
}

function pushTrimmed(text: string, { start, end }: Span, into: Span[]): void {
  let from = start
  let to = end
  while (from < to && /\s/.test(text[from]!)) from++
  while (to > from && /\s/.test(text[to - 1]!)) to--
  if (from < to) into.push(...chunksOf({ start: from, end: to }))
}
