import { scanSkill } from '../../domain/scan/scan-skill.js'
import { readData, TEXTS } from '../data-file.js'
import type { LabelledSkill } from './corpus.js'

const ATOMS = Object.values(readData('scan/atoms.yaml', { values: TEXTS })).flat()

export interface Growth {
  readonly atom: string
  /** Milliseconds for 10,000 and 40,000 characters, and how many times longer the second took. */
  readonly small: number
  readonly large: number
  readonly factor: number
}

/** Returns how the scan's work grows with hostile texts, the worst first: four times the text is to take about four times as long. */
export function measureGrowth(corpus: readonly LabelledSkill[]): Growth[] {
  const beginnings = corpus
    .filter(({ label }) => label === 'malicious')
    .flatMap(({ skill }) =>
      skill.content ? [skill.content.slice(0, -1), skill.content.slice(0, skill.content.length >> 1)] : [],
    )
  const measured = [...ATOMS, ...beginnings].map((atom) => {
    const small = timeOf(atom, 10_000)
    const large = timeOf(atom, 40_000)
    return { atom, small, large, factor: large / Math.max(small, 0.5) }
  })
  return measured.sort((a, b) => b.large - a.large)
}

/** Returns hostile texts of a size: each atom repeated. */
export function hostileTexts(size: number): string[] {
  return ATOMS.map((atom) => atom.repeat(Math.ceil(size / atom.length)).slice(0, size))
}

function timeOf(atom: string, size: number): number {
  const content = atom.repeat(Math.ceil(size / atom.length)).slice(0, size)
  const from = process.cpuUsage()
  scanSkill({ content })
  return process.cpuUsage(from).user / 1_000
}
