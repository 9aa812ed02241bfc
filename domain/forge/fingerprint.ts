import { createHash } from 'node:crypto'
import { analyse } from '../text/analysis.js'

/** The evidence that a workflow is known by, whatever it is called: no wording of a model is part of it. */
export interface SharedEvidence {
  readonly domain: string
  /** Entities and tools that most runs name. */
  readonly names: readonly string[]
  /** The terms of each step that most of its statements have. */
  readonly steps: readonly (readonly string[])[]
}

/** A MinHash of the evidence (Broder, 1997): the share of equal numbers estimates the share of evidence in common. */
export type Sketch = readonly number[]

const MINIMA = 64
/** Two sketches of the same work have at least this share in common; of other work in the same domain some tenth. */
export const SAME_WORK = 0.5

/** Returns the same fingerprint for the same evidence, in any order. */
export function fingerprintOf({ domain, names, steps }: SharedEvidence): string {
  const stepTerms = steps.map((terms) => [...terms].sort().join(' ')).sort()
  return `fp:v1:${createHash('sha256')
    .update(JSON.stringify([domain, [...names].sort(), stepTerms]))
    .digest('hex')}`
}

/** Returns the sketch that evidence like this one shares a large part of. */
export function sketchOf({ names, steps }: SharedEvidence): Sketch {
  const minima = new Array<number>(MINIMA).fill(0xffffffff)
  for (const feature of new Set([...names.map((name) => `name ${name}`), ...steps.flat()])) {
    const digest = createHash('sha256').update(feature).digest()
    const [a, b] = [digest.readUInt32LE(0), digest.readUInt32LE(4) | 1]
    for (let i = 0; i < MINIMA; i++) minima[i] = Math.min(minima[i]!, mix((a + Math.imul(i, b)) >>> 0))
  }
  return minima
}

/** Returns the share of the evidence that two sketches have in common, 0..1; 0 for evidence without any feature. */
export function sketchLikeness(a: Sketch, b: Sketch): number {
  if (a.length !== b.length || a.every((value) => value === 0xffffffff)) return 0
  return a.filter((value, i) => value === b[i]).length / a.length
}

/** Work as it is found again. */
export interface KnownWork {
  readonly fingerprint: string
  readonly sketch: Sketch
}

/** Returns the share of the evidence that two works have in common, 0..1: from `SAME_WORK` on they are the same. */
export function likenessOf(a: KnownWork, b: KnownWork): number {
  return a.fingerprint === b.fingerprint ? 1 : sketchLikeness(a.sketch, b.sketch)
}

/** Returns the one that is the same work, and most like it: of its own fingerprint if there is one. Null when none is. */
export function nearestWork<W extends KnownWork>(work: KnownWork, others: readonly W[]): W | null {
  const same = others.find(({ fingerprint }) => fingerprint === work.fingerprint)
  const near = others
    .map((other) => ({ other, likeness: likenessOf(other, work) }))
    .filter(({ likeness }) => likeness >= SAME_WORK)
    .sort((a, b) => b.likeness - a.likeness)
  return same ?? near[0]?.other ?? null
}

/** Returns the evidence of a skill that somebody wrote: its list of steps, or without one its sentences. */
export function evidenceOfText(domain: string, content: string): SharedEvidence {
  const lines = content.split('\n').map((line) => line.trim())
  const items = lines.filter((line) => /^(?:\d{1,3}[.)]|[-*+])\s/.test(line))
  const steps = (items.length > 0 ? items : lines).map((line) => [
    ...new Set(analyse(line.replace(/^\d{1,3}[.)]\s/, ''), 'en')),
  ])
  return { domain, names: [], steps: steps.filter((terms) => terms.length > 0) }
}

/** Applies Murmur3's finalizer. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
