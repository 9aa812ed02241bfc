import { noteBackground } from './background.js'
import { noteCode } from './code.js'
import { noteDecisions } from './decisions.js'
import { noteHops } from './hops.js'
import { noteIdentifiers } from './identifiers.js'
import { noteIncidents } from './incidents.js'
import { notePreferences } from './preferences.js'
import { type CollectedNotes, createScribe, finish, type Scribe } from './scribe.js'
import type { FleetSet } from './shape.js'
import { noteTimes } from './times.js'

/**
 * Kinds of memories in the order of their random sources: a new kind goes to the end, so that the others stay the same.
 */
const KINDS: readonly ((scribe: Scribe) => void)[] = [
  noteIncidents,
  noteDecisions,
  notePreferences,
  noteIdentifiers,
  noteTimes,
  noteCode,
  noteHops,
  noteBackground,
]

/**
 * Returns some 6,000 memories of a company's agents over 60 weeks, and 300 questions with their answers; the same for
 * the same seed. Another seed assigns the same kinds of things to other services, people and times: tune on one, verify
 * on another.
 */
export function createFleetSet(seed: number): FleetSet {
  const collected: CollectedNotes = { memories: [], questions: [], texts: new Set() }
  KINDS.forEach((note, i) => note(createScribe(collected, seed * 1_000 + i)))
  return finish(collected)
}
