import { SPACES, type Space } from '../domain/space.js'
import { answersReads } from '../runtime/outage-reasons.js'
import { observed, type ObserveEngine } from './observed.js'
import type { SearchIndex, SpaceIndex } from './search-index.js'

/** Combines the indexes of all corpora into one: they are created, backfilled, kept and removed together. */
export function ofSpaces(indexOf: (space: Space) => SpaceIndex, observe?: ObserveEngine): SearchIndex {
  const spaces = { memories: indexOf('memories'), documents: indexOf('documents') }
  const all = SPACES.map((space) => spaces[space])
  const each = async (work: (index: SpaceIndex) => Promise<void>) => void (await Promise.all(all.map(work)))
  return {
    engine: spaces.memories.engine,
    make: (mark) => each((index) => index.make(mark)),
    async marks() {
      const marks = await Promise.all(all.map((index) => index.marks()))
      return marks.some((ofSpace) => ofSpace === null) ? null : marks.flatMap((ofSpace) => ofSpace ?? [])
    },
    async remark(known, next) {
      const marked = await Promise.all(all.map((index) => index.remark(known, next)))
      return marked.every(Boolean)
    },
    for: (tenantId, space = 'memories') => {
      const index = spaces[space].for(tenantId)
      return observe ? observed(index, observe) : index
    },
    async purgeTombstones(before) {
      const purged = await Promise.all(all.map((index) => index.purgeTombstones(before)))
      return purged.reduce((sum, count) => sum + count, 0)
    },
    expunge: () => each((index) => index.expunge()),
    async health() {
      const faults = await Promise.all(all.map((index) => index.health()))
      const found = faults.filter((fault) => fault !== null)
      return found.find(({ reason }) => !answersReads(reason)) ?? found[0] ?? null
    },
    describe: (space = 'memories') => spaces[space].describe(),
    remove: () => each((index) => index.remove()),
    stop: () => each((index) => index.stop()),
  }
}
