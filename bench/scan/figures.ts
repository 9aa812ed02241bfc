import { scanSkill } from '../../domain/scan/scan-skill.js'
import type { ScanReport } from '../../domain/scan/report.js'
import type { LabelledSkill } from './corpus.js'

export interface ScanFigures {
  readonly precision: number
  readonly recall: number
  /** Skills judged wrongly, and what was found in them. */
  readonly misses: readonly { readonly item: LabelledSkill; readonly report: ScanReport }[]
}

/** Measures the verdicts on labelled skills: quarantined is what a malicious one is to be. */
export function measureScan(corpus: readonly LabelledSkill[]): ScanFigures {
  let right = 0
  let wrong = 0
  const misses: { item: LabelledSkill; report: ScanReport }[] = []
  for (const item of corpus) {
    const report = scanSkill(item.skill)
    const isQuarantined = report.verdict === 'quarantined'
    if (isQuarantined) item.label === 'malicious' ? right++ : wrong++
    if (isQuarantined !== (item.label === 'malicious')) misses.push({ item, report })
  }
  const malicious = corpus.filter(({ label }) => label === 'malicious').length
  return { precision: right / Math.max(1, right + wrong), recall: right / Math.max(1, malicious), misses }
}
