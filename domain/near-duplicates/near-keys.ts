import { createHash } from 'node:crypto'
import { analyseInSteps } from '../text/analysis.js'
import type { Visibility } from '../visibility.js'
import { runToEnd, type Yielding } from '../yielding.js'

/**
 * Bands of two minima each. Of 100 texts that share 80 % of their terms, 97 have two keys in common; at 70 % 88, at 30
 * % 10.
 */
const BANDS = 6
const MINIMA = BANDS * 2

interface RowAudience {
  readonly visibility: Visibility
  readonly fleetId: string | null
  readonly agentId: string | null
}

/**
 * Returns keys of which similar texts share some: MinHash over the distinct terms (Broder, 1997), banded. Distinct
 * 48-bit integers; empty for a text without terms. They include the audience: memories that are not visible to the same
 * callers never share a key.
 */
export function nearKeys(text: string, row: RowAudience): number[] {
  return runToEnd(nearKeysInSteps(text, row))
}

/** Returns the keys of `nearKeys` for a text of any length. */
export function* nearKeysInSteps(text: string, row: RowAudience): Yielding<number[]> {
  const minima = new Uint32Array(MINIMA).fill(0xffffffff)
  const { terms } = yield* analyseInSteps(text, 'en')
  for (const term of new Set(terms)) {
    const hash = hashOf(term)
    for (let i = 0; i < MINIMA; i++) {
      const value = mix(hash ^ Math.imul(i + 1, 0x9e3779b1))
      if (value < minima[i]!) minima[i] = value
    }
  }
  if (minima[0] === 0xffffffff) return []
  const audience = audienceKey(row)
  const keys = Array.from({ length: BANDS }, (_, band) =>
    createHash('sha256')
      .update(JSON.stringify([audience, band, minima[2 * band], minima[2 * band + 1]]))
      .digest()
      .readUIntBE(0, 6),
  )
  return [...new Set(keys)].sort((a, b) => a - b)
}

/** Returns equal keys for memories of the same visibility and, where that is narrower, of the same fleet or author. */
function audienceKey({ visibility, fleetId, agentId }: RowAudience): readonly (string | null)[] {
  switch (visibility) {
    case 'scope_org':
      return ['org']
    case 'scope_team':
      return ['team', fleetId]
    case 'scope_agent':
      return ['agent', agentId]
  }
}

/** Returns the FNV-1a hash over UTF-16 units. */
function hashOf(term: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < term.length; i++) hash = Math.imul(hash ^ term.charCodeAt(i), 0x01000193)
  return hash
}

/** Applies Murmur3's finalizer. */
function mix(value: number): number {
  let hash = value
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
