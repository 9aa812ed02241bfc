import { createHash } from 'node:crypto'
import { type KnownWork, likenessOf, SAME_WORK } from '../forge/fingerprint.js'
import { analyse } from '../text/analysis.js'
import type { SkillVersion } from './skill.js'

/** A version as far as it is compared with what was rejected. */
export type JudgedWork = KnownWork & Pick<SkillVersion, 'source' | 'authorAgentId' | 'content'>

/**
 * A rejected version, without any of its words: for each of its lines, hashes of the pairs of neighbouring terms that it
 * added to what was there before. `copy` has all of its pairs, since it added none: it holds against its author alone.
 */
export interface Rejection {
  readonly extent: 'whole' | 'addition' | 'copy'
  readonly added: readonly (readonly number[])[]
}

/** A rejection with the work that it is about. */
export interface RejectedWork extends KnownWork, Rejection, Pick<SkillVersion, 'source' | 'authorAgentId'> {}

/** The share of what was added that makes a text one with it. */
const HELD_SHARE = 0.5
/** Pairs that are kept of a line, those of the lowest hashes, and lines of a version, those that added most. */
const MOST_PAIRS = 32
const MOST_LINES = 200

/** Returns what a rejected content added to the contents like it that were there before. */
export function rejectionOf(content: string, before: readonly string[]): Rejection {
  const known = new Set(before.flatMap((text) => linesOf(text).flat()))
  const lines = linesOf(content)
  const added = known.size === 0 ? lines : lines.map((pairs) => pairs.filter((pair) => !known.has(pair)))
  const isCopy = added.every((pairs) => pairs.length === 0)
  const extent = known.size === 0 ? 'whole' : isCopy ? 'copy' : 'addition'
  return { extent, added: sampled(isCopy ? lines : added) }
}

function sampled(lines: readonly (readonly number[])[]): readonly (readonly number[])[] {
  return lines
    .filter((pairs) => pairs.length > 0)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MOST_LINES)
    .map((pairs) => pairs.toSorted((a, b) => a - b).slice(0, MOST_PAIRS))
}

/**
 * Returns true when a rejection holds against a work that revises what is `served`, null for a new skill: it is like the
 * rejected one, and what it adds to the served one is what the rejected one added. Its author, who may word it again, is
 * refused with half of that; others, from whom it may be copied, with something of every line. The Forge words the same
 * work anew at each run, so two works of the Forge are compared by their evidence.
 */
export function holdsAgainst(
  rejected: RejectedWork,
  work: JudgedWork,
  served: Pick<JudgedWork, 'fingerprint' | 'sketch' | 'content'> | null,
): boolean {
  const likeness = likenessOf(rejected, work)
  if (likeness < SAME_WORK) return false
  const isOwn = work.source === rejected.source && work.authorAgentId === rejected.authorAgentId
  if (isOwn && work.source === 'forge') return served === null || likeness > likenessOf(served, work)
  if (isOwn && served === null && rejected.extent !== 'addition') return true
  if (!isOwn && rejected.extent === 'copy') return false
  const known = new Set(served && linesOf(served.content).flat())
  const own = new Set(
    linesOf(work.content)
      .flat()
      .filter((pair) => !known.has(pair)),
  )
  const heldOf = (pairs: readonly number[]) => pairs.filter((pair) => own.has(pair)).length
  if (!isOwn) return rejected.added.every((pairs) => heldOf(pairs) >= HELD_SHARE * pairs.length)
  return heldOf(rejected.added.flat()) >= HELD_SHARE * rejected.added.flat().length
}

/** Returns the hashes of the pairs of neighbouring terms of each line, its beginning counted as a term. */
function linesOf(content: string): number[][] {
  return content.split('\n').map((line) => {
    const terms = ['', ...analyse(line.replace(/^\s*(?:\d{1,3}[.)]|[-*+])\s/, ''), 'en')]
    return [...new Set(terms.slice(1).map((term, i) => hashOf(`${terms[i]} ${term}`)))]
  })
}

function hashOf(pair: string): number {
  return createHash('sha256').update(pair).digest().readUInt32LE(0)
}
