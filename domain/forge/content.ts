import { isoDay } from '../text/time-reference.js'
import type { EvidenceFigures } from './evidence.js'

export interface SkillText {
  /** A trigger that begins with "When". */
  readonly trigger: string
  readonly steps: readonly string[]
  readonly lessons: readonly string[]
  readonly figures: EvidenceFigures
  readonly maxBytes: number
}

/** Returns a skill's Markdown: when to use it, its steps, what goes wrong, and how much evidence there is. */
export function skillContent({ trigger, steps, lessons, figures, maxBytes }: SkillText): string {
  const parts = (shownSteps: readonly string[], shownLessons: readonly string[]) =>
    [
      `${trigger.replace(/[.\u2026]*$/, '')}, do as these runs did.`,
      '## Steps',
      shownSteps.map((step, i) => `${i + 1}. ${escaped(step)}`).join('\n'),
      ...(shownLessons.length === 0
        ? []
        : ['## What goes wrong', shownLessons.map((lesson) => `- ${escaped(lesson)}`).join('\n')]),
      '## Evidence',
      evidenceTable(figures),
    ].join('\n\n') + '\n'
  for (let kept = lessons.length; kept >= 0; kept--) {
    const text = parts(steps, lessons.slice(0, kept))
    if (Buffer.byteLength(text) <= maxBytes) return text
  }
  let kept = steps.length - 1
  while (kept > 1 && Buffer.byteLength(parts(steps.slice(0, kept), [])) > maxBytes) kept--
  return parts(steps.slice(0, kept), [])
}

function evidenceTable({ clusterSize, distinctAgents, failures, windowStart, windowEnd }: EvidenceFigures): string {
  const day = (at: number | null) => (at === null ? '' : isoDay(at))
  return [
    '| successful runs | agents | failed runs | first day | last day |',
    '|---|---|---|---|---|',
    `| ${clusterSize ?? 0} | ${distinctAgents ?? 0} | ${failures} | ${day(windowStart)} | ${day(windowEnd)} |`,
  ].join('\n')
}

/** Escapes what would make a line of text something else than text: HTML, headings, tables. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/<(?=[!/a-z])/gi, '\\<')
}

/** Returns the steps of a skill's content: the numbered list, or without headings every list item. */
export function stepsIn(content: string): string[] {
  const lines = content.split('\n')
  const begin = lines.findIndex((line) => /^#{1,6}\s+steps\b/i.test(line))
  const section = begin < 0 ? lines : lines.slice(begin + 1)
  const end = section.findIndex((line) => /^#{1,6}\s/.test(line))
  return (end < 0 ? section : section.slice(0, end)).flatMap(
    (line) => /^\s*(?:\d{1,3}[.)]|[-*+])\s+(.+)$/.exec(line)?.[1] ?? [],
  )
}
