import { CORPORA, type Corpus } from '../domain/corpus.js'
import { answersReads } from '../runtime/outage-reasons.js'
import { observeIndex, type ObserveEngine } from './observe-index.js'
import type { SearchIndex, CorpusIndex } from './search-index.js'

/** Combines the indexes of all corpora into one: they are created, backfilled, kept and removed together. */
export function combineCorpora(indexOf: (corpus: Corpus) => CorpusIndex, observe?: ObserveEngine): SearchIndex {
  const corpora = { memories: indexOf('memories'), documents: indexOf('documents') }
  const all = CORPORA.map((corpus) => corpora[corpus])
  const each = async (work: (index: CorpusIndex) => Promise<void>) => void (await Promise.all(all.map(work)))
  return {
    engine: corpora.memories.engine,
    make: (mark) => each((index) => index.make(mark)),
    async marks() {
      const marks = await Promise.all(all.map((index) => index.marks()))
      return marks.some((ofCorpus) => ofCorpus === null) ? null : marks.flatMap((ofCorpus) => ofCorpus ?? [])
    },
    async remark(known, next) {
      const marked = await Promise.all(all.map((index) => index.remark(known, next)))
      return marked.every(Boolean)
    },
    for: (tenantId, corpus = 'memories') => {
      const index = corpora[corpus].for(tenantId)
      return observe ? observeIndex(index, observe) : index
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
    describe: (corpus = 'memories') => corpora[corpus].describe(),
    remove: () => each((index) => index.remove()),
    stop: () => each((index) => index.stop()),
  }
}
