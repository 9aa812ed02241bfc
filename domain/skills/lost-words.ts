import { analyse } from '../text/analysis.js'
import type { SkillTexts } from './skill.js'
import type { Yielding } from '../yielding.js'

/** The texts of the memories that a skill has words of. */
export interface SkillEvidence {
  /** Those that are erased. */
  readonly erased: readonly string[]
  /** Those that are left. */
  readonly left: readonly string[]
}

/** A version as far as it has words of memories. */
export type WordedVersion = SkillTexts & { readonly evidence: Readonly<Record<string, unknown>> | null }

/** Says which texts of a skill were taken from memories that are erased, and stand in none that is left. */
export interface LostWords {
  /** Returns true when a name in a path has words of the erased memories alone. */
  losesSlug(slug: string): boolean
  /** Returns true when a version has words of the erased memories alone, or a line that none of those left has all words of. */
  losesVersion(version: WordedVersion): Yielding<boolean>
}

/** The words that the Forge itself adds: they are nobody's. */
const FRAME = `When the work involves the work is do as these runs did Steps What goes wrong Evidence
  successful runs agents failed runs first day last day workflow general`
/** Matches the rows of a table of figures. */
const FIGURES = /^\|[\s\d|:-]*\|$/
const LIST_ITEM = /^\s*(?:\d{1,3}[.)]|[-*+])\s+/

/** Reads the memories; a word is a term of the analysis, so that "restarts" is "restarted". */
export function* readLostWords({ erased, left }: SkillEvidence): Yielding<LostWords> {
  const frame = termsOf(FRAME)
  const gone: ReadonlySet<string>[] = []
  const stays: ReadonlySet<string>[] = []
  for (const [texts, sets] of [
    [erased, gone],
    [left, stays],
  ] as const)
    for (const text of texts) {
      sets.push(termsOf(text))
      yield
    }
  const known = new Set(stays.flatMap((terms) => [...terms]))
  const lost = new Set(gone.flatMap((terms) => [...terms]).filter((term) => !known.has(term) && !frame.has(term)))
  const hasLost = (text: string) => [...termsOf(text)].some((term) => lost.has(term))
  const covers = (sets: readonly ReadonlySet<string>[], terms: readonly string[]) =>
    sets.some((words) => terms.every((term) => words.has(term)))
  const isTaken = (line: string) => {
    const terms = [...termsOf(line)]
    return terms.length > 0 && covers(gone, terms) && !covers(stays, terms)
  }
  const losesSlug = (slug: string) => hasLost(slug.replace(/[._-]+/g, ' '))
  return {
    losesSlug,
    *losesVersion({ slug, name, description, summary, content, domain, goal, tags, evidence }) {
      if (losesSlug([slug, domain, ...tags].join(' '))) return true
      const own = [name, description, summary ?? '', goal ?? '', ...stepsOf(evidence)]
      for (const line of [...own, ...content.split('\n')]) {
        if (!FIGURES.test(line) && hasLost(line.replace(LIST_ITEM, ''))) return true
        yield
      }
      const items = content.split('\n').filter((line) => LIST_ITEM.test(line))
      for (const line of [...stepsOf(evidence), ...items]) {
        if (isTaken(line.replace(LIST_ITEM, ''))) return true
        yield
      }
      return false
    },
  }
}

function termsOf(text: string): ReadonlySet<string> {
  return new Set(analyse(text, 'en'))
}

function stepsOf(evidence: WordedVersion['evidence']): string[] {
  return Array.isArray(evidence?.steps) ? evidence.steps.filter((step) => typeof step === 'string') : []
}
