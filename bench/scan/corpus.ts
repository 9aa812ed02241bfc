import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { ScannableSkill } from '../../domain/scan/skill.js'
import type { FindingCode } from '../../domain/scan/finding-codes.js'
import { checkout } from '../data-file.js'

export interface LabelledSkill {
  /** The file, and the position in it. */
  readonly id: string
  readonly label: 'malicious' | 'benign'
  /** The code to be found; for a benign skill, what it resembles. */
  readonly family: FindingCode
  readonly why: string
  readonly skill: ScannableSkill
}

interface Entry {
  readonly f: FindingCode
  readonly w: string
  /** The content of a skill that has nothing else. */
  readonly t?: string
  readonly k?: ScannableSkill
}

/** Stands inside made-up secrets, so that scanners of this repository do not take them for real ones. */
const BREAK = '§'

/** Reads the labelled corpus, or one file of it. */
export function readCorpus(only?: string): LabelledSkill[] {
  const folder = join(checkout(), 'test/domain/scan/corpus')
  const files = readdirSync(folder).filter(
    (name) => name.endsWith('.yaml') && (only === undefined || name === `${only}.yaml`),
  )
  return files.sort().flatMap((name) => {
    const groups = parse(readFileSync(join(folder, name), 'utf8').replaceAll(BREAK, '')) as Record<
      LabelledSkill['label'],
      Entry[]
    >
    return (['malicious', 'benign'] as const).flatMap((label) =>
      groups[label].map(({ f, w, t, k }, i) => ({
        id: `${name.replace('.yaml', '')} ${label} ${i + 1}`,
        label,
        family: f,
        why: w,
        skill: k ?? { content: t! },
      })),
    )
  })
}
