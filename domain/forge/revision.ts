import { analyse } from '../text/analysis.js'
import type { Distilled } from './distilled.js'
import { likenessOf, SAME_WORK, type Sketch } from './fingerprint.js'
import type { Part } from './traces.js'

/** An active skill as far as a candidate is compared with it. */
export interface ActiveSkill {
  readonly docId: string
  readonly contentHash: string
  readonly version: number
  readonly part: Part
  readonly fingerprint: string
  readonly sketch: Sketch
  /** The steps that it was taken from, in the words of memories; of a skill that somebody wrote, its own. */
  readonly steps: readonly string[]
}

/** A step beside those of the active version. */
interface StepChange {
  readonly change: 'kept' | 'added' | 'removed'
  readonly text: string
}

/** The kinds of a candidate: a new skill, a revision of an active one, or nothing that the active one does not say. */
export type RevisionPlan =
  | { readonly kind: 'create' }
  | { readonly kind: 'covered'; readonly docId: string }
  | {
      readonly kind: 'update'
      readonly target: { readonly docId: string; readonly targetContentHash: string; readonly previousVersion: number }
      readonly changes: readonly StepChange[]
    }

/** Two steps with this share of their terms in common are one step in other words. */
const SAME_STEP = 0.5

/** Compares a candidate with the active skills: it revises the one of the same work if the evidence adds steps to it. */
export function planRevision(
  skill: Pick<Distilled, 'part' | 'fingerprint' | 'sketch'> & { readonly steps: readonly { readonly text: string }[] },
  active: readonly ActiveSkill[],
): RevisionPlan {
  const covering = active
    .filter(({ part }) => part.fleetId === skill.part.fleetId)
    .map((one) => ({ one, likeness: likenessOf(one, skill) }))
    .filter(({ likeness }) => likeness >= SAME_WORK)
    .sort((a, b) => b.likeness - a.likeness || (a.one.docId < b.one.docId ? -1 : 1))[0]?.one
  if (!covering) return { kind: 'create' }
  const changes = stepChanges(
    covering.steps,
    skill.steps.map(({ text }) => text),
  )
  if (!changes.some(({ change }) => change === 'added')) return { kind: 'covered', docId: covering.docId }
  const { docId, contentHash, version } = covering
  return { kind: 'update', target: { docId, targetContentHash: contentHash, previousVersion: version }, changes }
}

/** Returns the new steps in order, those of the active version that are gone at the places where they stood. */
export function stepChanges(before: readonly string[], after: readonly string[]): StepChange[] {
  const terms = before.map((text) => new Set(analyse(text, 'en')))
  const left = new Set(before.keys())
  const matched = after.map((text) => {
    const own = new Set(analyse(text, 'en'))
    const [best] = [...left]
      .map((i) => ({ i, share: shareInCommon(own, terms[i]!) }))
      .sort((a, b) => b.share - a.share || a.i - b.i)
    if (best === undefined || best.share < SAME_STEP) return null
    left.delete(best.i)
    return best.i
  })
  const changes: StepChange[] = []
  const removeBefore = (end: number) => {
    for (const i of left) {
      if (i >= end) break
      left.delete(i)
      changes.push({ change: 'removed', text: before[i]! })
    }
  }
  for (const [n, text] of after.entries()) {
    const i = matched[n]!
    if (i !== null) removeBefore(i)
    changes.push({ change: i === null ? 'added' : 'kept', text })
  }
  removeBefore(before.length)
  return changes
}

function shareInCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = [...a].filter((term) => b.has(term)).length
  const all = a.size + b.size - both
  return all === 0 ? 0 : both / all
}
