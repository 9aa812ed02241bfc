import { RULES } from '../../domain/scan/rules/all.js'
import { scanSkill } from '../../domain/scan/scan-skill.js'
import { foldText } from '../../domain/scan/text/fold.js'
import { Reading } from '../../domain/scan/text/reading.js'
import type { LabelledSkill } from './corpus.js'

/** The contract's limit for a skill's content, in UTF-8. */
const SIZE = 40_000
const TIMES = 15

export interface ScanTimes {
  readonly name: string
  readonly min: number
  readonly median: number
  readonly max: number
}

export interface WorstRule {
  readonly says: string
  readonly ms: number
  readonly on: string
}

/** Measures scans of texts of 40,000 bytes, in milliseconds, after two that warm up. */
export function timeScans(corpus: readonly LabelledSkill[]): ScanTimes[] {
  return [...textsOf(corpus)].map(([name, content]) => {
    for (let i = 0; i < 2; i++) scanSkill({ content })
    const times = Array.from({ length: TIMES }, () => timeOf(() => scanSkill({ content }))).sort((a, b) => a - b)
    return { name, min: times[0]!, median: times[TIMES >> 1]!, max: times.at(-1)! }
  })
}

/** Returns the rule that takes longest on one of the texts. */
export function worstRule(corpus: readonly LabelledSkill[]): WorstRule {
  let worst: WorstRule = { says: '', ms: 0, on: '' }
  for (const [on, content] of textsOf(corpus)) {
    const reading = new Reading(foldText(content))
    for (const rule of RULES) {
      const run = () => [...rule.find(reading)].length
      run()
      const ms = Math.min(...Array.from({ length: 5 }, () => timeOf(run)))
      if (ms > worst.ms) worst = { says: `${rule.code}: ${rule.says}`, ms, on }
    }
  }
  return worst
}

function timeOf(run: () => unknown): number {
  const from = performance.now()
  run()
  return performance.now() - from
}

/** Returns texts of the full size: prose, what is harmless and looks like harm, what is harmful, and scripts of other languages. */
function textsOf(corpus: readonly LabelledSkill[]): Map<string, string> {
  const contents = (label: LabelledSkill['label']) =>
    corpus.filter((item) => item.label === label).map(({ skill }) => skill.content ?? '')
  const prose =
    'Build the service, run its tests, and read the report before you deploy it. When a test fails, find the commit that broke it.\n'
  return new Map([
    ['prose', filled([prose])],
    ['look-alikes', filled(contents('benign'))],
    ['attacks', filled(contents('malicious'))],
    ['other scripts', filled(contents('benign').filter((text) => /[\u0400-\uffff]/.test(text)))],
  ])
}

function filled(parts: readonly string[]): string {
  let text = ''
  for (let i = 0; Buffer.byteLength(text) < SIZE; i++) text += `${parts[i % parts.length]!}\n\n`
  return Buffer.from(text)
    .subarray(0, SIZE)
    .toString('utf8')
    .replace(/\ufffd+$/, '')
}
