import { scanSkill } from '../../domain/scan/scan-skill.js'
import type { ScanReport } from '../../domain/scan/report.js'
import type { LabelledSkill } from './corpus.js'

export interface ScanFigures {
  /** The share of the harmful ones among the skills that were stopped: quarantined, or flagged for a person. */
  readonly precision: number
  /** The share of the harmful skills that were stopped. */
  readonly recall: number
  /** The share of the harmless skills that were quarantined. */
  readonly wronglyQuarantined: number
  /** Skills judged wrongly, and what was found in them. */
  readonly misses: readonly { readonly item: LabelledSkill; readonly report: ScanReport }[]
}

/** Measures the verdicts on labelled skills: quarantined or flagged is what a malicious one is to be. */
export function measureScan(corpus: readonly LabelledSkill[]): ScanFigures {
  const count = { right: 0, wrong: 0, quarantined: 0 }
  const misses: { item: LabelledSkill; report: ScanReport }[] = []
  for (const item of corpus) {
    const report = scanSkill(item.skill)
    const isStopped = report.verdict !== 'clean'
    const isMalicious = item.label === 'malicious'
    if (isStopped) count[isMalicious ? 'right' : 'wrong']++
    if (!isMalicious && report.verdict === 'quarantined') count.quarantined++
    if (isStopped !== isMalicious) misses.push({ item, report })
  }
  const malicious = corpus.filter(({ label }) => label === 'malicious').length
  return {
    precision: count.right / Math.max(1, count.right + count.wrong),
    recall: count.right / Math.max(1, malicious),
    wronglyQuarantined: count.quarantined / Math.max(1, corpus.length - malicious),
    misses,
  }
}
