import { type DetectionFigures, measureDetection } from './personal-data/figures.js'

interface PersonalDataOptions {
  readonly minPrecision: number
  readonly minRecall: number
}

/**
 * Measures precision and recall of personal data and secrets in the labelled corpus. Resolves to false when one is too
 * low.
 */
export async function benchPersonalData({ minPrecision, minRecall }: PersonalDataOptions): Promise<boolean> {
  const { all, groups, faults } = measureDetection()
  console.log('personal data and secrets in labelled texts; a match is right when its kind and both of its ends are')
  console.table(Object.fromEntries([['all', rowOf(all)], ...[...groups].map(([name, of]) => [name, rowOf(of)])]))
  for (const { group, text, found, wanted } of faults) console.log(JSON.stringify({ group, text, found, wanted }))
  console.log(`precision ${all.precision.toFixed(3)} recall ${all.recall.toFixed(3)} over ${all.texts} texts`)
  return all.precision >= minPrecision && all.recall >= minRecall
}

function rowOf({ texts, spans, right, wrong }: DetectionFigures) {
  return { texts, spans, found: right, wrong }
}
