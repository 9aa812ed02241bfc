import { type LabelledSkill, readCorpus } from './scan/corpus.js'
import { measureScan } from './scan/figures.js'
import { measureGrowth } from './scan/growth.js'
import { timeScans, worstRule } from './scan/speed.js'

interface ScanOptions {
  readonly minPrecision: number
  readonly minRecall: number
}

/** Prints precision, recall and speed of the scan of skills; returns whether the first two are sufficient. */
export async function benchScan({ minPrecision, minRecall }: ScanOptions): Promise<boolean> {
  const corpus = readCorpus()
  const { precision, recall, wronglyQuarantined, misses } = measureScan(corpus)
  const malicious = corpus.filter(({ label }) => label === 'malicious').length
  console.log(`${corpus.length} skills, ${malicious} of them malicious`)
  console.log(
    `precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}, quarantined of the harmless ${wronglyQuarantined.toFixed(3)}`,
  )
  for (const { item, report } of misses)
    console.log(`${missOf(item)}: ${report.findings.map(({ code }) => code).join(', ') || 'nothing found'}`)
  for (const { name, min, median, max } of timeScans(corpus))
    console.log(
      `40 KB of ${name}: ${min.toFixed(1)} / ${median.toFixed(1)} / ${max.toFixed(1)} ms (min / median / max)`,
    )
  const worst = worstRule(corpus)
  console.log(`slowest rule: ${worst.says}, ${worst.ms.toFixed(1)} ms on ${worst.on}`)
  for (const { atom, small, large, factor } of measureGrowth(corpus).slice(0, 5))
    console.log(
      `${JSON.stringify(atom.slice(0, 40))} repeated: ${small.toFixed(0)} ms for 10,000 characters, ${large.toFixed(0)} ms for 40,000 (${factor.toFixed(1)} times)`,
    )
  return precision >= minPrecision && recall >= minRecall
}

function missOf({ id, label, family, why }: LabelledSkill): string {
  return `${label === 'malicious' ? 'missed' : 'wrongly stopped'}: ${id} (${family}, ${why})`
}
